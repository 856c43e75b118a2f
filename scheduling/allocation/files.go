package allocation

import (
	"io"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/access"
)

// Files are Hadoop's configuration files of one cluster, read together; nil if a file does not
// exist.
type Files struct {
	Pools      *scheduling.Allocations
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
	if f.Parameters, err = readFile(&f, names.Parameters, open, ParseParameters); err != nil {
		return f, err
	}
	if names.Pools == "" && f.Parameters != nil {
		names.Pools = f.Parameters.AllocationFile
	}
	if f.Pools, err = readFile(&f, names.Pools, open, ParseFair); err != nil {
		return f, err
	}
	f.Queues, err = readFile(&f, names.Queues, open, func(name string, r io.Reader) (Queues, []*Problem, error) {
		return ParseQueues(Source{name, r})
	})
	return f, err
}

// readFile reads a file with parse; nil if the name is empty or the file is wrong.
func readFile[T any](f *Files, name string, open func(string) (io.ReadCloser, error),
	parse func(string, io.Reader) (T, []*Problem, error),
) (*T, error) {
	if name == "" {
		return nil, nil
	}
	f.Names = append(f.Names, name)
	file, err := open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, warnings, err := parse(name, file)
	if err != nil {
		return nil, err
	}
	f.Warnings = append(f.Warnings, warnings...)
	return &content, nil
}

// Apply applies the files to a policy, as far as they concern its order, at the start and at each
// reload. A file replaces everything that it can set; missing settings get Hadoop's defaults.
func (f *Files) Apply(to *scheduling.Policy) {
	site := to.Pools // has the settings of pools that are in mapred-site.xml
	if f.Parameters != nil {
		from := &f.Parameters.Policy
		to.Speculation, to.Avoid = from.Speculation, from.Avoid
		if from.SlowStart >= 0 {
			to.SlowStart = from.SlowStart
		}
		if to.Order == "pools" {
			to.Preemption, to.Locality = from.Preemption, from.Locality
			to.OneTask, to.LoadMaxDiff = from.OneTask, from.LoadMaxDiff
			site = from.Pools
		}
	}
	if f.Pools != nil && to.Order == "pools" {
		to.Pools = *f.Pools
	}
	pools := &to.Pools
	pools.PoolPerUser, pools.Known, pools.SizeBasedWeight = site.PoolPerUser, site.Known, site.SizeBasedWeight
	pools.BoostFactor, pools.BoostTime = site.BoostFactor, site.BoostTime
	if f.Queues != nil && to.Order == "capacity" {
		to.Queues = f.Queues.Configs
	}
}

// Rules returns the rules for pools and access; nil if no file was read. Both the files about queues
// and mapred-site.xml may turn the lists on and name administrators.
func (f *Files) Rules() *access.Rules {
	if f.Pools == nil && f.Queues == nil && f.Parameters == nil {
		return nil
	}
	r := new(access.Rules)
	if f.Queues != nil {
		r.Access = f.Queues.Access
	}
	if p := f.Parameters; p != nil {
		r.PoolProperty = p.PoolProperty
		r.Access.Enabled = r.Access.Enabled || p.Access.Enabled
		r.Access.Admins = r.Access.Admins.With(p.Access.Admins)
	}
	return r
}
