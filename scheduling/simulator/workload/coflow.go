package workload

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/internal/textfile"
)

// Coflow is the shuffle of one job in a coflow trace: the racks of its maps, and the bytes that
// each of its reduces fetched. The trace merges all maps of a rack, and all reduces of a rack.
type Coflow struct {
	ID      int
	Arrival time.Duration
	Maps    []int32 // the rack of each map
	Reduces []int32 // the rack in which each reduce ran
	Bytes   []int64 // bytes that each reduce fetched
}

// Total returns the bytes of the shuffle.
func (c *Coflow) Total() (sum int64) {
	for _, b := range c.Bytes {
		sum += b
	}
	return sum
}

// Limits of a coflow trace.
const (
	maxRacks     = 100_000
	maxMegabytes = 1e9 // of one reduce, so that bytes are exact as floating-point numbers
	megabyte     = 1e6 // the trace does not define it; assumed to be 10^6 bytes
)

// ReadCoflows reads a trace of the coflow benchmark [Chowdhury15], such as FB2010-1Hr-150-0.txt:
// "racks coflows" in the first line, then in each line "id arrivalMs maps rack… reduces
// rack:megabytes…", separated by spaces, racks from 0. name is used in messages. It also returns
// the number of racks. Errors wrap ErrFormat. They report invalid text, missing or surplus columns,
// negative or huge numbers, decreasing times, and a wrong number of coflows in the first line.
func ReadCoflows(r io.Reader, name string) (list []Coflow, racks int, err error) {
	want := -1
	n, err := textfile.EachLine(r, 16<<20, func(_ int, line string) (err error) {
		p := columns{words: strings.Fields(line)}
		if want < 0 {
			racks, want, err = p.head()
			return err
		}
		c, err := p.coflow(racks)
		switch {
		case err != nil:
			return err
		case len(list) > 0 && c.Arrival < list[len(list)-1].Arrival:
			return fmt.Errorf("time goes back from %v to %v", list[len(list)-1].Arrival, c.Arrival)
		case len(list) == want:
			return fmt.Errorf("more than the %d coflows of the first line", want)
		}
		list = append(list, c)
		return nil
	})
	if err == nil && (len(list) == 0 || len(list) < want) {
		err = fmt.Errorf("%d coflows, the first line says %d", len(list), max(want, 0))
	}
	if err != nil {
		return nil, 0, refuse(name, max(n, 1), "%v", err)
	}
	return list, racks, nil
}

// head parses the first line: the number of racks and the number of coflows.
func (p *columns) head() (racks, coflows int, err error) {
	racks = int(p.integer("number of racks", maxRacks))
	coflows = int(p.integer("number of coflows", maxJobs))
	if racks == 0 {
		p.fail("no racks")
	}
	return racks, coflows, p.end()
}

// coflow parses a line after the first: one coflow.
func (p *columns) coflow(racks int) (c Coflow, err error) {
	c.ID = int(p.integer("id", math.MaxInt32))
	c.Arrival = time.Duration(p.integer("arrival time", maxSeconds*1000)) * time.Millisecond
	for range p.integer("number of maps", int64(len(p.words)-1)) {
		c.Maps = append(c.Maps, int32(p.integer("rack of a map", int64(racks-1))))
	}
	total := int64(0)
	for range p.integer("number of reduces", int64(len(p.words)-1)) {
		rack, size := p.reduce(racks)
		c.Reduces, c.Bytes = append(c.Reduces, rack), append(c.Bytes, size)
		if total += size; total > MaxBytes {
			p.fail("more than %d bytes in one shuffle", MaxBytes)
			break
		}
	}
	if len(c.Maps) == 0 || len(c.Reduces) == 0 {
		p.fail("%d maps and %d reduces, want at least one of each", len(c.Maps), len(c.Reduces))
	}
	return c, p.end()
}

// reduce parses the next word, "rack:megabytes"; size is in bytes.
func (p *columns) reduce(racks int) (rack int32, size int64) {
	word := p.next("rack of a reduce")
	place, text, found := strings.Cut(word, ":")
	if !found {
		p.fail("reduce %.40q is not rack:megabytes", word)
	}
	rack = int32(p.number("rack of a reduce", place, int64(racks-1)))
	mb, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil:
		p.fail("megabytes %.40q of a reduce are not a number", text)
	case !(mb >= 0 && mb <= maxMegabytes):
		p.fail("megabytes %v of a reduce are not between 0 and %g", mb, maxMegabytes)
	}
	return rack, int64(math.Round(mb * megabyte))
}

// FromCoflows converts coflows to jobs: a map in each of its racks, with an equal part of the
// shuffle, since the trace has no more detail, and no other input; a reduce for each of its
// reduces, with its bytes. The recorded places of reduces are not used, because the scheduler
// chooses them. Of the options, TimeScale, Jobs, Map and Reduce apply.
func FromCoflows(list []Coflow, o TraceOptions) (Workload, error) {
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
			Name: fmt.Sprintf("coflow%d", c.ID), User: fmt.Sprintf("user%d", c.ID), Class: classOf(len(c.Maps)),
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

// coflowClasses cover 1 to 147 racks, in ascending order.
var coflowClasses = [...]coflowClass{
	{"1 rack", 1, 1, 175, 10, 1, 1},
	{"2-5 racks", 2, 5, 125, 109, 1, 2},
	{"6-20 racks", 6, 20, 105, 182, 1, 20},
	{"21-75 racks", 21, 75, 75, 1134, 5, 75},
	{"over 75 racks", 76, 147, 46, 33265, 60, 147},
}

// classOf returns the class of a shuffle for reports, such as "2-5 racks", by its map racks.
func classOf(mapRacks int) (name string) {
	for _, c := range coflowClasses {
		if name = c.name; mapRacks <= c.high {
			break
		}
	}
	return name
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
		x, k := r.Float64()*526, 0
		for x -= coflowClasses[0].coflows; x >= 0 && k+1 < len(coflowClasses); x -= coflowClasses[k].coflows {
			k++
		}
		class := coflowClasses[k]
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
