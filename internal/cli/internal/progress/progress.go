// Package progress shows the progress of jobs and simulations: on a terminal in one line that is
// redrawn, elsewhere in a new line every two seconds.
package progress

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dustin/go-humanize"
	"golang.org/x/term"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
)

// Intervals of progress lines.
const (
	linesEvery = 2 * time.Second        // between lines that stay, and before the first
	drawnAfter = 150 * time.Millisecond // before the first line; short work draws none
	drawnEvery = 100 * time.Millisecond
)

// Part returns a line such as "map 50%, text", for work of which a fraction, 0 to 1, is done.
func Part(work string, done float64, text string) string {
	return fmt.Sprintf("%s %d%%, %s", work, percent(done), text)
}

// percent returns a fraction as an integer, rounded down so that 100 means done.
func percent(x float64) int { return int(100 * min(max(x, 0), 1)) }

// Display shows the progress of one piece of work at a time. Write other text for Out through the
// Display, which otherwise draws over it. Its methods are safe for concurrent use.
type Display struct {
	Out    io.Writer
	Getenv func(string) (string, bool)

	mu     sync.Mutex
	drawn  bool // Out shows a line to erase
	hidden bool // for good
}

// Write writes to Out after erasing a drawn line.
func (d *Display) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.wipe()
	return d.Out.Write(p)
}

// wipe erases a drawn line.
func (d *Display) wipe() {
	if d.drawn {
		_, _ = io.WriteString(d.Out, "\r\x1b[K")
		d.drawn = false
	}
}

// Hide stops all progress, also later progress.
func (d *Display) Hide() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.wipe()
	d.hidden = true
}

// Show calls poll at intervals and shows the text that it returns, until stop is called.
func (d *Display) Show(poll func() string) (stop func()) {
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		every, wait := linesEvery, linesEvery
		if d.columns() > 0 {
			every, wait = drawnEvery, drawnAfter
		}
		for last := ""; ; wait = every {
			select {
			case <-time.After(wait):
				line := poll()
				d.show(line, last)
				last = line
			case <-quit:
				return
			}
		}
	}()
	return sync.OnceFunc(func() {
		close(quit)
		<-ended
		_, _ = d.Write(nil) // which erases the line
	})
}

// ShowLatest shows, at intervals, the text of the latest call of update, until stop is called.
func (d *Display) ShowLatest() (update func(text string), stop func()) {
	var last atomic.Value
	last.Store("")
	return func(text string) { last.Store(text) }, d.Show(func() string { return last.Load().(string) })
}

// show draws a line on a terminal; elsewhere it writes the line if it differs from the last one.
func (d *Display) show(line, last string) {
	columns := d.columns()
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.hidden:
	case columns > 0:
		text := []rune(line)
		_, _ = fmt.Fprintf(d.Out, "\r%s\x1b[K", string(text[:min(len(text), columns-1)]))
		d.drawn = true
	case line != last:
		fmt.Fprintln(d.Out, line)
	}
}

// columns returns the width of the terminal, or 0 if lines cannot be redrawn.
func (d *Display) columns() int {
	f, ok := d.Out.(interface{ Fd() uintptr })
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	kind, _ := d.Getenv("TERM")
	ci, _ := d.Getenv("CI")
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil || kind == "dumb" || ci != "" {
		return 0
	}
	return columns
}

// OfJob describes a job's progress: percentages in Hadoop's form, then bytes, records, locality and
// spills.
func OfJob(p actors.Progress) string {
	text := fmt.Sprintf("map %d%% reduce %d%%, %s", percent(p.MapFraction), percent(p.ReduceFraction), humanize.Bytes(uint64(p.Bytes)))
	if p.InputBytes > 0 {
		text += " of " + humanize.Bytes(uint64(p.InputBytes))
	}
	if p.Records >= 10_000 {
		text += ", " + humanize.SIWithDigits(float64(p.Records), 1, " records")
	} else if p.Records > 0 {
		text += ", " + words.Count(p.Records, "record")
	}
	if launched := p.NodeLocal + p.RackLocal + p.OffRack; launched > 0 {
		text += fmt.Sprintf(", %d%% node-local", 100*p.NodeLocal/launched)
	}
	text += ", spilled " + humanize.Bytes(uint64(p.Spilled))
	maps, reduces := float64(p.Maps.Total), float64(p.Reduces.Total)
	done := (p.MapFraction*maps + p.ReduceFraction*reduces) / max(maps+reduces, 1)
	if done < 0.01 || done >= 1 || p.Elapsed < time.Second { // too early to tell, or over
		return text
	}
	left := time.Duration(float64(p.Elapsed) * (1 - done) / done).Round(time.Second)
	return text + fmt.Sprintf(", about %v left", left)
}
