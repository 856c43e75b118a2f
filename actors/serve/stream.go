package serve

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
)

const (
	streamEvery = 50 * time.Millisecond // between two writes to a reader, so that many events are one of them
	streamShare = 2 * time.Millisecond  // between two writes to any of many readers, on average
	streamMost  = 500 * time.Millisecond
	keepAlive   = 15 * time.Second // after so long without an event a comment shows that the stream lives
)

// allEvents streams the events of the cluster. With state=true what is still true of events that are
// gone comes in their place.
func (s *Server) allEvents(w http.ResponseWriter, r *http.Request, _ caller) error {
	state := r.URL.Query().Get("state")
	if state != "" && state != "true" && state != "false" {
		return badRequest("state=%.20q: want true or false", state)
	}
	return s.stream(w, r, nil, nil, state == "true")
}

// jobEvents streams the events of a job, to its end.
func (s *Server) jobEvents(w http.ResponseWriter, r *http.Request, _ caller) error {
	j, err := s.jobOf(r)
	if err != nil {
		return err
	}
	owned := map[scheduling.JobID]bool{}
	keep := func(l *line) (bool, <-chan struct{}) {
		is, known := owned[l.is.Job]
		if known || l.is.Job == 0 {
			return is, nil
		}
		is, wait := j.owns(l.is.Job)
		if wait == nil {
			owned[l.is.Job] = is
		}
		return is, wait
	}
	return s.stream(w, r, keep, j, false)
}

// position is the number of the event that a reader wants first: the one behind Last-Event-ID. Of
// another process of the server, or none: the oldest there is.
func (s *Server) position(r *http.Request) uint64 {
	boot, text, _ := strings.Cut(r.Header.Get("Last-Event-ID"), "-")
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || boot != s.boot {
		return 1
	}
	return n + 1
}

// stream sends events as server-sent events, until the reader goes, or is too slow: a write that
// the reader does not take within the idle limit ends the stream, and the reader resumes with
// Last-Event-ID. of, if not nil, is the job whose end is that of the stream.
//
// keep tells whether an event belongs to the stream; where that is not known yet it gives a channel
// that is closed when it may be. With nil all belong to it.
func (s *Server) stream(
	w http.ResponseWriter, r *http.Request, keep func(*line) (bool, <-chan struct{}), of *job, state bool,
) error {
	if !s.events.attach() {
		return busy("too-many-streams", "too many streams of events; try again later")
	}
	defer s.events.detach()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Transfer-Encoding", "identity") // not in chunks, each of which net/http writes in three parts
	w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(w).Flush() // who connects hears so, whenever the first event comes
	out := &streamWriter{w: w, control: http.NewResponseController(w), idle: s.cfg.limits.idle}
	_ = out.control.SetReadDeadline(time.Time{}) // there is no body to wait for: only what is written has a time
	tick := time.NewTicker(keepAlive)
	defer tick.Stop()
	next := s.position(r)
	for out.err == nil {
		over := of != nil && of.over() // before reading: what comes later is not of the job
		some, missed, wait := s.stretch(next, keep)
		switch {
		case missed > 0 && state:
			next = s.writeSnapshot(out)
			continue
		case missed > 0 && next > 1:
			out.printf("event: missed\ndata: {\"missed\":%d}\n\n", missed)
		}
		begun := some.next > next+missed
		next = some.next
		out.write(some.text)
		if wait == nil {
			if some.full {
				out.flush()
			} else if !out.rest(r.Context(), s.ended, s.events.beat()) {
				return nil
			}
			continue
		}
		if over && !begun {
			out.printf("id: %s-%d\nevent: end\ndata: {}\n\n", s.boot, next-1)
			out.flush()
			return nil
		}
		out.flush()
		select {
		case <-wait:
		case <-done(of):
		case <-tick.C:
			if _, err := s.cfg.Access.authenticate(r); err != nil {
				return nil // the token was taken away
			}
			out.printf(": still here\n\n")
			out.flush()
		case <-r.Context().Done():
			return nil
		case <-s.ended.Done():
			return nil
		}
	}
	return nil // the reader has gone
}

// stretch gives events from a number on, those that are to be kept, as broker.batch does.
func (s *Server) stretch(from uint64, keep func(*line) (bool, <-chan struct{})) (some batch, missed uint64, wait <-chan struct{}) {
	if keep == nil {
		return s.events.batch(from, s.boot)
	}
	list, missed, wait := s.events.read(from, batchEvents)
	some.next, some.full = from+missed, len(list) == batchEvents
	for _, l := range list {
		var is bool
		if is, wait = keep(l); wait != nil {
			break
		}
		some.next = l.number + 1
		if is {
			some.text = append(some.text, l.frame(s.boot)...)
		}
	}
	return some, missed, wait
}

// done is closed when a job has ended; nil is none.
func done(j *job) <-chan struct{} {
	if j == nil {
		return nil
	}
	return j.done
}

// streamWriter writes to a reader who must take what comes within some time.
type streamWriter struct {
	w        http.ResponseWriter
	control  *http.ResponseController
	idle     time.Duration
	gathered []byte
	err      error
}

const (
	mostGathered = 64 << 10 // is written at once; a reader that takes so much is none that takes nothing
	longText     = 8 << 10  // is not gathered, but written as it is
)

func (o *streamWriter) printf(format string, args ...any) {
	o.write(fmt.Appendf(nil, format, args...))
}

// write gathers text for the next flush.
func (o *streamWriter) write(text []byte) {
	if len(o.gathered)+len(text) > mostGathered {
		o.flush()
	}
	if len(text) > longText {
		o.flush()
		o.send(text)
		return
	}
	o.gathered = append(o.gathered, text...)
}

// flush writes what was gathered.
func (o *streamWriter) flush() {
	o.send(o.gathered)
	o.gathered = o.gathered[:0]
}

func (o *streamWriter) send(text []byte) {
	for len(text) > 0 && o.err == nil {
		n := min(len(text), mostGathered)
		_ = o.control.SetWriteDeadline(time.Now().Add(o.idle)) // tests have writers without
		if _, o.err = o.w.Write(text[:n]); o.err == nil {
			o.err = o.control.Flush()
		}
		text = text[n:]
	}
}

// rest writes what was gathered and lets more come together until the next beat; false if the reader has
// gone or the server ends.
func (o *streamWriter) rest(reader, server context.Context, beat <-chan struct{}) bool {
	o.flush()
	select {
	case <-beat:
		return true
	case <-reader.Done():
	case <-server.Done():
	}
	return false
}
