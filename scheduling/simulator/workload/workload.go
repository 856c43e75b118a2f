package workload

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
)

// DefaultBlock is the size of a block of the papers' clusters, in bytes.
const DefaultBlock = 128 << 20

// Limits of a workload. They catch garbage and limit a simulation's memory.
const (
	MaxBytes   = int64(1) << 60    // of one job's input, shuffle or output, and of a file
	maxTasks   = 10_000_000        // of one kind in one job
	maxJobs    = 1_000_000         // in a workload
	maxSubmit  = 1000 * time.Hour  // of a submission
	MaxTime    = 10000 * time.Hour // of one task
	maxNameLen = 255

	// maxAllTasks limits the tasks of all jobs of a workload together.
	maxAllTasks = 50_000_000
	// MaxReplicas limits the replicas of a block.
	MaxReplicas = 1000

	maxSlots = 10_000 // of one task
	maxKeys  = 100_000
)

// Cost is the time of one task of a job apart from reading and writing.
type Cost struct {
	// Setup is the time before an attempt does anything; 0 means that of the cluster
	// (simulator.Cluster.Setup), negative means 0.
	Setup time.Duration
	// Time is computing time that does not depend on the bytes.
	Time time.Duration
	// CPU multiplies the cluster's computing time per byte; 0 means 1, negative means 0.
	CPU float64
	// Spread is the sigma of a lognormal factor of mean 1 on the computing time of each task; 0
	// makes all equal.
	Spread float64
}

// Skew describes how unevenly a job's map outputs are spread over its reduces. The zero value is
// even.
type Skew struct {
	// Zipf gives partition p the weight 1/(p+1)^Zipf, in an order shuffled for each job; 0 means
	// equal weights.
	Zipf float64
	// Shares is the sigma of a lognormal weight of each partition, equal for all maps of the job.
	Shares float64
	// Cells is the sigma of a lognormal weight of each (map, partition) pair.
	Cells float64
}

// Keys describes the keys of a job's map outputs, for placements that divide keys. The zero value
// means no keys.
type Keys struct {
	Count int // 0 means none; at most 100,000
	// Zipf gives key k, from 0, the weight 1/(k+1)^Zipf; 0 makes all equal. 0 to 10.
	Zipf float64
	// Spread is the sigma, 0 to 10, of a lognormal factor of mean 1 on the weight of each key in
	// the output of each map.
	Spread float64
}

// check returns the first mistake in the description of keys.
func (k Keys) check() error {
	if k.Count < 0 || k.Count > maxKeys || !(k.Zipf >= 0 && k.Zipf <= 10) || !(k.Spread >= 0 && k.Spread <= 10) {
		return fmt.Errorf("%d keys of exponent %v and spread %v, want 0 to %d keys and numbers from 0 to 10", k.Count, k.Zipf, k.Spread, maxKeys)
	}
	return nil
}

// Job is one job of a workload.
type Job struct {
	Name     string
	Class    string // group in reports, such as "bin 3"; empty for all jobs without a class
	User     string
	Pool     string
	Queue    string
	Priority scheduling.Priority
	// Submit is the arrival of the job, since the start of the workload or, with After, since the
	// end of that job.
	Submit time.Duration
	// After names an earlier job of the workload that must end first; empty means none.
	After   string
	Maps    int // at least 1
	Reduces int // 0 or more
	// File is 1 plus the index in Workload.Files of the file that the maps read, from its start; 0
	// means a file of the job's own.
	File int
	// MapRacks is the rack of each map's input, as given by a trace: from 0, modulo the number of
	// racks. Nil lets the simulation choose. Only jobs without a File may have it.
	MapRacks []int32
	// NoLocation gives the maps no input location (generated input).
	NoLocation   bool
	InputBytes   int64 // of all maps; see SplitBytes for those of one
	ShuffleBytes int64 // of all maps to all reduces; 0 for a map-only job
	OutputBytes  int64 // of all reduces, or of all maps of a map-only job
	Map          Cost
	Reduce       Cost
	Skew         Skew
	// Keys, if not empty, determines the content of each partition and replaces Skew and
	// Partitions.
	Keys Keys
	// Partitions is the size in bytes of each reduce's input, as given by a trace, ShuffleBytes in
	// total; Skew.Zipf and Skew.Shares do not apply then. Nil means that Skew applies.
	Partitions []int64
	// ReduceRacks is the rack in which each reduce of a trace ran. A simulation does not use it,
	// because its scheduler chooses the places.
	ReduceRacks  []int32
	SlowStart    float64 // see scheduling.JobSpec
	SlotsPerTask int     // 0 means 1
	NoSuspend    bool
	// TellTimes gives the policy the mean duration of the job's tasks; policies that need sizes
	// (srpt, hfsp without training) always get it.
	TellTimes bool
}

// SplitBytes returns the size of the input of map i: whole blocks of InputBytes/Maps, rounded up,
// the last ones shorter.
func (j *Job) SplitBytes(i int) int64 {
	size := (j.InputBytes + int64(j.Maps) - 1) / int64(j.Maps)
	return max(0, min(size, j.InputBytes-int64(i)*size))
}

// File is a file read by several jobs.
type File struct {
	Name     string
	Blocks   int // one map's input each
	Replicas int // of each block; 0 means the cluster's
}

// Workload is a list of jobs and the files they share.
type Workload struct {
	Name  string
	Jobs  []Job // by time of submission
	Files []File
}

