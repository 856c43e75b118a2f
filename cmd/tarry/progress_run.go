package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/actors"
)

// status is how far a job is.
type status struct {
	Maps, MapsDone       int
	Reduces, ReducesDone int
	Map, Reduce          float64 // done, counting running tasks by their part; 0 to 1
	Records              int64   // input records read by maps; 0 where nobody counts them
	Bytes, TotalBytes    int64   // input bytes read by maps, of how many; a total of 0 is unknown
	Local, Rack, Off     int     // maps launched on a node with their block, in its rack, elsewhere
	Spilled              int64   // bytes written to spill files
	Elapsed              time.Duration
}

// statusOf is a job's progress as it is shown.
func statusOf(p actors.Progress) status {
	return status{
		Maps: p.Maps.Total, MapsDone: p.Maps.Done, Reduces: p.Reduces.Total, ReducesDone: p.Reduces.Done,
		Map: p.MapFraction, Reduce: p.ReduceFraction,
		Records: p.Records, Bytes: p.Bytes, TotalBytes: p.InputBytes,
		Local: p.NodeLocal, Rack: p.RackLocal, Off: p.OffRack,
		Spilled: p.Spilled, Elapsed: p.Elapsed,
	}
}

// runBars names the bars of a job.
func runBars() []string { return []string{"map", "reduce"} }

// progress is the status as a display shows it.
func (s status) progress() progress {
	eta := ""
	if left, ok := s.left(); ok {
		eta = fmt.Sprintf("about %v left", left)
	}
	return progress{line: s.line(), bars: []bar{{s.Map, s.details()}, {s.Reduce, eta}}}
}

// done is the part of the job that is done. Maps and reduces count by their numbers.
func (s status) done() float64 {
	tasks := float64(s.Maps + s.Reduces)
	if tasks == 0 {
		return 0
	}
	return (s.Map*float64(s.Maps) + s.Reduce*float64(s.Reduces)) / tasks
}

// left estimates the time to the end by the pace so far; false says that it is too early to tell.
func (s status) left() (time.Duration, bool) {
	d := s.done()
	if d < 0.01 || d >= 1 || s.Elapsed < time.Second {
		return 0, false
	}
	return time.Duration(float64(s.Elapsed) * (1 - d) / d).Round(time.Second), true
}

// line is the progress in one line, in Hadoop's form and then the details.
func (s status) line() string {
	b := new(strings.Builder)
	fmt.Fprintf(b, " map %d%% reduce %d%%, %s", percent(s.Map), percent(s.Reduce), s.details())
	if left, ok := s.left(); ok {
		fmt.Fprintf(b, ", about %v left", left)
	}
	return b.String()
}

// details are bytes, records, locality and spills.
func (s status) details() string {
	text := humanBytes(s.Bytes)
	if s.TotalBytes > 0 {
		text += " of " + humanBytes(s.TotalBytes)
	}
	if s.Records > 0 {
		text += fmt.Sprintf(", %s records", humanCount(s.Records))
	}
	if launched := s.Local + s.Rack + s.Off; launched > 0 {
		text += fmt.Sprintf(", %d%% node-local", 100*s.Local/launched)
	}
	return text + ", spilled " + humanBytes(s.Spilled)
}

// humanCount is n with three digits or so.
func humanCount(n int64) string {
	if n < 10_000 {
		return fmt.Sprint(n)
	}
	return strings.TrimSuffix(humanBytes(n), "B")
}
