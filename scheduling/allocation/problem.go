package allocation

import (
	"errors"
	"fmt"
)

// ErrYARN is in the error of a file in the format of YARN's schedulers, which came after this one and shares its file names.
var ErrYARN = errors.New("this is the format of YARN, not that of MapReduce's own schedulers")

// Problem is one thing wrong with a file.
type Problem struct {
	File   string // as the caller named it; may be empty
	Line   int    // from 1; 0 if it concerns the file as a whole
	Reason string
	cause  error
}

// Error is "FILE:LINE: reason", "line LINE: reason" without a name, or "FILE: reason" without a line.
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

// faults gathers the problems and warnings of one file.
type faults struct {
	file     string
	errs     []*Problem
	warnings []*Problem
}

// add notes an error.
func (f *faults) add(line int, format string, args ...any) {
	f.errs = append(f.errs, f.problem(line, nil, format, args...))
}

// addCause notes an error that has a cause to be found by errors.Is.
func (f *faults) addCause(cause error, line int, format string, args ...any) {
	f.errs = append(f.errs, f.problem(line, cause, format, args...))
}

// warn notes something legal that is surely not meant.
func (f *faults) warn(line int, format string, args ...any) {
	f.warnings = append(f.warnings, f.problem(line, nil, format, args...))
}

func (f *faults) problem(line int, cause error, format string, args ...any) *Problem {
	return &Problem{File: f.file, Line: line, Reason: fmt.Sprintf(format, args...), cause: cause}
}

// err is all errors together, or nil.
func (f *faults) err() error {
	list := make([]error, len(f.errs))
	for i, p := range f.errs {
		list[i] = p
	}
	return errors.Join(list...)
}