// Tasks returns the number of maps and of reduces of all jobs.
func (w *Workload) Tasks() (maps, reduces int) {
	for i := range w.Jobs {
		maps += w.Jobs[i].Maps
		reduces += w.Jobs[i].Reduces
	}
	return maps, reduces
}

// Stretch multiplies the times of submission by factor, 0 or more, except for jobs that follow
// another one.
func (w *Workload) Stretch(factor float64) {
	for i := range w.Jobs {
		if j := &w.Jobs[i]; j.After == "" {
			j.Submit = time.Duration(math.Round(float64(j.Submit) * factor))
		}
	}
}

// Validate returns every mistake that would make a simulation meaningless, joined.
func (w *Workload) Validate() error {
	if len(w.Jobs) > maxJobs {
		return fmt.Errorf("workload: %d jobs, at most %d", len(w.Jobs), maxJobs)
	}
	faults := Faults{Of: errors.New("workload")}
	names := map[string]bool{}
	all := int64(0)
	for i := range w.Jobs {
		j := &w.Jobs[i]
		if err := j.check(len(w.Files), names); err != nil {
			faults.Check(false, "job %d %.40q: %v", i, j.Name, err)
		} else {
			all += int64(j.Maps) + int64(j.Reduces)
		}
		names[j.Name] = true
	}
	faults.Check(all <= maxAllTasks, "%d tasks in all jobs, at most %d", all, maxAllTasks)
	blocks := int64(0)
	for _, f := range w.Files {
		switch {
		case f.Blocks < 1 || f.Blocks > maxTasks || f.Replicas < 0 || f.Replicas > MaxReplicas:
			faults.Check(false, "file %.40q: %d blocks of %d replicas", f.Name, f.Blocks, f.Replicas)
		default:
			blocks += int64(f.Blocks) * int64(max(f.Replicas, 1))
		}
	}
	faults.Check(blocks <= maxAllTasks, "%d replicas of blocks in all files, at most %d", blocks, maxAllTasks)
	return faults.Err()
}

// check returns the first mistake in a job; names holds the earlier jobs.
func (j *Job) check(files int, names map[string]bool) error {
	within := func(what string, n, low, high int64) error {
		if n < low || n > high {
			return fmt.Errorf("%s %d is not between %d and %d", what, n, low, high)
		}
		return nil
	}
	err := errors.Join(
		within("maps", int64(j.Maps), 1, maxTasks),
		within("reduces", int64(j.Reduces), 0, maxTasks),
		within("input bytes", j.InputBytes, 0, MaxBytes),
		within("shuffle bytes", j.ShuffleBytes, 0, MaxBytes),
		within("output bytes", j.OutputBytes, 0, MaxBytes),
		within("submission time", int64(j.Submit), 0, int64(maxSubmit)),
		within("file", int64(j.File), 0, int64(files)),
		within("map time", int64(j.Map.Time), 0, int64(MaxTime)),
		within("reduce time", int64(j.Reduce.Time), 0, int64(MaxTime)),
		within("map setup", int64(j.Map.Setup), math.MinInt64, int64(MaxTime)),
		within("reduce setup", int64(j.Reduce.Setup), math.MinInt64, int64(MaxTime)),
		within("slots of a task", int64(j.SlotsPerTask), 0, maxSlots),
	)
	if err != nil {
		return err
	}
	if err := errors.Join(j.checkTraced(), j.Keys.check()); err != nil {
		return err
	}
	if j.After != "" && !names[j.After] {
		return fmt.Errorf("comes after %.40q, which no earlier job is called", j.After)
	}
	if len(j.Name) > maxNameLen {
		return fmt.Errorf("name of %d bytes", len(j.Name))
	}
	for _, sigma := range []float64{j.Skew.Zipf, j.Skew.Shares, j.Skew.Cells, j.Map.Spread, j.Reduce.Spread} {
		if !(sigma >= 0 && sigma <= 10) {
			return fmt.Errorf("skew or spread %v is not between 0 and 10", sigma)
		}
	}
	if !(j.SlowStart <= 1) {
		return fmt.Errorf("slow start %v is above 1", j.SlowStart)
	}
	for _, factor := range []float64{j.Map.CPU, j.Reduce.CPU} {
		if !(factor <= 1e6) {
			return fmt.Errorf("cpu factor %v is above 1e6", factor)
		}
	}
	return nil
}

// checkTraced returns the first mistake in the data of a trace.
func (j *Job) checkTraced() error {
	if j.MapRacks != nil && (len(j.MapRacks) != j.Maps || j.File > 0 || slices.Min(j.MapRacks) < 0) {
		return fmt.Errorf("racks for %d of %d maps, of which none may be negative nor have a file", len(j.MapRacks), j.Maps)
	}
	if j.Partitions == nil {
		return nil
	}
	left := j.ShuffleBytes
	for _, b := range j.Partitions {
		if b < 0 || b > left {
			return fmt.Errorf("partition of %d bytes", b)
		}
		left -= b
	}
	if len(j.Partitions) != j.Reduces || left != 0 {
		return fmt.Errorf("%d partitions for %d reduces, %d of the shuffled bytes missing", len(j.Partitions), j.Reduces, left)
	}
	return nil
}

// Bin returns "bin 1" to "bin 9", the class of a job by its number of maps [Zaharia10 Table 2].
func Bin(maps int) string {
	for i, top := range [...]int{1, 2, 20, 60, 150, 300, 500, 1500} {
		if maps <= top {
			return fmt.Sprintf("bin %d", i+1)
		}
	}
	return "bin 9"
}
