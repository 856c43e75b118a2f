package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/tarry-mr/tarry/mapreduce"
)

// The exit codes; see the package comment.
const (
	exitFailed = 1
	exitUsage  = 2
	exitConfig = 3
	exitPipe   = 128 + int(syscall.SIGPIPE)
)

// exitError is an error with an exit code of its own.
type exitError struct {
	code int
	err  error
}

// Error is empty for an error that has been reported already.
func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usageError is a fault of the command line.
func usageError(format string, a ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, a...)}
}

// configError is an output that exists or a configuration that cannot work.
func configError(format string, a ...any) error {
	return &exitError{exitConfig, fmt.Errorf(format, a...)}
}

// exit reports err in one line and gives its exit code. What happened after a signal is the signal's doing.
func (p *program) exit(ctx context.Context, err error) int {
	if sig, ok := errors.AsType[*signalError](context.Cause(ctx)); ok {
		fmt.Fprintln(p.stderr, "tarry:", sig)
		return sig.code()
	}
	if err == nil {
		return 0
	}
	if errors.Is(err, syscall.EPIPE) { // whoever read our output has seen enough
		return exitPipe
	}
	if text := oneLine(err); text != "" {
		fmt.Fprintln(p.stderr, "tarry:", text)
	}
	var e *exitError
	switch {
	case errors.As(err, &e):
		return e.code
	case errors.Is(err, fs.ErrExist), errors.Is(err, mapreduce.ErrOutputExists):
		return exitConfig
	default:
		return exitFailed
	}
}

// asPathError finds the *fs.PathError in err.
func asPathError(err error) (*fs.PathError, bool) {
	var pe *fs.PathError
	ok := errors.As(err, &pe)
	return pe, ok
}
