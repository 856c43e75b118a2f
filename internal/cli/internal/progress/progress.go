// Package progress shows how far jobs and simulations are: bars on a terminal, a line now and then
// elsewhere.
package progress

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"
)

// State is what a display shows at a moment.
type State struct {
	Line string // everything, where lines are written
	Bars []Bar  // one for each name of the display
}

// Bar is one bar of a display.
type Bar struct {
	Part float64 // done, 0 to 1
	Text string  // beside it
}

// One is the state of a display with one bar: which part of what it is of is done, and a text.
func One(of string, part float64, text string) State {
	return State{Line: fmt.Sprintf(" %s %d%%, %s", of, Percent(part), text), Bars: []Bar{{part, text}}}
}

// The times of progress, all short enough for a person who waits.
const (
	linesEvery = 2 * time.Second        // between plain lines, of which the first is due after as long
	barsAfter  = 150 * time.Millisecond // what takes less shows no bars
	barsEvery  = 100 * time.Millisecond
)

// Percent is a part as a whole number, rounded down so that 100 means done.
func Percent(x float64) int { return int(100 * min(max(x, 0), 1)) }

// Display is where progress is shown, of one thing at a time. Whatever else goes to Out is written to
// the display, or it would be drawn over. Its methods are safe for concurrent use.
type Display struct {
	Out    io.Writer
	Getenv func(string) (string, bool)

	mu     sync.Mutex
	stop   func()        // may be called again
	hidden bool          // for good
	bars   *mpb.Progress // nil while none are drawn

	writing sync.Mutex // one write to Out at a time, but by bars
}

// Write writes to Out: above the bars, where some are drawn.
func (d *Display) Write(p []byte) (int, error) {
	d.mu.Lock()
	bars := d.bars
	d.mu.Unlock()
	if bars != nil {
		if n, err := bars.Write(p); !errors.Is(err, mpb.ErrDone) {
			return n, err
		}
	}
	d.writing.Lock()
	defer d.writing.Unlock()
	return d.Out.Write(p)
}

// Show shows what poll tells until stop is called: a bar for each name on a terminal, a line now
// and then elsewhere.
func (d *Display) Show(names []string, poll func() State) (stop func()) {
	quit, ended := make(chan struct{}), make(chan struct{})
	bars := d.wantsBars()
	go func() {
		defer close(ended)
		if bars {
			d.drawBars(names, poll, quit)
		} else {
			writeLines(d, poll, quit)
		}
	}()
	stop = sync.OnceFunc(func() {
		close(quit)
		<-ended
	})
	d.mu.Lock()
	d.stop = stop
	hidden := d.hidden
	d.mu.Unlock()
	if hidden {
		stop()
	}
	return stop
}

// wantsBars reports whether the display is a terminal of known size on which lines can be drawn
// over.
func (d *Display) wantsBars() bool {
	f, ok := d.Out.(interface{ Fd() uintptr })
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return false
	}
	if _, rows, err := term.GetSize(int(f.Fd())); err != nil || rows == 0 {
		return false
	}
	kind, _ := d.Getenv("TERM")
	ci, _ := d.Getenv("CI")
	return kind != "dumb" && ci == ""
}

// Hide ends what is shown, and what would be. It takes as long as a terminal that takes nothing.
func (d *Display) Hide() {
	d.mu.Lock()
	d.hidden = true
	stop := d.stop
	d.mu.Unlock()
	if stop != nil {
		stop()
	}
}

// writeLines writes a line whenever it says something new.
func writeLines(w io.Writer, poll func() State, quit <-chan struct{}) {
	tick := time.NewTicker(linesEvery)
	defer tick.Stop()
	last := ""
	for {
		select {
		case <-tick.C:
			if line := poll().Line; line != last {
				fmt.Fprintln(w, line)
				last = line
			}
		case <-quit:
			return
		}
	}
}

// drawBars draws a bar for each name.
func (d *Display) drawBars(names []string, poll func() State, quit <-chan struct{}) {
	select {
	case <-time.After(barsAfter):
	case <-quit:
		return
	}
	const full = 1000
	all := mpb.New(mpb.WithOutput(d.Out), mpb.WithWidth(40), mpb.WithRefreshRate(barsEvery),
		mpb.WithAutoRefresh()) // Out may be anything in tests
	d.draw(all)
	texts := make([]atomic.Pointer[string], len(names))
	drawn := make([]*mpb.Bar, len(names))
	for i, name := range names {
		title := decor.Name(name, decor.WC{W: 7, C: decor.DSyncWidth})
		beside := decor.Any(func(decor.Statistics) string {
			if text := texts[i].Load(); text != nil {
				return " " + *text
			}
			return ""
		})
		drawn[i] = all.New(full, mpb.BarStyle(), mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(title, decor.Percentage(decor.WC{W: 5})),
			mpb.AppendDecorators(beside))
	}
	tick := time.NewTicker(barsEvery)
	defer tick.Stop()
	for running := true; running; {
		for i, b := range poll().Bars {
			texts[i].Store(&b.Text)
			drawn[i].SetCurrent(int64(min(b.Part, 0.999) * full))
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
	d.draw(nil)
}

// draw says which bars others write above.
func (d *Display) draw(bars *mpb.Progress) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.bars = bars
}
