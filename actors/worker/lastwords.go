package worker

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// verdict is the result of a task, which its worker writes as a line to standard error for the
// process that started it. A program that exits without a verdict has not run its task.
type verdict struct {
	Error     string `json:"error,omitempty"` // empty: the task has succeeded
	Permanent bool   `json:"permanent,omitempty"`
}

const (
	verdictMark = "tarry-task: "
	beatText    = "alive"  // after verdictMark: a heartbeat
	maxLine     = 64 << 10 // maximum bytes of a line; longer lines are split
	maxCrash    = 64 << 10 // maximum bytes kept of a crash report of the Go runtime
)

func verdictOf(err error) (v verdict) {
	if err != nil {
		v = verdict{err.Error(), cluster.IsPermanent(err)}
	}
	return v
}

func (v verdict) err() error {
	switch {
	case v.Permanent:
		return mapreduce.Permanent(errors.New(v.Error))
	case v.Error != "":
		return errors.New(v.Error)
	}
	return nil
}

// verdicts is the original standard error, in case user code replaces os.Stderr.
var verdicts io.Writer = os.Stderr

// tellVerdict writes this worker's result to the process that started it.
func tellVerdict(err error) {
	b, _ := json.Marshal(verdictOf(err)) // plain fields cannot fail
	_ = tellStarter(string(b))           // the starting process detects a missing verdict
}

// tellStarter writes a line to the process that started this worker.
func tellStarter(text string) error {
	_, err := fmt.Fprintf(verdicts, "%s%s\n", verdictMark, text)
	return err
}

// lineWriter passes what is written to it to each, line by line. Longer lines than maxLine are
// split.
type lineWriter struct {
	each func(line []byte)
	line []byte // incomplete
}

// Write implements io.Writer.
func (w *lineWriter) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		i := bytes.IndexByte(rest, '\n') + 1
		if i == 0 && len(w.line)+len(rest) < maxLine {
			w.line = append(w.line, rest...)
			break
		}
		if i == 0 {
			i = len(rest)
		}
		w.each(append(w.line, rest[:i]...))
		w.line, rest = w.line[:0], rest[i:]
	}
	return len(p), nil
}

// flush passes the last line, if it is incomplete.
func (w *lineWriter) flush() {
	if len(w.line) > 0 {
		w.each(w.line)
		w.line = nil
	}
}

// lastWords copies a worker's standard error, line by line, and keeps the cause of its end: the
// verdict, the Go runtime's crash report (for panics, stack overflows, concurrent map writes), or
// the last line.
type lastWords struct {
	lineWriter
	to    io.Writer
	told  *verdict
	beats atomic.Int64 // heartbeats
	crash []byte
	last  string
}

func newLastWords(to io.Writer) *lastWords {
	w := &lastWords{to: to}
	w.each = w.hear
	return w
}

func (w *lastWords) hear(line []byte) {
	if i := bytes.Index(line, []byte(verdictMark)); i >= 0 {
		if string(bytes.TrimSpace(line[i+len(verdictMark):])) == beatText {
			w.beats.Add(1)
			line = line[:i]
		} else if v := new(verdict); json.Unmarshal(line[i+len(verdictMark):], v) == nil {
			w.told, line = v, line[:i]
		}
	}
	_, _ = w.to.Write(line) // an error means that nobody reads it
	text := strings.TrimSpace(string(line))
	if len(w.crash) > 0 || strings.HasPrefix(text, "panic: ") || strings.HasPrefix(text, "fatal error: ") {
		w.crash = append(w.crash, line[:min(len(line), maxCrash-len(w.crash))]...)
	} else if text != "" {
		w.last = text
	}
}

// errSilent is the error of a worker that exited with 0 without having run its task.
var errSilent = mapreduce.Permanent(errors.New("the program ended, with code 0, before its task did: either the user's code ends the " +
	"process (as by os.Exit), or, started again with the same arguments, the program does not come to the same jobs"))

// explain returns why a worker failed, or nil; ended is the error of its process.
func (w *lastWords) explain(ended error) error {
	w.flush()
	x, exited := errors.AsType[*exec.ExitError](ended)
	crash := crashed(string(w.crash))
	switch {
	case w.told != nil:
		return w.told.err()
	case ended == nil:
		return errSilent
	case exited && crash != "":
		return errors.New(crash)
	case exited && x.Exited():
		err := fmt.Errorf("the user's code has ended the process, with code %d (as by os.Exit)", x.ExitCode())
		if w.last != "" {
			err = fmt.Errorf("%w: %.400s", err, w.last)
		}
		return err
	case exited && strings.HasSuffix(x.Error(), "killed"):
		return fmt.Errorf("its process: %w, as by the system when memory runs out", ended)
	}
	return fmt.Errorf("its process: %w", ended)
}

// crashed returns the cause of a crash from the Go runtime's report, in one line with the place in
// the user's code; "" if there was none.
func crashed(text string) string {
	why := ""
	for block := range strings.SplitSeq(text, "\n\n") {
		for line := range strings.Lines(block) {
			line = strings.TrimSpace(line)
			if why == "" && (strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ")) {
				why = line
			}
		}
		if i := strings.Index(block, "goroutine "); why != "" && i >= 0 {
			if at := cluster.StackPlace(block[i:]); at != "" {
				return why + " (" + at + ")"
			}
		}
	}
	return why
}
