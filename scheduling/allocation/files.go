package allocation

import (
	"io"

	"github.com/tarry-mr/tarry/scheduling"
)

// Files are Hadoop's configuration files of one cluster, read together; nil if a file does not
// exist.
type Files struct {
	Pools      *Fair
	Queues     *Queues
	Parameters *Parameters

	Names    []string // of the files that were read or tried
	Warnings []*Problem
}

// FileNames are the names of the files; empty means none.
type FileNames struct {
	Pools      string // fair-scheduler.xml; empty: the one that Parameters names
	Queues     string // capacity-scheduler.xml or mapred-queues.xml
	Parameters string // mapred-site.xml
}

// ReadFiles reads the files with open, up to the first one with an error; Files then holds the
// earlier ones.
func ReadFiles(names FileNames, open func(name string) (io.ReadCloser, error)) (f Files, err error) {
	read := func(name string, parse func(r io.Reader) ([]*Problem, error)) {
		if name == "" || err != nil {
			return
		}
		f.Names = append(f.Names, name)
		var file io.ReadCloser
		if file, err = open(name); err != nil {
			return
		}
		defer file.Close()
		warnings, bad := parse(file)
		f.Warnings, err = append(f.Warnings, warnings...), bad
	}
	read(names.Parameters, func(r io.Reader) ([]*Problem, error) {
		got, err := ParseParameters(names.Parameters, r)
		f.Parameters = &got
		if names.Pools == "" {
			names.Pools = got.AllocationFile
		}
		return got.Warnings, err
	})
	read(names.Pools, func(r io.Reader) ([]*Problem, error) {
		got, err := ParseFair(names.Pools, r)
		f.Pools = &got
		return got.Warnings, err
	})
	read(names.Queues, func(r io.Reader) ([]*Problem, error) {
		got, err := ParseQueues(Source{Name: names.Queues, Reader: r})
		f.Queues = &got
		return got.Warnings, err
	})
	return f, err
}

// Apply applies the files to a policy, as far as they concern its order.
func (f *Files) Apply(to *scheduling.Policy) {
	if f.Parameters != nil {
		f.Parameters.Apply(to)
	}
	if f.Pools != nil && to.Order == "pools" {
		f.Pools.Apply(to)
	}
	if f.Queues != nil && to.Order == "capacity" {
		f.Queues.Apply(to)
	}
}

// Rules returns the rules for pools and access; nil if no file was read.
func (f *Files) Rules() *Rules {
	if f.Pools == nil && f.Queues == nil && f.Parameters == nil {
		return nil
	}
	r := new(Rules)
	if f.Queues != nil {
		r.Access = f.Queues.Access
	}
	if f.Parameters != nil {
		r.PoolProperty = f.Parameters.PoolProperty
		f.Parameters.ApplyAccess(&r.Access)
	}
	return r
}
