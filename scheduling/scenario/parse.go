package scenario

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/internal/textfile"
)

// Limits of a scenario; one that exceeds them is rejected.
const (
	maxLine       = 64 << 10 // bytes
	maxStatements = 100_000
	maxNumber     = 1_000_000        // of anything
	maxNodes      = 10_000           // of a cluster
	maxSlots      = 200_000          // of a cluster, per kind
	maxTime       = 1000 * time.Hour // of a statement, and of the end of a run
	maxBeats      = 20_000_000       // of all nodes in a run
)

// statement is one line of a scenario.
type statement struct {
	line     int
	timed    bool
	at       time.Duration
	verb     string
	args     []string
	expected []string // after =>; {"-"} for nothing
	asks     bool     // has =>
	text     string   // without the comment
}

// fault is an error with the line of the scenario that it is about.
type fault struct {
	line int
	err  error
}

func (f *fault) Error() string { return fmt.Sprintf("%d: %v", f.line, f.err) }
func (f *fault) Unwrap() error { return f.err }

// parse returns the statements of a scenario. It rejects decreasing times and a wrong order.
func parse(r io.Reader) ([]statement, error) {
	var list []statement
	n, err := textfile.EachLine(r, maxLine, func(n int, line string) error {
		text, _, _ := strings.Cut(line, "#")
		if text = strings.TrimSpace(text); text == "" {
			return nil
		}
		s, err := parseLine(text)
		if err == nil {
			err = s.follows(list)
		}
		s.line = n
		if list = append(list, s); err == nil && len(list) > maxStatements {
			err = fmt.Errorf("more than %d statements", maxStatements)
		}
		return err
	})
	if err != nil {
		return nil, &fault{n, err}
	}
	if len(list) < 2 {
		return nil, &fault{1, fmt.Errorf("a scenario needs a cluster and a scheduler")}
	}
	return list, nil
}

func parseLine(text string) (statement, error) {
	s := statement{text: text}
	left, right, asks := strings.Cut(text, "=>")
	words := strings.Fields(left)
	s.asks = asks
	if asks {
		if s.expected = strings.Fields(right); len(s.expected) == 0 {
			return s, fmt.Errorf("nothing after => (write - for none)")
		}
	}
	if len(words) > 0 && words[0] == "at" {
		if len(words) < 3 {
			return s, fmt.Errorf("want: at TIME STATEMENT")
		}
		at, err := time.ParseDuration(words[1])
		if err != nil || at < 0 || at > maxTime {
			return s, fmt.Errorf("%.40q is not a time from 0s to %v", words[1], maxTime)
		}
		s.timed, s.at, words = true, at, words[2:]
	}
	if len(words) == 0 {
		return s, fmt.Errorf("no statement")
	}
	s.verb, s.args = words[0], words[1:]
	return s, nil
}

// follows checks that s may come after the statements so far.
func (s *statement) follows(before []statement) error {
	for i, first := range []string{"cluster", "scheduler"} {
		if (len(before) == i) != (s.verb == first) {
			return fmt.Errorf("statement %d must be %s, and no other", i+1, first)
		}
	}
	if len(before) == 0 {
		return nil
	}
	last := before[len(before)-1]
	switch {
	case last.verb == "run":
		return fmt.Errorf("run must be the last statement")
	case !s.timed && last.timed && s.verb != "run":
		return fmt.Errorf("a statement without a time must come before the first at")
	case s.timed && s.at < last.at:
		return fmt.Errorf("time goes backwards: %v after %v", s.at, last.at)
	}
	return nil
}

// options parses arguments of the form name=value. It refuses repeated names.
func options(words []string) map[string]string {
	m := map[string]string{}
	for _, w := range words {
		name, value, ok := strings.Cut(w, "=")
		if !ok || value == "" {
			refuse("%.40q is not of the form option=value", w)
		}
		if _, twice := m[name]; twice {
			refuse("option %s twice", name)
		}
		m[name] = value
	}
	return m
}

// table has the options of a statement by name, each with the function that reads its value. The
// function returns false if the value has the wrong form or is out of range.
type table map[string]func(text string) bool

// read parses arguments of the form name=value and reads their values. It refuses options that are
// not in the table.
func (t table) read(words []string) {
	m := options(words)
	for _, name := range slices.Sorted(maps.Keys(m)) {
		switch read := t[name]; {
		case read == nil:
			refuse("unknown option %.40q", name)
		case !read(m[name]):
			refuse("bad value %s=%.40s", name, m[name])
		}
	}
}

// within returns a function that sets *to to a value from least to most.
func within[T cmp.Ordered](to *T, parse func(string) (T, error), least, most T) func(string) bool {
	return func(text string) bool {
		x, err := parse(text)
		if err != nil || !(x >= least && x <= most) {
			return false
		}
		*to = x
		return true
	}
}

func whole(to *int, least int) func(string) bool { return within(to, strconv.Atoi, least, maxNumber) }

func span(to *time.Duration) func(string) bool {
	return within(to, time.ParseDuration, 0, 1000*maxTime)
}

func word(to *string) func(string) bool {
	return func(text string) bool {
		*to = text
		return true
	}
}
