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

// Bounds on what one workload may ask for. They catch garbage and keep a simulation's memory in
// hand.
const (
	MaxBytes   = int64(1) << 60    // of one job's input, shuffle or output, and of a file
	maxTasks   = 10_000_000        // of one kind in one job
	maxJobs    = 1_000_000         // in a workload
	maxSubmit  = 1000 * time.Hour  // of a submission
	MaxTime    = 10000 * time.Hour // of one task
	maxNameLen = 255

	// maxAllTasks bounds the tasks of all jobs of a workload together.
	maxAllTasks = 50_000_000
	// MaxReplicas bounds the replicas of a block.
	MaxReplicas = 1000

	maxSlots = 10_000 // of one task
	maxKeys  = 100_000
)

// Cost says how long one task of a job takes besides reading and writing.
type Cost struct {
	// Setup is the time before an attempt does anything; 0 takes the node model's, negative means
	// none.
	Setup time.Duration
	// Time is computing time that does not depend on the bytes.
	Time time.Duration
	// CPU multiplies the node model's computing time per byte; 0 means 1, negative none.
	CPU float64
	// Spread is the sigma of a lognormal factor of mean 1 on the computing time of each task; 0
	// makes all alike.
	Spread float64
}

// Skew says how unevenly a job's map outputs are spread over its reduces. The zero value is even.
type Skew struct {
	// Zipf gives partition p the weight 1/(p+1)^Zipf, in an order shuffled for each job; 0 means
	// none.
	Zipf float64
	// Shares is the sigma of a lognormal weight of each partition, alike for all maps of the job.
	Shares float64
	// Cells is the sigma of a lognormal weight of each (map, partition) pair.
	Cells float64
}

// Keys are the keys of a job's map outputs, for placements that divide keys. The zero value leaves
// keys out.
type Keys struct {
	Count int // 0 means none; at most 100,000
	// Zipf gives key k, from 0, the weight 1/(k+1)^Zipf; 0 makes all alike. 0 to 10.
	Zipf float64
	// Spread is the sigma, 0 to 10, of a lognormal factor of mean 1 on the weight of each key in the
	// output of each map.
	Spread float64
}

// check reports the first fault.
func (k Keys) check() error {
	if k.Count < 0 || k.Count > maxKeys || !(k.Zipf >= 0 && k.Zipf <= 10) || !(k.Spread >= 0 && k.Spread <= 10) {
		return fmt.Errorf("%d keys of exponent %v and spread %v, want 0 to %d keys and numbers from 0 to 10", k.Count, k.Zipf, k.Spread, maxKeys)
	}
	return nil
}

// Job is one job of a workload.
type Job struct {
	Name     string
	Class    string // what reports group by, such as "bin 3"; empty stands for all the unnamed
	User     string
	Pool     string
	Queue    string
	Priority scheduling.Priority
	// Submit is when the job comes, since the start of the workload; with After, since the end of
	// that job.
	Submit time.Duration
	// After names an earlier job of the workload that must end first; empty means none.
	After   string
	Maps    int // at least 1
	Reduces int // 0 or more
	// File is the index into Workload.Files plus 1 of the file that the maps read, from its start;
	// 0 means a file of the job's own.
	File int
	// MapRacks is the rack of each map's input, from 0, as a trace gives it; a number beyond the
	// cluster's racks counts around. Nil leaves the place to the simulation. It is for jobs without
	// a File.
	MapRacks []int32
	// NoLocation gives the maps no input location (generated input).
	NoLocation   bool
	InputBytes   int64 // of all maps; split i of a job reads its part, see SplitBytes
	ShuffleBytes int64 // of all maps to all reduces; 0 for a map-only job
	OutputBytes  int64 // of all reduces, or of all maps of a map-only job
	Map          Cost
	Reduce       Cost
	Skew         Skew
	// Keys, if there are any, decide what each partition gets, in place of Skew and Partitions.
	Keys Keys
	// Partitions is the bytes of each reduce's input, as a trace gives them, ShuffleBytes in all;
	// Skew.Zipf and Skew.Shares do not apply then. Nil leaves them to Skew.
	Partitions   []int64
	SlowStart    float64 // see scheduling.JobSpec
	SlotsPerTask int     // 0 means 1
	NoSuspend    bool
	// TellTimes tells the policy how long the job's tasks take on average; policies that need sizes
	// (srpt, hfsp without training) are always told.
	TellTimes bool
}

