package workload

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// CoflowOptions configures the conversion of coflows to jobs. The zero value scales nothing.
type CoflowOptions struct {
	TimeScale   float64 // factor on arrival times; 0 means 1
	Jobs        int     // only the first N; 0 means all
	Map, Reduce Cost    // of every job
}

// FromCoflows converts coflows to jobs: a map in each of its racks, with an equal part of the
// shuffle, since the trace has no more detail, and no other input; a reduce for each of its
// reduces, with its bytes. The recorded places of reduces are not used, because the scheduler
// chooses them.
func FromCoflows(list []Coflow, o CoflowOptions) (Workload, error) {
	if o.Jobs > 0 && o.Jobs < len(list) {
		list = list[:o.Jobs]
	}
	o.TimeScale = cmp.Or(o.TimeScale, 1)
	if !(o.TimeScale > 0 && o.TimeScale <= 1e6) {
		return Workload{}, fmt.Errorf("workload: time scale %v is not between 0 and 1e6", o.TimeScale)
	}
	w := Workload{Name: "coflows"}
	for _, c := range list {
		w.Jobs = append(w.Jobs, Job{
			Name: fmt.Sprintf("coflow%d", c.ID), User: fmt.Sprintf("user%d", c.ID), Class: CoflowClass(len(c.Maps)),
			Submit: time.Duration(float64(c.Arrival.Milliseconds())*o.TimeScale) * time.Millisecond,
			Maps:   len(c.Maps), MapRacks: c.Maps, Reduces: len(c.Reduces), ShuffleBytes: c.Total(), Partitions: c.Bytes, Map: o.Map, Reduce: o.Reduce,
		})
	}
	return w, w.Validate()
}

// coflowClass is a group of shuffles by the number of racks with maps, from low to high.
type coflowClass struct {
	name      string
	low, high int
	// coflows is how many of the 526 coflows of FB2010-1Hr-150-0.txt are in the class; bytes is
	// their total size in gigabytes.
	coflows, bytes float64
	least, most    int // racks with reduces; chosen to give about the file's medians
}

// coflowClasses returns the classes, which cover 1 to 147 racks, in ascending order.
func coflowClasses() []coflowClass {
	return []coflowClass{
		{"1 rack", 1, 1, 175, 10, 1, 1},
		{"2-5 racks", 2, 5, 125, 109, 1, 2},
		{"6-20 racks", 6, 20, 105, 182, 1, 20},
		{"21-75 racks", 21, 75, 75, 1134, 5, 75},
		{"over 75 racks", 76, 147, 46, 33265, 60, 147},
	}
}

// CoflowClass returns the class of a shuffle for reports, such as "2-5 racks", by its map racks.
func CoflowClass(mapRacks int) string {
	list := coflowClasses()
	for _, c := range list[:len(list)-1] {
		if mapRacks <= c.high {
			return c.name
		}
	}
	return list[len(list)-1].name
}

// CoflowRacks is the number of racks of Facebook's cluster in the coflow benchmark, used by
// DrawCoflows.
const CoflowRacks = 150

// DrawCoflows draws shuffles with the distribution of FB2010-1Hr-150-0.txt, whose file cannot be
// shipped: 526 in an hour over 150 racks. The number of map racks follows the classes of the file,
// log-uniform within each. A shuffle's bytes are lognormal (sigma 1) about the mean of its class,
// in proportion to its map racks. Racks are random, and reduces differ by a lognormal factor of
// sigma 0.5.
func DrawCoflows(r *rand.Rand, coflows int) []Coflow {
	gaps := Dist{Exponential, 3600.0 / 526, 0}
	list := make([]Coflow, coflows)
	var at time.Duration
	for i := range list {
		classes, x, k := coflowClasses(), r.Float64()*526, 0
		for x -= classes[0].coflows; x >= 0 && k+1 < len(classes); x -= classes[k].coflows {
			k++
		}
		class := classes[k]
		c := &list[i]
		c.ID, c.Arrival = i+1, at.Truncate(time.Millisecond)
		c.Maps = someRacks(r, logUniform(r, class.low, class.high))
		c.Reduces = someRacks(r, logUniform(r, class.least, class.most))
		weight, sum := make([]float64, len(c.Reduces)), 0.0
		for p := range weight {
			weight[p] = math.Exp(float64(0.5 * r.NormFloat64()))
			sum += weight[p]
		}
		low, beyond := float64(class.low), float64(class.high+1)
		racks := float64(len(c.Maps)) * math.Log(beyond/low) / (beyond - low)              // relative to the class's mean
		total := racks * class.bytes / class.coflows * 1e3 * math.Exp(r.NormFloat64()-0.5) // megabytes
		for _, x := range weight {
			c.Bytes = append(c.Bytes, int64(max(1, math.Round(total*x/sum))*megabyte))
		}
		at += gaps.Span(r)
	}
	return list
}

// someRacks draws n of the CoflowRacks racks and returns them in ascending order.
func someRacks(r *rand.Rand, n int) []int32 {
	var racks []int32
	for _, k := range r.Perm(CoflowRacks)[:n] {
		racks = append(racks, int32(k))
	}
	slices.Sort(racks)
	return racks
}
