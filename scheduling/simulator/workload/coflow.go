package workload

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Limits of a coflow trace.
const (
	maxRacks     = 100_000
	maxMegabytes = 1e9 // of one reduce, so that bytes are exact as floating-point numbers
	megabyte     = 1e6 // the trace does not define it; assumed to be 10^6 bytes
)

// readCoflows reads a trace of the coflow benchmark [Chowdhury15], such as FB2010-1Hr-150-0.txt:
// "racks coflows" in the first line, then in each line "id arrivalMs maps rack… reduces
// rack:megabytes…", separated by spaces, racks from 0. It rejects missing or surplus columns,
// negative or huge numbers, decreasing times, and a wrong number of coflows in the first line.
//
// A coflow is the shuffle of one job. The trace merges all maps of a rack, and all reduces of a
// rack; coflowJob converts it.
func readCoflows(r io.Reader, o *TraceOptions) (w Workload, line int, err error) {
	w.Name = "coflows"
	racks, want, last := 0, -1, int64(0)
	line, err = w.addLines(r, 16<<20, func(line string) (_ *Job, err error) {
		p := columns{words: strings.Fields(line)}
		if want < 0 {
			racks, want, err = p.head()
			return nil, err
		}
		j, at, err := p.coflow(racks)
		switch {
		case err != nil:
			return nil, err
		case at < last:
			return nil, fmt.Errorf("time goes back from %dms to %dms", last, at)
		case len(w.Jobs) == want:
			return nil, fmt.Errorf("more than the %d coflows of the first line", want)
		}
		last = at
		j.Submit = time.Duration(float64(at)*o.TimeScale) * time.Millisecond
		return &j, nil
	})
	if err == nil && (len(w.Jobs) == 0 || len(w.Jobs) < want) {
		err = fmt.Errorf("%d coflows, the first line says %d", len(w.Jobs), max(want, 0))
	}
	return w, line, err
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

// coflow parses a line after the first: one coflow, and its arrival in milliseconds.
func (p *columns) coflow(racks int) (j Job, at int64, err error) {
	id := int(p.integer("id", math.MaxInt32))
	at = p.integer("arrival time", maxSeconds*1000)
	var maps, reduces []int32
	var bytes []int64
	for range p.integer("number of maps", int64(len(p.words)-1)) {
		maps = append(maps, int32(p.integer("rack of a map", int64(racks-1))))
	}
	total := int64(0)
	for range p.integer("number of reduces", int64(len(p.words)-1)) {
		rack, size := p.reduce(racks)
		reduces, bytes = append(reduces, rack), append(bytes, size)
		if total += size; total > MaxBytes {
			p.fail("more than %d bytes in one shuffle", MaxBytes)
			break
		}
	}
	if len(maps) == 0 || len(reduces) == 0 {
		p.fail("%d maps and %d reduces, want at least one of each", len(maps), len(reduces))
	}
	return coflowJob(id, maps, reduces, bytes), at, p.end()
}

// coflowJob returns a job whose shuffle is a coflow: a map in each of the racks maps, with an equal
// part of the shuffle, since traces have no more detail, and no other input; a reduce for each of
// reduces, the racks of the trace, with its bytes.
func coflowJob(id int, maps, reduces []int32, bytes []int64) Job {
	j := Job{
		Name: fmt.Sprintf("coflow%d", id), User: fmt.Sprintf("user%d", id), Class: coflowClasses[len(coflowClasses)-1].name,
		Maps: len(maps), MapRacks: maps, Reduces: len(reduces), ReduceRacks: reduces, Partitions: bytes,
	}
	for _, b := range bytes {
		j.ShuffleBytes += b
	}
	if i := slices.IndexFunc(coflowClasses[:], func(c coflowClass) bool { return len(maps) <= c.high }); i >= 0 {
		j.Class = coflowClasses[i].name
	}
	return j
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

// CoflowRacks is the number of racks of Facebook's cluster in the coflow benchmark, used by
// DrawCoflows.
const CoflowRacks = 150

// DrawCoflows draws shuffles with the distribution of FB2010-1Hr-150-0.txt, whose file cannot be
// shipped: 526 in an hour over 150 racks. The number of map racks follows the classes of the file,
// log-uniform within each. A shuffle's bytes are lognormal (sigma 1) about the mean of its class,
// in proportion to its map racks. Racks are random, and reduces differ by a lognormal factor of
// sigma 0.5.
func DrawCoflows(r *rand.Rand, coflows int) Workload {
	gaps := Dist{Exponential, 3600.0 / 526, 0}
	w := Workload{Name: "coflows"}
	var at time.Duration
	for i := range coflows {
		x, k := r.Float64()*526, 0
		for x -= coflowClasses[0].coflows; x >= 0 && k+1 < len(coflowClasses); x -= coflowClasses[k].coflows {
			k++
		}
		class := coflowClasses[k]
		maps := someRacks(r, logUniform(r, class.low, class.high))
		reduces := someRacks(r, logUniform(r, class.least, class.most))
		weight, sum := make([]float64, len(reduces)), 0.0
		for p := range weight {
			weight[p] = math.Exp(float64(0.5 * r.NormFloat64()))
			sum += weight[p]
		}
		low, beyond := float64(class.low), float64(class.high+1)
		racks := float64(len(maps)) * math.Log(beyond/low) / (beyond - low)                // relative to the class's mean
		total := racks * class.bytes / class.coflows * 1e3 * math.Exp(r.NormFloat64()-0.5) // megabytes
		bytes := make([]int64, len(reduces))
		for p, x := range weight {
			bytes[p] = int64(max(1, math.Round(total*x/sum)) * megabyte)
		}
		j := coflowJob(i+1, maps, reduces, bytes)
		j.Submit = at.Truncate(time.Millisecond)
		w.Jobs = append(w.Jobs, j)
		at += gaps.Span(r)
	}
	return w
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
