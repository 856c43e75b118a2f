package main

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"
)

// progress is what a display shows at a moment.
type progress struct {
	line string // everything, where lines are written
	bars []bar  // one for each name of the display
}

// bar is one bar of a display.
type bar struct {
	part float64 // done, 0 to 1
	text string  // beside it
}

// The times of progress, all short enough for a person who waits.
const (
	linesEvery = 2 * time.Second        // between plain lines, of which the first is due after as long
	barsAfter  = 150 * time.Millisecond // what takes less shows no bars
	barsEvery  = 100 * time.Millisecond
)

// percent rounds down, so that 100 means done.
func percent(x float64) int { return int(100 * min(max(x, 0), 1)) }

// wantsBars reports whether standard error is a terminal of known size on which lines can be drawn over.
func (p *program) wantsBars() bool {
	f, ok := p.stderr.(interface{ Fd() uintptr })
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return false
	}
	if _, rows, err := term.GetSize(int(f.Fd())); err != nil || rows == 0 {
		return false
	}
	if t, _ := p.getenv("TERM"); t == "dumb" {
		return false
	}
	ci, _ := p.getenv("CI")
	return ci == ""
}

// showProgress shows what poll tells until stop is called: a bar for each name on a terminal, a line now and then elsewhere.
func (p *program) showProgress(names []string, poll func() progress) (stop func()) {
	quit, ended := make(chan struct{}), make(chan struct{})
	bars := p.wantsBars()
	go func() {
		defer close(ended)
		if bars {
			progressBars(p.stderr, names, poll, quit)
		} else {
			progressLines(p.stderr, poll, quit)
		}
	}()
	hide := sync.OnceFunc(func() {
		close(quit)
		<-ended
	})
	p.display.show(hide)
	return hide
}

// display is what is shown at the moment.
type display struct {
	mu     sync.Mutex
	stop   func() // may be called again
	hidden bool   // for good
}

// show notes how to stop what is shown now.
func (d *display) show(stop func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stop = stop
	if d.hidden {
		stop()
	}
}

// hide ends what is shown, and what would be.
func (d *display) hide() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hidden = true
	if d.stop != nil {
		atMost(patience, d.stop) // a terminal may take nothing
	}
}

// progressLines writes a line whenever it says something new.
func progressLines(w io.Writer, poll func() progress, quit <-chan struct{}) {
	tick := time.NewTicker(linesEvery)
	defer tick.Stop()
	last := ""
	for {
		select {
		case <-tick.C:
			if line := poll().line; line != last {
				fmt.Fprintln(w, line)
				last = line
			}
		case <-quit:
			return
		}
	}
}

// progressBars draws a bar for each name.
func progressBars(w io.Writer, names []string, poll func() progress, quit <-chan struct{}) {
	select {
	case <-time.After(barsAfter):
	case <-quit:
		return
	}
	const full = 1000
	all := mpb.New(mpb.WithOutput(w), mpb.WithWidth(40), mpb.WithRefreshRate(barsEvery))
	texts := make([]atomic.Pointer[string], len(names))
	drawn := make([]*mpb.Bar, len(names))
	for i, name := range names {
		drawn[i] = all.New(full, mpb.BarStyle(), mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(decor.Name(name, decor.WC{W: 7, C: decor.DSyncWidth}), decor.Percentage(decor.WC{W: 5})),
			mpb.AppendDecorators(decor.Any(func(decor.Statistics) string {
				if text := texts[i].Load(); text != nil {
					return " " + *text
				}
				return ""
			})))
	}
	tick := time.NewTicker(barsEvery)
	defer tick.Stop()
	for running := true; running; {
		for i, b := range poll().bars {
			texts[i].Store(&b.text)
			drawn[i].SetCurrent(int64(min(b.part, 0.999) * full))
		}
		select {
		case <-tick.C:
		case <-quit:
			running = false
		}
	}
	for _, b := range drawn {
		b.Abort(true)
	}
	all.Wait()
}