// SplitBytes gives the size of the input of map i: whole blocks of InputBytes/Maps, rounded up, the
// last ones shorter.
func (j *Job) SplitBytes(i int) int64 {
	size := (j.InputBytes + int64(j.Maps) - 1) / int64(j.Maps)
	return max(0, min(size, j.InputBytes-int64(i)*size))
}

// File is a file that several jobs read.
type File struct {
	Name     string
	Blocks   int // one map's input each
	Replicas int // of each block; 0 takes the cluster's
}

// Workload is a list of jobs and the files they share.
type Workload struct {
	Name  string
	Jobs  []Job // by time of submission
	Files []File
}

// Tasks gives the number of maps and of reduces of all jobs.
func (w *Workload) Tasks() (maps, reduces int) {
	for i := range w.Jobs {
		maps += w.Jobs[i].Maps
		reduces += w.Jobs[i].Reduces
	}
	return maps, reduces
}

// Stretch multiplies the times of submission by factor, 0 or more; those of jobs that follow
// another one stay.
func (w *Workload) Stretch(factor float64) {
	for i := range w.Jobs {
		if j := &w.Jobs[i]; j.After == "" {
			j.Submit = time.Duration(math.Round(float64(j.Submit) * factor))
		}
	}
}

// Validate reports every fault that would make a simulation meaningless, joined.
func (w *Workload) Validate() error {
	if len(w.Jobs) > maxJobs {
		return fmt.Errorf("workload: %d jobs, at most %d", len(w.Jobs), maxJobs)
	}
	var faults []error
	more := 0
	fault := func(format string, args ...any) {
		if len(faults) < maxFaults {
			faults = append(faults, fmt.Errorf("workload: "+format, args...))
		} else {
			more++
		}
	}
	names := map[string]bool{}
	all := int64(0)
	for i := range w.Jobs {
		j := &w.Jobs[i]
		if err := j.check(len(w.Files), names); err != nil {
			fault("job %d %.40q: %w", i, j.Name, err)
		} else {
			all += int64(j.Maps) + int64(j.Reduces)
		}
		names[j.Name] = true
	}
	if all > maxAllTasks {
		fault("%d tasks in all jobs, at most %d", all, maxAllTasks)
	}
	blocks := int64(0)
	for _, f := range w.Files {
		switch {
		case f.Blocks < 1 || f.Blocks > maxTasks || f.Replicas < 0 || f.Replicas > MaxReplicas:
			fault("file %.40q: %d blocks of %d replicas", f.Name, f.Blocks, f.Replicas)
		default:
			blocks += int64(f.Blocks) * int64(max(f.Replicas, 1))
		}
	}
	if blocks > maxAllTasks {
		fault("%d replicas of blocks in all files, at most %d", blocks, maxAllTasks)
	}
	if more > 0 {
		faults = append(faults, fmt.Errorf("workload: and %d more faults", more))
	}
	return errors.Join(faults...)
}

// maxFaults is how many faults of a workload are told; the others are counted.
const maxFaults = 20

// check reports the first fault of a job; names holds the jobs before it.
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

// checkTraced reports the first fault of what a trace has given.
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

// Bin gives the class of a job by its number of maps: the nine bins of [Zaharia10 Table 2].
func Bin(maps int) string {
	for i, top := range [...]int{1, 2, 20, 60, 150, 300, 500, 1500} {
		if maps <= top {
			return fmt.Sprintf("bin %d", i+1)
		}
	}
	return "bin 9"
}
