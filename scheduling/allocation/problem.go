package allocation

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrYARN is in the error of a file in the format of YARN's schedulers, which came after this one
// and shares its file names.
var ErrYARN = errors.New("this is the format of YARN, not that of MapReduce's own schedulers")

// Problem is one thing wrong with a file.
type Problem struct {
	File   string // as the caller named it; may be empty
	Line   int    // from 1; 0 if it concerns the file as a whole
	Reason string
	cause  error
}

// Error is "FILE:LINE: reason", "line LINE: reason" without a name, or "FILE: reason" without a
// line.
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

// Unwrap gives ErrYARN, the reader's error, or nil.
func (p *Problem) Unwrap() error { return p.cause }

// place is where something stands: a file and a line, 0 for the file as a whole.
type place struct {
	file string
	line int
}

// Bounds of what is said of a file: more problems are counted, and longer reasons cut.
const (
	maxProblems = 50
	maxReason   = 1000 // bytes
)

// faults gathers the problems and warnings of files that are read together.
type faults struct{ errs, warnings problems }

// problems are the first maxProblems, and how many more there are.
type problems struct {
	list []*Problem
	more int
}

// add adds an error.
func (f *faults) add(at place, format string, args ...any) { f.addCause(nil, at, format, args...) }

// addCause adds an error that has a cause to be found by errors.Is.
func (f *faults) addCause(cause error, at place, format string, args ...any) {
	f.errs.add(cause, at, format, args...)
}

// warn adds something legal that is surely not meant.
func (f *faults) warn(at place, format string, args ...any) { f.warnings.add(nil, at, format, args...) }

func (l *problems) add(cause error, at place, format string, args ...any) {
	if len(l.list) >= maxProblems {
		l.more++
		return
	}
	reason := fmt.Sprintf(format, args...)
	if len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason], "") + "…"
	}
	l.list = append(l.list, &Problem{File: at.file, Line: at.line, Reason: reason, cause: cause})
}

// all returns the problems, with a last one that counts those left out.
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

// err joins all errors; nil if there are none.
func (f *faults) err() error {
	var list []error
	for _, p := range f.errs.all("problems") {
		list = append(list, p)
	}
	return errors.Join(list...)
}

// noted returns all warnings.
func (f *faults) noted() []*Problem { return f.warnings.all("warnings") }
