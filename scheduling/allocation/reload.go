package allocation

import (
	"bytes"
	"time"
)

// The times of Hadoop's Fair Scheduler: a change takes effect 10 to 15 seconds after it was made.
const (
	LookEvery = 10 * time.Second // time between checks of the file
	// settleAfter is the minimum age of a change, so that a half-written file is not read.
	settleAfter = 5 * time.Second
)

// Reloader decides when a changed configuration takes effect: a file, or several that count as one.
// It reads no clock and no file: time and content are arguments. Of a time only its distance to
// other times matters. A reload replaces everything or nothing: while the content has errors, the
// one loaded last stays effective, every check tries again, and the error is reported once until a
// load succeeds.
//
// A configuration counts as changed if its content differs, whatever the file's time: replacing a
// file with an older one, for example from a backup, loads it; touching it does not.
type Reloader struct {
	load   func(content []byte) error
	loaded []byte    // effective content; nil: none known
	looked time.Time // last check
	seen   time.Time // time of the file at the last check
	since  time.Time // first check at which the file had that time
	err    error     // why the content is not effective now
}

// NewReloader returns a Reloader that starts at time now with the content that is effective; nil
// means that it is not known, so that the first check loads. load makes a content effective, or
// returns an error and changes nothing.
func NewReloader(now time.Time, effective []byte, load func(content []byte) error) *Reloader {
	return &Reloader{load: load, loaded: bytes.Clone(effective), looked: now}
}

// Look is the result of a check.
type Look struct {
	Loaded bool  // another content is effective now
	Err    error // why the content cannot be loaded, even if it was reported before
	Report bool  // Err is new and should be reported
}

// Due reports whether it is time to check: LookEvery has passed since the last check.
func (r *Reloader) Due(now time.Time) bool { return now.Sub(r.looked) >= LookEvery }

// Offer checks a content that was last modified at a time: it loads it if it is time to check and
// the change is old enough.
func (r *Reloader) Offer(now, modified time.Time, content []byte) Look {
	if !r.Due(now) || !r.settled(now, modified) {
		return Look{Err: r.err}
	}
	return r.offer(content)
}

// Force loads content at once, for example on a signal or a request: it does not wait for the file
// to settle, and reports every error. Content that is already effective is neither loaded nor an
// error.
func (r *Reloader) Force(now time.Time, content []byte) Look {
	r.looked = now
	look := r.offer(content)
	look.Report = look.Err != nil
	return look
}

// Fail records that the file could not be read at time now.
func (r *Reloader) Fail(now time.Time, err error) Look {
	r.looked = now
	return r.fail(err)
}

// settled records a check and reports whether the file's last change is old enough. A file whose
// time is in the future, by another clock, has settled once that time has not changed for
// settleAfter.
func (r *Reloader) settled(now, modified time.Time) bool {
	r.looked = now
	if !modified.Equal(r.seen) || r.since.IsZero() {
		r.seen, r.since = modified, now
	}
	return now.Sub(modified) > settleAfter || now.Sub(r.since) > settleAfter
}

// offer loads content if it is new and valid.
func (r *Reloader) offer(content []byte) Look {
	if r.loaded != nil && bytes.Equal(content, r.loaded) {
		r.err = nil // the old text is back: the effective content is that of the file
		return Look{}
	}
	if err := r.load(content); err != nil {
		return r.fail(err)
	}
	r.loaded, r.err = append([]byte{}, content...), nil
	return Look{Loaded: true}
}

// fail records an error; only the first of several in a row is reported.
func (r *Reloader) fail(err error) Look {
	first := r.err == nil
	r.err = err
	return Look{Err: err, Report: first}
}
