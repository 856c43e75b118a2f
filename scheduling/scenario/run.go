package scenario

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// The exit codes of Run.
const (
	Passed     = 0 // every expectation holds
	Mismatch   = 1 // some expectation does not hold
	Unreadable = 2 // a file cannot be read or parsed
)

// Options of Run.
type Options struct {
	// Verbose prints every event with its answer, every launch, kill and suspension with its
	// reason, and for an idle slot the reason why each job waits.
	Verbose bool
	JSON    bool // one JSON object per event instead of text
	// Parts are custom parts of policies, for the options order, locality and reduce-placement of
	// the scheduler statement.
	Parts scheduling.Parts
	// Open opens files by name; nil opens local files.
	Open func(name string) (io.ReadCloser, error)
}

// outputLine is a line of JSON output.
type outputLine struct {
	File  string   `json:"file"`
	Line  int      `json:"line"`
	Event string   `json:"event,omitempty"`
	Got   string   `json:"got,omitempty"`
	Want  string   `json:"want,omitempty"`
	OK    *bool    `json:"ok,omitempty"`
	Notes []string `json:"notes,omitempty"`
	Error string   `json:"error,omitempty"`
}

// summary is the last line of JSON output.
type summary struct {
	Passed int `json:"passed"`
	Failed int `json:"failed"`
}

// runner runs scenario files, prints their results to out and counts the expectations.
type runner struct {
	out    io.Writer
	opts   Options
	file   string // the current one
	line   int    // of the statement that is interpreted
	passed int    // expectations that held
	failed int    // expectations that did not hold
}

// Run runs each scenario file. It writes to out the mismatches, the answers to questions without an
// expectation, and finally the number of expectations that held. Errors in a file are written to
// errOut. It returns the exit code.
func Run(out, errOut io.Writer, files []string, opts Options) int {
	if opts.Open == nil {
		opts.Open = func(name string) (io.ReadCloser, error) { return os.Open(name) }
	}
	r := &runner{out: out, opts: opts}
	code := Passed
	for _, file := range files {
		if err := r.runFile(file); err != nil {
			code = Unreadable
			r.reject(errOut, err)
		}
	}
	if opts.JSON {
		r.print(summary{r.passed, r.failed})
	} else {
		fmt.Fprintf(out, "%d passed, %d failed\n", r.passed, r.failed)
	}
	if code == Passed && r.failed > 0 {
		code = Mismatch
	}
	return code
}

// reject prints an error in the current file.
func (r *runner) reject(errOut io.Writer, err error) {
	f, placed := errors.AsType[*fault](err)
	switch {
	case r.opts.JSON && placed:
		r.print(outputLine{File: r.file, Line: f.line, Error: f.err.Error()})
	case r.opts.JSON:
		r.print(outputLine{File: r.file, Error: err.Error()})
	case placed:
		fmt.Fprintf(errOut, "%s:%v\n", r.file, f)
	default:
		fmt.Fprintf(errOut, "%s: %v\n", r.file, err)
	}
}

func (r *runner) print(v any) {
	line, _ := json.Marshal(v)
	fmt.Fprintf(r.out, "%s\n", line)
}

func (r *runner) runFile(file string) error {
	r.file = file
	f, err := r.opts.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	list, err := parse(f)
	if err != nil {
		return err
	}
	if err := interpret(func() { r.runList(list) }); err != nil {
		return &fault{r.line, err}
	}
	return nil
}

// runList runs parsed statements.
func (r *runner) runList(list []statement) {
	w, rest := r.setUp(list)
	if w.drive == nil {
		for _, s := range rest {
			r.line = s.line
			check(w.core.Update(s.at))
			r.perform(w, s)
		}
		return
	}
	last := rest[len(rest)-1]
	r.line = last.line
	w.drive.run(rest[:len(rest)-1], until(last), func(s statement) {
		r.line = s.line
		r.perform(w, s)
		r.line = last.line
	})
	for _, e := range last.expected {
		if name, _, _ := strings.Cut(e, "="); e != "-" {
			w.job(name)
		}
	}
	a := w.drive.answer()
	a.notes = r.actionsBefore(w)
	r.judge(last, a, true)
}

