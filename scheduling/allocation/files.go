package allocation

import (
	"cmp"
	"io"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/access"
)

// The kinds of configuration files.
const (
	PoolFile      = "pools"      // fair-scheduler.xml
	QueueFile     = "queues"     // capacity-scheduler.xml, mapred-queues.xml, mapred-queue-acls.xml
	ParameterFile = "parameters" // mapred-site.xml
)

// Source is a file to read.
type Source struct {
	Name   string // used in messages
	Kind   string // empty: detected by content
	Reader io.Reader
}

// File is what Read found in one source.
type File struct {
	Name string
	Kind string // empty if the content is of no known kind
	// Holds is a summary such as "2 pools, 1 user", "2 queues, access lists on" or "scheduler hfs,
	// preemption on"; empty if the file has errors.
	Holds    string
	Errors   []*Problem // in order of lines
	Warnings []*Problem // in order of lines; none if the file has errors, since they may follow from these
}

// Files are Hadoop's configuration files of one cluster, read together. If a file of a kind is not
// among them, its settings are zero.
type Files struct {
	// Pools holds the settings of fair-scheduler.xml; settings of pools in mapred-site.xml are
	// zero. Lists are in file order. A limit of 0 in the file allows nothing, and is -1 here: there
	// 0 means no limit.
	Pools scheduling.Allocations
	// Queues lists the queues, parents before children and siblings in the order of the files. The
	// name of a nested queue is its path, with colons: "sch:prod".
	Queues []scheduling.QueueConfig
	Parameters
	// Rules are the rules for pools and access; nil if no file was read. The leaf queues have
	// lists; a missing list admits nobody. Both the files about queues and mapred-site.xml may turn
	// the lists on and name administrators.
	Rules *access.Rules

	Read     []File     // one for each source
	Names    []string   // of the files that ReadFiles read or tried
	Warnings []*Problem // of all files
}

// Parameters are the settings in mapred-site.xml, with Hadoop's defaults for missing ones [Hadoop
// Fair Scheduler Guide §4.1]. Its access lists and its property that names the pool are in Rules.
type Parameters struct {
	// Scheduler is the preset for mapred.jobtracker.taskScheduler: "hfs", "capacity" or "fifo"; ""
	// if it is not in the file.
	Scheduler string
	// AllocationFile is the absolute path of fair-scheduler.xml; "" if it is not in the file.
	AllocationFile string
	// TaskTimeout is the maximum time without progress of an attempt; negative means no limit, 0
	// that it is not in the file. It concerns live clusters, not the policy.
	TaskTimeout time.Duration
	// Policy holds the settings that Apply copies; others are zero. SlowStart is -1 if it is not in
	// the file.
	Policy scheduling.Policy
}

// Has reports whether a file of the kind was read.
func (f *Files) Has(kind string) bool {
	return slices.ContainsFunc(f.Read, func(one File) bool { return one.Kind == kind })
}

// Read reads configuration files, in any order. At most one has pools and one has parameters; those
// about queues, in any number, are read together, so that one may complete a queue of another. The
// error joins a *Problem for everything wrong with the files; for the formats of YARN,
// errors.Is(err, ErrYARN) is true. Then only Files.Read is set.
func Read(sources ...Source) (Files, error) {
	r := newReader()
	for _, s := range sources {
		r.read(s)
	}
	return r.finish()
}

// FileNames are the names of the files; empty means none.
type FileNames struct {
	Pools      string // fair-scheduler.xml; empty: the one that Parameters names
	Queues     string // capacity-scheduler.xml or mapred-queues.xml
	Parameters string // mapred-site.xml
}

// ReadFiles reads the files with open, up to the first one with an error; Files then holds their
// names and the warnings about earlier ones.
func ReadFiles(names FileNames, open func(name string) (io.ReadCloser, error)) (Files, error) {
	r := newReader()
	var failed error
	read := func(kind, name string) {
		if name == "" || failed != nil || len(r.problems) > 0 {
			return
		}
		r.Names = append(r.Names, name)
		file, err := open(name)
		if err != nil {
			failed = err
			return
		}
		defer file.Close()
		r.read(Source{name, kind, file})
	}
	read(ParameterFile, names.Parameters)
	read(PoolFile, cmp.Or(names.Pools, r.AllocationFile))
	read(QueueFile, names.Queues)
	f, err := r.finish()
	return f, cmp.Or(failed, err)
}

// Apply applies the files to a policy, as far as they concern its order, at the start and at each
// reload. A file replaces everything that it can set; missing settings get Hadoop's defaults.
func (f *Files) Apply(to *scheduling.Policy) {
	site := to.Pools // has the settings of pools that are in mapred-site.xml
	if f.Has(ParameterFile) {
		from := &f.Policy
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
	if f.Has(PoolFile) && to.Order == "pools" {
		to.Pools = f.Pools
	}
	pools := &to.Pools
	pools.PoolPerUser, pools.Known, pools.SizeBasedWeight = site.PoolPerUser, site.Known, site.SizeBasedWeight
	pools.BoostFactor, pools.BoostTime = site.BoostFactor, site.BoostTime
	if f.Has(QueueFile) && to.Order == "capacity" {
		to.Queues = f.Queues
	}
}
