package allocation

import (
	"bytes"
	"fmt"
	"io/fs"
	"time"
)

// The times of Hadoop's Fair Scheduler: a change takes effect 10 to 15 seconds after it was made.
const (
	LookEvery = 10 * time.Second // time between checks of the file
	// settleAfter is the minimum age of a change, so that a half-written file is not read.
	settleAfter = 5 * time.Second
)

// Reloader decides when a changed configuration file takes effect. It reads no clock: now is an
// argument, of which only differences, and the distance to the file's time, matter. A reload
// replaces everything or nothing: while a file has errors, the last loaded content stays effective,
// every check retries the file, and the error is reported once until a load succeeds.
//
// A file counts as changed if its content differs, whatever its time: replacing it with an older
// file, for example from a backup, loads it; touching it does not.
type Reloader[T any] struct {
	parse  func(content []byte) (T, error)
	loaded []byte    // effective content; nil: none known
	looked time.Time // last check
	seen   time.Time // time of the file at the last check
	since  time.Time // first check at which the file had that time
	err    error     // why the file is not effective now
}

// NewStaleReloader returns a Reloader without known content: the first check loads the file.
func NewStaleReloader[T any](now time.Time, parse func(content []byte) (T, error)) *Reloader[T] {
	return &Reloader[T]{parse: parse, looked: now}
}

// Look is the result of a check of the file.
type Look[T any] struct {
	Loaded bool  // the caller must apply Value
	Value  T     // zero unless Loaded
	Err    error // why the file cannot be loaded, even if it was reported before
	Report bool  // Err is new and should be reported
}

// NewReloader returns a Reloader that starts with content, and the value parsed from it. Any error
// in content is returned. parse must not keep the slice.
func NewReloader[T any](now time.Time, content []byte, parse func(content []byte) (T, error)) (*Reloader[T], T, error) {
	value, err := parse(content)
	if err != nil {
		var zero T
		return nil, zero, err
	}
	return &Reloader[T]{parse: parse, loaded: append([]byte{}, content...), looked: now}, value, nil
}

// Due reports whether it is time to check: LookEvery has passed since the last check.
func (r *Reloader[T]) Due(now time.Time) bool { return now.Sub(r.looked) >= LookEvery }

// Check checks a file if it is time to, and reads it if its last change is old enough. A file that
// is missing or unreadable is an error, like one with mistakes.
func (r *Reloader[T]) Check(now time.Time, fsys fs.FS, name string) Look[T] {
	if !r.Due(now) {
		return Look[T]{Err: r.err}
	}
	info, err := fs.Stat(fsys, name)
	if err != nil {
		r.looked = now
		return r.fail(fmt.Errorf("allocation: %w", err))
	}
	modified := info.ModTime()
	if !r.settled(now, modified) {
		return Look[T]{Err: r.err}
	}
	content, err := fs.ReadFile(fsys, name)
	if err != nil {
		return r.fail(fmt.Errorf("allocation: %w", err))
	}
	if after, err := fs.Stat(fsys, name); err != nil || !after.ModTime().Equal(modified) {
		return Look[T]{Err: r.err} // it is being written now; the next check will read it
	}
	return r.offer(content)
}

// Offer is like Check, for a caller that already has the file's time and content.
func (r *Reloader[T]) Offer(now, modified time.Time, content []byte) Look[T] {
	if !r.Due(now) || !r.settled(now, modified) {
		return Look[T]{Err: r.err}
	}
	return r.offer(content)
}

// Force loads content at once, for example on a signal or a request: it does not wait for the file
// to settle, and reports every error. Content that is already effective is neither loaded nor an
// error.
func (r *Reloader[T]) Force(now time.Time, content []byte) Look[T] {
	r.looked = now
	look := r.offer(content)
	look.Report = look.Err != nil
	return look
}

// Fail records that the file could not be read at time now.
func (r *Reloader[T]) Fail(now time.Time, err error) Look[T] {
	r.looked = now
	return r.fail(err)
}

// settled records a check and reports whether the file's last change is old enough. A file whose
// time is in the future, by another clock, has settled once that time has not changed for
// settleAfter.
func (r *Reloader[T]) settled(now, modified time.Time) bool {
	r.looked = now
	if !modified.Equal(r.seen) || r.since.IsZero() {
		r.seen, r.since = modified, now
	}
	return now.Sub(modified) > settleAfter || now.Sub(r.since) > settleAfter
}

// offer loads content if it is new and valid.
func (r *Reloader[T]) offer(content []byte) Look[T] {
	if r.loaded != nil && bytes.Equal(content, r.loaded) {
		r.err = nil // the old text is back: the effective content is that of the file
		return Look[T]{}
	}
	value, err := r.parse(content)
	if err != nil {
		return r.fail(err)
	}
	r.loaded, r.err = append([]byte{}, content...), nil
	return Look[T]{Loaded: true, Value: value}
}

// fail records an error; only the first of several in a row is reported.
func (r *Reloader[T]) fail(err error) Look[T] {
	first := r.err == nil
	r.err = err
	return Look[T]{Err: err, Report: first}
}
