package allocation

import (
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
	File   string // as the caller named it
	Line   int    // from 1; 0 if it concerns the whole file
	Reason string
	cause  error
}

// Error returns "FILE:LINE: reason", or "FILE: reason" without a line.
func (p *Problem) Error() string {
	if p.Line == 0 {
		return p.File + ": " + p.Reason
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Reason)
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

// problems holds, by file, the first maxProblems problems in it and the number of all.
type problems map[string]*found

type found struct {
	list []*Problem
	all  int
}

// add adds a problem; an error given for %w is found by errors.Is.
func (l problems) add(at place, format string, args ...any) {
	in := l[at.file]
	if in == nil {
		in = new(found)
		l[at.file] = in
	}
	if in.all++; in.all > maxProblems {
		return
	}
	err := fmt.Errorf(format, args...)
	reason := err.Error()
	if len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason], "") + "…"
	}
	in.list = append(in.list, &Problem{File: at.file, Line: at.line, Reason: reason, cause: errors.Unwrap(err)})
}

// of returns the problems in a file by line and, if some were omitted, a last one with their
// number.
func (l problems) of(file, what string) []*Problem {
	in := l[file]
	if in == nil {
		return nil
	}
	slices.SortStableFunc(in.list, func(a, b *Problem) int { return a.Line - b.Line })
	if more := in.all - len(in.list); more > 0 {
		return append(in.list, &Problem{File: file, Reason: fmt.Sprintf("and %d more %s", more, what)})
	}
	return in.list
}
