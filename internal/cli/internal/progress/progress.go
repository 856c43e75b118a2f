// Package progress shows how far jobs and simulations are: in one line that is drawn over on a terminal,
// in a line now and then elsewhere.
package progress

import (
	"fmt"
	"io"
	"sync"
	"time"

	"golang.org/x/term"
)

// The times of progress, all short enough for a person who waits.
const (
	linesEvery = 2 * time.Second        // between lines that stay, of which the first is due after as long
	drawnAfter = 150 * time.Millisecond // what takes less draws no line
	drawnEvery = 100 * time.Millisecond
)

// Part is a line that says which part of something is done, 0 to 1, and more.
func Part(of string, part float64, text string) string {
	return fmt.Sprintf("%s %d%%, %s", of, percent(part), text)
}

// percent is a part as a whole number, rounded down so that 100 means done.
func percent(x float64) int { return int(100 * min(max(x, 0), 1)) }

// Display is where progress is shown, of one thing at a time. Other text for Out goes through the
// display, or it would be drawn over. Its methods are safe for concurrent use.
type Display struct {
	Out    io.Writer
	Getenv func(string) (string, bool)

	mu     sync.Mutex
	drawn  bool // a line is to be wiped
	hidden bool // for good
}

// Write writes to Out, in place of a line that is drawn.
func (d *Display) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.wipe()
	return d.Out.Write(p)
}

// wipe removes the line that is drawn.
func (d *Display) wipe() {
	if d.drawn {
		_, _ = io.WriteString(d.Out, "\r\x1b[K")
		d.drawn = false
	}
}

// Hide ends what is shown, and what would be.
func (d *Display) Hide() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.wipe()
	d.hidden = true
}

// Show shows what poll says until stop is called.
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
		d.mu.Lock()
		defer d.mu.Unlock()
		d.wipe()
	})
}

// show draws a line, or writes it if it is another than the last.
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

// columns is the width of the terminal that lines can be drawn over on; 0 is none.
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
