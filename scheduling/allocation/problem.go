package allocation

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrYARN matches the error for a file in the format of YARN's schedulers, which came later and use
// the same file names.
var ErrYARN = errors.New("this is the format of YARN, not that of MapReduce's own schedulers")

// Problem is one mistake in a file.
type Problem struct {
	File   string // as the caller named it; may be empty
	Line   int    // from 1; 0 if it concerns the whole file
	Reason string
	cause  error
}

// Error returns "FILE:LINE: reason", "line LINE: reason" without a name, or "FILE: reason" without
// a line.
func (p *Problem) Error() string {
	switch {
	case p.File != "" && p.Line > 0:
		return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Reason)
	case p.File != "":
		return p.File + ": " + p.Reason
	case p.Line > 0:
		return fmt.Sprintf("line %d: %s", p.Line, p.Reason)
	}
	return p.Reason
}

// Unwrap returns ErrYARN, the reader's error, or nil.
func (p *Problem) Unwrap() error { return p.cause }

// place is a file and a line, 0 for the whole file.
type place struct {
	file string
	line int
}

// Limits of the messages about a file: more problems are only counted, and longer reasons are cut.
const (
	maxProblems = 50
	maxReason   = 1000 // bytes
)

// faults collects the problems and warnings of files that are read together.
type faults struct{ errs, warnings problems }

// problems holds the first maxProblems problems and the number of further ones.
type problems struct {
	list []*Problem
	more int
}

// add adds a problem that makes the file invalid; an error given for %w is found by errors.Is.
func (f *faults) add(at place, format string, args ...any) { f.errs.add(at, format, args...) }

// warn adds a warning about a legal setting that is surely a mistake.
func (f *faults) warn(at place, format string, args ...any) { f.warnings.add(at, format, args...) }

func (l *problems) add(at place, format string, args ...any) {
	if len(l.list) >= maxProblems {
		l.more++
		return
	}
	err := fmt.Errorf(format, args...)
	reason := err.Error()
	if len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason], "") + "…"
	}
	l.list = append(l.list, &Problem{File: at.file, Line: at.line, Reason: reason, cause: errors.Unwrap(err)})
}

// all returns the problems and, if some were omitted, a last one with their number.
func (l problems) all(what string) []*Problem {
	if l.more == 0 {
		return l.list
	}
	return append(l.list, &Problem{File: l.list[0].File, Reason: fmt.Sprintf("and %d more %s", l.more, what)})
}

// sort sorts the problems by file, in the order of sources, and line.
func (l problems) sort(sources []Source) {
	rank := map[string]int{}
	for i, s := range sources {
		rank[s.Name] = i
	}
	slices.SortStableFunc(l.list, func(a, b *Problem) int {
		return cmp.Or(cmp.Compare(rank[a.File], rank[b.File]), cmp.Compare(a.Line, b.Line))
	})
}

// err joins all errors; nil if none.
func (f *faults) err() error {
	var list []error
	for _, p := range f.errs.all("problems") {
		list = append(list, p)
	}
	return errors.Join(list...)
}
