package main

import (
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"
)

// status is how far a job is.
type status struct {
	Maps, MapsDone       int
	Reduces, ReducesDone int
	Map, Reduce          float64 // done, counting running tasks by their part; 0 to 1
	Records              int64   // input records read by maps
	Bytes, TotalBytes    int64   // input bytes read by maps, of how many; a total of 0 is unknown
	Local, Rack, Off     int     // maps launched on a node with their block, in its rack, elsewhere
	Spilled              int64   // bytes written to spill files
	Elapsed              time.Duration
}

// The times of progress, all short enough for a person who waits.
const (
	linesEvery = 2 * time.Second        // between plain lines, of which the first is due after as long
	barsAfter  = 150 * time.Millisecond // a shorter job shows no bars
	barsEvery  = 100 * time.Millisecond
)

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
	text += fmt.Sprintf(", %s records", humanCount(s.Records))
	if launched := s.Local + s.Rack + s.Off; launched > 0 {
		text += fmt.Sprintf(", %d%% node-local", 100*s.Local/launched)
	}
	return text + ", spilled " + humanBytes(s.Spilled)
}

// percent rounds down, so that 100 means done.
func percent(x float64) int { return int(100 * min(max(x, 0), 1)) }

// humanCount is n with three digits or so.
func humanCount(n int64) string {
	if n < 10_000 {
		return fmt.Sprint(n)
	}
	return strings.TrimSuffix(humanBytes(n), "B")
}

// wantsBars reports whether w is a terminal on which lines can be drawn over.
func (p *program) wantsBars() bool {
	f, ok := p.stderr.(interface{ Fd() uintptr })
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return false
	}
	if t, _ := p.getenv("TERM"); t == "dumb" {
		return false
	}
	ci, _ := p.getenv("CI")
	return ci == ""
}

// showProgress shows what poll tells until stop is called: bars on a terminal, a line now and then elsewhere.
func (p *program) showProgress(poll func() status) (stop func()) {
	quit, ended := make(chan struct{}), make(chan struct{})
	show := progressLines
	if p.wantsBars() {
		show = progressBars
	}
	go func() {
		defer close(ended)
		show(p.stderr, poll, quit)
	}()
	return func() {
		close(quit)
		<-ended
	}
}

// progressLines writes a line whenever it says something new.
func progressLines(w io.Writer, poll func() status, quit <-chan struct{}) {
	tick := time.NewTicker(linesEvery)
	defer tick.Stop()
	last := ""
	for {
		select {
		case <-tick.C:
			if line := poll().line(); line != last {
				fmt.Fprintln(w, line)
				last = line
			}
		case <-quit:
			return
		}
	}
}

// progressBars draws a bar for the maps and one for the reduces.
func progressBars(w io.Writer, poll func() status, quit <-chan struct{}) {
	select {
	case <-time.After(barsAfter):
	case <-quit:
		return
	}
	const full = 1000
	var details, left atomic.Pointer[string]
	details.Store(new(string))
	left.Store(new(string))
	bars := mpb.New(mpb.WithOutput(w), mpb.WithWidth(40), mpb.WithRefreshRate(barsEvery))
	bar := func(name string, text *atomic.Pointer[string]) *mpb.Bar {
		return bars.New(full, mpb.BarStyle(), mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(decor.Name(name, decor.WC{W: 7}), decor.Percentage(decor.WC{W: 5})),
			mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return *text.Load() })))
	}
	maps, reduces := bar("map", &details), bar("reduce", &left)
	tick := time.NewTicker(barsEvery)
	defer tick.Stop()
	for running := true; running; {
		now := poll()
		text, eta := now.details(), ""
		if d, ok := now.left(); ok {
			eta = fmt.Sprintf("about %v left", d)
		}
		details.Store(&text)
		left.Store(&eta)
		maps.SetCurrent(int64(min(now.Map, 0.999) * full))
		reduces.SetCurrent(int64(min(now.Reduce, 0.999) * full))
		select {
		case <-tick.C:
		case <-quit:
			running = false
		}
	}
	maps.Abort(true)
	reduces.Abort(true)
	bars.Wait()
}
