package scenario

import (
	"cmp"
	"errors"
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
	words    []string // verb and arguments
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
	s.words, s.asks = strings.Fields(left), asks
	if asks {
		if s.expected = strings.Fields(right); len(s.expected) == 0 {
			return s, fmt.Errorf("nothing after => (write - for none)")
		}
	}
	if len(s.words) > 0 && s.words[0] == "at" {
		if len(s.words) < 3 {
			return s, fmt.Errorf("want: at TIME STATEMENT")
		}
		at, err := time.ParseDuration(s.words[1])
		if err != nil || at < 0 || at > maxTime {
			return s, fmt.Errorf("%.40q is not a time from 0s to %v", s.words[1], maxTime)
		}
		s.timed, s.at, s.words = true, at, s.words[2:]
	}
	if len(s.words) == 0 {
		return s, fmt.Errorf("no statement")
	}
	return s, nil
}

// follows checks that s may come after the statements so far.
func (s *statement) follows(before []statement) error {
	verb := s.words[0]
	for i, first := range []string{"cluster", "scheduler"} {
		if (len(before) == i) != (verb == first) {
			return fmt.Errorf("statement %d must be %s, and no other", i+1, first)
		}
	}
	if len(before) == 0 {
		return nil
	}
	last := before[len(before)-1]
	switch {
	case last.words[0] == "run":
		return fmt.Errorf("run must be the last statement")
	case !s.timed && last.timed && verb != "run":
		return fmt.Errorf("a statement without a time must come before the first at")
	case s.timed && s.at < last.at:
		return fmt.Errorf("time goes backwards: %v after %v", s.at, last.at)
	}
	return nil
}

// options parses arguments of the form name=value. It rejects repeated names.
func options(words []string) (map[string]string, error) {
	m := map[string]string{}
	for _, w := range words {
		name, value, ok := strings.Cut(w, "=")
		if !ok || value == "" {
			return nil, fmt.Errorf("%.40q is not of the form option=value", w)
		}
		if _, twice := m[name]; twice {
			return nil, fmt.Errorf("option %s twice", name)
		}
		m[name] = value
	}
	return m, nil
}

// table has the options of a statement by name, each with the function that reads its value.
type table map[string]func(text string) error

// errValue is the error of a function in a table for a value of the wrong form or out of range.
var errValue = errors.New("bad value")

// read parses arguments of the form name=value and reads their values. It rejects options that are
// not in the table.
func (t table) read(words []string) error {
	m, err := options(words)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		read, text := t[name], m[name]
		if read == nil {
			return fmt.Errorf("unknown option %.40q", name)
		}
		if err := read(text); errors.Is(err, errValue) {
			return fmt.Errorf("%w %s=%.40s", err, name, text)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// within returns a function that sets *to to a value from least to most.
func within[T cmp.Ordered](to *T, parse func(string) (T, error), least, most T) func(string) error {
	return func(text string) error {
		x, err := parse(text)
		if err != nil || !(x >= least && x <= most) {
			return errValue
		}
		*to = x
		return nil
	}
}

func whole(to *int, least int) func(string) error {
	return within(to, strconv.Atoi, least, maxNumber)
}

func span(to *time.Duration) func(string) error {
	return within(to, time.ParseDuration, 0, 1000*maxTime)
}

func word(to *string) func(string) error {
	return func(text string) error {
		*to = text
		return nil
	}
}

// validName reports whether s consists of letters, digits, - and _.
func validName(s string) bool {
	for _, c := range s {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_') {
			return false
		}
	}
	return s != ""
}