// actionsBefore prints what the cluster of a scenario with a run statement, which sends its
// heartbeats itself, did before the next statement. With --json it returns that instead, for the
// statement's JSON object.
func (r *runner) actionsBefore(w *world) []string {
	list := w.takeNotes()
	if r.opts.JSON {
		return list
	}
	r.printNotes(list)
	return nil
}

// printNotes prints notes, the actions of the core that -v shows.
func (r *runner) printNotes(list []string) {
	for _, n := range list {
		fmt.Fprintf(r.out, "    %s\n", n)
	}
}

// perform performs one timed statement. A cluster that drives itself asks for work anyway: there, a
// heartbeat is no question.
func (r *runner) perform(w *world, s statement) {
	var notes []string
	unasked := w.drive != nil && s.verb == "heartbeat"
	s.asks = s.asks && !unasked
	if w.drive != nil {
		notes = r.actionsBefore(w)
	}
	a, asks := w.play(s)
	a.notes = slices.Concat(notes, w.takeNotes(), a.notes)
	r.judge(s, a, asks && !unasked)
}

// judge counts and prints whether an answer is as expected. asked: s is a question, whose answer
// is printed even if nothing is expected.
func (r *runner) judge(s statement, a answer, asked bool) {
	ok := !s.asks || a.holds(s.expected)
	text, _, _ := strings.Cut(s.text, "=>") // without the expectation
	text = strings.TrimSpace(text)
	switch {
	case s.asks && ok:
		r.passed++
	case s.asks:
		r.failed++
	}
	switch line := (outputLine{File: r.file, Line: s.line, Event: text, Want: strings.Join(s.expected, " "), Notes: a.notes}); {
	case r.opts.JSON:
		if asked {
			line.Got = a.text()
		}
		if s.asks {
			line.OK = &ok
		}
		if s.asks || asked || r.opts.Verbose {
			r.print(line)
		}
		return
	case s.asks && !ok:
		fmt.Fprintf(r.out, "%s:%d: want %s, got %s\n", r.file, s.line, line.Want, a.text())
	case r.opts.Verbose && asked:
		fmt.Fprintf(r.out, "%s:%d: %s => %s\n", r.file, s.line, text, a.text())
	case r.opts.Verbose:
		fmt.Fprintf(r.out, "%s:%d: %s\n", r.file, s.line, text)
	case !s.asks && asked:
		fmt.Fprintf(r.out, "%s:%d: %s\n", r.file, s.line, a.text())
	}
	if r.opts.Verbose {
		r.printNotes(a.notes)
	}
}

// verbs are the words for events about an attempt.
var verbs = map[event.Type]string{
	event.Launched: "launch", event.Killed: "kill", event.Suspended: "suspend", event.Resumed: "resume",
}

// note records an event of the core, such as a launch, with its reason: a line of the output of -v.
// In a scenario that ends in run it begins with the event's time. Events that the scenario itself
// causes or asks for are not recorded.
func (w *world) note(e event.Event) {
	text := ""
	switch verb := verbs[e.Type]; {
	case e.Type == event.Need:
		text = fmt.Sprintf("pool %s may claim %v slots: %d", e.Pool, e.Kind, e.Need)
	case e.Type == event.Warning:
		text = "warning: " + e.Err
	case verb == "":
		return
	default:
		text = fmt.Sprintf("%s %s on %s", verb, w.nameOf(e.Attempt.Task), e.NodeName)
		if e.Reason.Cause != event.NoCause {
			text += ": " + e.Reason.String()
		}
		if e.Placed != nil && e.Placed.Center != "" {
			text += fmt.Sprintf("; preferred node %s at distance %d, here %d", e.Placed.Center, e.Placed.AtCenter, e.Placed.Here)
		}
	}
	if w.drive != nil {
		text = fmt.Sprintf("at %v: %s", e.At, text)
	}
	w.noted = append(w.noted, text)
}

// takeNotes returns the notes, lines about the core's events for -v, since the last call.
func (w *world) takeNotes() []string {
	list := w.noted
	w.noted = nil
	return list
}
