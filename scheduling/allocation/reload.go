package allocation

import (
	"bytes"
	"fmt"
	"io/fs"
	"time"
)

// The times of Hadoop's Fair Scheduler: a change is taken up 10 to 15 seconds after it was made.
const (
	LookEvery = 10 * time.Second // between looks at the file
	// settleAfter is the age of a change that is read: a file half written is not.
	settleAfter = 5 * time.Second
)

// Reloader decides when a changed configuration file takes effect. It reads no clock: now is an
// argument, and only its differences and its distance to the file's time count. Everything or
// nothing is replaced: while a file has errors, what was loaded last stays in force, the file is
// tried again at every look, and the error is to be reported once until a load succeeds again.
//
// What counts as changed is the content, not the order of times: a file that is replaced by an
// older one, as from a backup, is loaded; one that was only touched is not.
type Reloader[T any] struct {
	parse  func(content []byte) (T, error)
	loaded []byte    // content in force; nil: none is known
	looked time.Time // last look
	seen   time.Time // time of the file at the last look
	since  time.Time // first look at which the file had that time
	err    error     // why the file is not in force now
}

// NewStaleReloader starts with nothing that is known to be in force: the first look loads whatever
// is there.
func NewStaleReloader[T any](now time.Time, parse func(content []byte) (T, error)) *Reloader[T] {
	return &Reloader[T]{parse: parse, looked: now}
}

// Look is what a look at the file leads to.
type Look[T any] struct {
	Loaded bool  // Value is to be put in force
	Value  T     // zero unless Loaded
	Err    error // why the file cannot be loaded, also while it is not reported
	Report bool  // Err is new: tell somebody
}

// NewReloader starts with content, which must be right: at the start any error is fatal. It returns
// the value to begin with. parse must not keep the slice.
func NewReloader[T any](now time.Time, content []byte, parse func(content []byte) (T, error)) (*Reloader[T], T, error) {
	value, err := parse(content)
	if err != nil {
		var zero T
		return nil, zero, err
	}
	return &Reloader[T]{parse: parse, loaded: append([]byte{}, content...), looked: now}, value, nil
}

// Due tells whether it is time to look: LookEvery has passed since the last look.
func (r *Reloader[T]) Due(now time.Time) bool { return now.Sub(r.looked) >= LookEvery }

// Check looks at a file if it is time to, and reads it if it has settled. A file that is missing or
// cannot be read is an error like a wrong one.
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
		return Look[T]{Err: r.err} // somebody writes it now; the next look will tell
	}
	return r.offer(content)
}

// Offer is Check for a caller that has the file's time and content at hand.
func (r *Reloader[T]) Offer(now, modified time.Time, content []byte) Look[T] {
	if !r.Due(now) || !r.settled(now, modified) {
		return Look[T]{Err: r.err}
	}
	return r.offer(content)
}

// Force loads content at once, as on a signal or a request, whatever the time: without waiting for
// the file to settle, and reporting every error. A content that is in force already is neither
// loaded nor an error.
func (r *Reloader[T]) Force(now time.Time, content []byte) Look[T] {
	r.looked = now
	look := r.offer(content)
	look.Report = look.Err != nil
	return look
}

// Fail notes that the file cannot be read, as a look at now has shown.
func (r *Reloader[T]) Fail(now time.Time, err error) Look[T] {
	r.looked = now
	return r.fail(err)
}

// settled notes a look and tells whether the file's last change is old enough. A file whose time
// lies in the future, by another clock, has settled once that time has stood still for as long.
func (r *Reloader[T]) settled(now, modified time.Time) bool {
	r.looked = now
	if !modified.Equal(r.seen) || r.since.IsZero() {
		r.seen, r.since = modified, now
	}
	return now.Sub(modified) > settleAfter || now.Sub(r.since) > settleAfter
}

// offer loads content if it is new and right.
func (r *Reloader[T]) offer(content []byte) Look[T] {
	if r.loaded != nil && bytes.Equal(content, r.loaded) {
		r.err = nil // the old text is back: what is in force is what stands in the file
		return Look[T]{}
	}
	value, err := r.parse(content)
	if err != nil {
		return r.fail(err)
	}
	r.loaded, r.err = append([]byte{}, content...), nil
	return Look[T]{Loaded: true, Value: value}
}

// fail notes an error; the first of a row is to be reported.
func (r *Reloader[T]) fail(err error) Look[T] {
	first := r.err == nil
	r.err = err
	return Look[T]{Err: err, Report: first}
}
