package allocation

import (
	"errors"
	"fmt"
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

// Bounds of what is said of a file: more problems are counted, and longer reasons cut.
const (
	maxProblems = 50
	maxReason   = 1000 // bytes
)

// faults gathers the problems and warnings of one file, or of several that are read together.
type faults struct {
	file     string
	errs     []*Problem
	warnings []*Problem
	more     [2]int // errors and warnings beyond maxProblems
}

// add notes an error.
func (f *faults) add(line int, format string, args ...any) {
	f.addCause(nil, line, format, args...)
}

// addCause notes an error that has a cause to be found by errors.Is.
func (f *faults) addCause(cause error, line int, format string, args ...any) {
	if len(f.errs) >= maxProblems {
		f.more[0]++
		return
	}
	f.errs = append(f.errs, f.problem(line, cause, format, args...))
}

// warn notes something legal that is surely not meant.
func (f *faults) warn(line int, format string, args ...any) {
	if len(f.warnings) >= maxProblems {
		f.more[1]++
		return
	}
	f.warnings = append(f.warnings, f.problem(line, nil, format, args...))
}

// noted is the warnings, with a last one that counts those left out.
func (f *faults) noted() []*Problem {
	if f.more[1] > 0 {
		return append(f.warnings, f.problem(0, nil, "and %d more warnings", f.more[1]))
	}
	return f.warnings
}

func (f *faults) problem(line int, cause error, format string, args ...any) *Problem {
	reason := fmt.Sprintf(format, args...)
	if len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason], "") + "…"
	}
	return &Problem{File: f.file, Line: line, Reason: reason, cause: cause}
}

// err is all errors together, or nil.
func (f *faults) err() error {
	list := make([]error, len(f.errs), len(f.errs)+1)
	for i, p := range f.errs {
		list[i] = p
	}
	if f.more[0] > 0 {
		list = append(list, f.problem(0, nil, "and %d more problems", f.more[0]))
	}
	return errors.Join(list...)
}
