package main

import (
	"fmt"
	"io"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/allocation"
)

// schedulerFiles is what the scheduler's configuration files say; nil where there is no file.
type schedulerFiles struct {
	pools      *allocation.Fair
	queues     *allocation.Queues
	parameters *allocation.Parameters

	names    []string // of the files
	warnings []*allocation.Problem

	poolsUsed, queuesUsed bool // a policy took them in
}

// read reads the files of those names; empty names are no files. After an error names holds those
// up to the one that is wrong.
func (s *schedulerFiles) read(open func(name string) (io.ReadCloser, error), allocations, queues, parameters string) error {
	readConfig := func(name string, parse func(io.Reader) error) error {
		s.names = append(s.names, name)
		return readConfig(open, name, parse)
	}
	if parameters != "" {
		err := readConfig(parameters, func(r io.Reader) error {
			got, err := allocation.ParseParameters(parameters, r)
			s.parameters = &got
			s.warnings = append(s.warnings, got.Warnings...)
			return err
		})
		if err != nil {
			return err
		}
		if allocations == "" {
			allocations = s.parameters.AllocationFile
		}
	}
	if allocations != "" {
		err := readConfig(allocations, func(r io.Reader) error {
			got, err := allocation.ParseFair(allocations, r)
			s.pools = &got
			s.warnings = append(s.warnings, got.Warnings...)
			return err
		})
		if err != nil {
			return err
		}
	}
	if queues == "" {
		return nil
	}
	return readConfig(queues, func(r io.Reader) error {
		got, err := allocation.ParseQueues(allocation.Source{Name: queues, Reader: r})
		s.queues = &got
		s.warnings = append(s.warnings, got.Warnings...)
		return err
	})
}

// readConfig opens a configuration file for parse.
func readConfig(open func(name string) (io.ReadCloser, error), path string, parse func(io.Reader) error) error {
	file, err := open(path)
	if err != nil {
		return configError("%w", err)
	}
	defer file.Close()
	if err := parse(file); err != nil {
		return configError("%w", err)
	}
	return nil
}

// warn tells what is legal in a configuration file and surely not meant.
func (p *program) warn(list []*allocation.Problem) {
	for _, w := range list {
		fmt.Fprintf(p.stderr, "tarry: warning: %v\n", w)
	}
}

// scheduler is the preset that the parameters ask for, or empty.
func (s *schedulerFiles) scheduler() string {
	if s.parameters == nil {
		return ""
	}
	return s.parameters.Scheduler
}

// apply puts into a policy what the files say of its kind.
func (s *schedulerFiles) apply(to *scheduling.Policy) {
	switch {
	case s.parameters == nil:
	case to.Order == "pools":
		s.parameters.Apply(to)
	case s.parameters.SlowStart >= 0: // the others are the Fair Scheduler's
		to.SlowStart = s.parameters.SlowStart
	}
	if s.pools != nil && to.Order == "pools" {
		s.pools.Apply(to)
		s.poolsUsed = true
	}
	if s.queues != nil && to.Order == "capacity" {
		s.queues.Apply(to)
		s.queuesUsed = true
	}
}

// rules say which jobs may go where, or nil if no file says anything of it.
func (s *schedulerFiles) rules() *allocation.Rules {
	if s.pools == nil && s.queues == nil && s.parameters == nil {
		return nil
	}
	r := new(allocation.Rules)
	if s.queues != nil {
		r.Access = s.queues.Access
	}
	if s.parameters != nil {
		r.PoolProperty = s.parameters.PoolProperty
		s.parameters.ApplyAccess(&r.Access)
	}
	return r
}

// unused refuses files of which the named schedulers use nothing. lists says that somebody heeds the access lists.
func (s *schedulerFiles) unused(name string, lists bool) error {
	switch {
	case s.pools != nil && !s.poolsUsed:
		return usageError("an allocation file is for schedulers with pools, such as hfs, not for %s", name)
	case s.queues != nil && !s.queuesUsed && !lists:
		return usageError("--queues is for schedulers with queues, such as capacity, not for %s", name)
	}
	return nil
}
