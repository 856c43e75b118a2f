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
	streamEvery = 50 * time.Millisecond // between two writes to a reader, to combine events
	streamShare = 2 * time.Millisecond  // minimum time between two writes to any reader, on average
	streamMost  = 500 * time.Millisecond
	keepAlive   = 15 * time.Second // time without an event after which a comment shows that the stream lives
)

// allEvents streams the events of the cluster. With state=true, events that restore the state
// replace dropped events.
func (s *Server) allEvents(w http.ResponseWriter, r *http.Request, _ caller) error {
	state := r.URL.Query().Get("state")
	if state != "" && state != "true" && state != "false" {
		return badRequest("state=%.20q: want true or false", state)
	}
	return s.stream(w, r, nil, nil, state == "true")
}

// jobEvents answers with a stream of a job's events, until its end.
func (s *Server) jobEvents(w http.ResponseWriter, r *http.Request, _ caller) error {
	j, err := s.jobOf(r)
	if err != nil {
		return err
	}
	owned := map[scheduling.JobID]bool{}
	keep := func(l *line) (bool, <-chan struct{}) {
		is, known := owned[l.change.Job]
		if known || l.change.Job == 0 {
			return is, nil
		}
		is, wait := j.owns(l.change.Job)
		if wait == nil {
			owned[l.change.Job] = is
		}
		return is, wait
	}
	return s.stream(w, r, keep, j, false)
}

// position returns the number of the first event that a reader wants: the one after Last-Event-ID.
// Without one, or with one of another server process, it is the oldest event.
func (s *Server) position(r *http.Request) uint64 {
	boot, text, _ := strings.Cut(r.Header.Get("Last-Event-ID"), "-")
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || boot != s.boot {
		return 1
	}
	return n + 1
}

// stream sends events as server-sent events until the reader disconnects or is too slow: if the
// reader does not accept a write within the idle limit, the stream ends and the reader can resume
// with Last-Event-ID. If `of` is not nil, the stream ends with that job.
//
// keep reports whether an event belongs to the stream; while that is unknown it returns a channel
// that is closed when it may be known. A nil keep accepts all events.
func (s *Server) stream(
	w http.ResponseWriter, r *http.Request, keep func(*line) (bool, <-chan struct{}), of *job, state bool,
) error {
	if !s.events.attach() {
		return busy("too-many-streams", "too many streams of events; try again later")
	}
	defer s.events.detach()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Transfer-Encoding", "identity") // avoids chunks, for each of which net/http makes three writes
	w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(w).Flush() // tells the reader at once that it is connected
	out := &streamWriter{w: w, control: http.NewResponseController(w), idle: s.cfg.limits.idle}
	_ = out.control.SetReadDeadline(time.Time{}) // no body follows: only writes have a deadline
	tick := time.NewTicker(keepAlive)
	defer tick.Stop()
	next := s.position(r)
	for out.err == nil {
		over := of != nil && of.over() // checked before reading: later events do not belong to the job
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
			if some.hasMore {
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
				return nil // the token was revoked
			}
			out.printf(": still here\n\n")
			out.flush()
		case <-r.Context().Done():
			return nil
		case <-s.ended.Done():
			return nil
		}
	}
	return nil // the reader has disconnected
}

// stretch is like broker.batch, for the events that keep accepts.
func (s *Server) stretch(from uint64, keep func(*line) (bool, <-chan struct{})) (some batch, missed uint64, wait <-chan struct{}) {
	if keep == nil {
		return s.events.batch(from, s.boot)
	}
	list, missed, wait := s.events.read(from, batchEvents)
	some.next, some.hasMore = from+missed, len(list) == batchEvents
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

// done returns the channel that is closed when j has ended; for a nil j, a nil channel.
func done(j *job) <-chan struct{} {
	if j == nil {
		return nil
	}
	return j.done
}

// streamWriter buffers writes to a reader and gives each write a deadline.
type streamWriter struct {
	w        http.ResponseWriter
	control  *http.ResponseController
	idle     time.Duration
	gathered []byte
	err      error
}

const (
	maxGathered = 64 << 10 // maximum size of one write, so that a reader that accepts data slowly still meets the deadline
	longText    = 8 << 10  // longer texts are written without buffering
)

func (o *streamWriter) printf(format string, args ...any) {
	o.write(fmt.Appendf(nil, format, args...))
}

// write buffers text for the next flush.
func (o *streamWriter) write(text []byte) {
	if len(o.gathered)+len(text) > maxGathered {
		o.flush()
	}
	if len(text) > longText {
		o.flush()
		o.send(text)
		return
	}
	o.gathered = append(o.gathered, text...)
}

// flush sends the buffered text to the reader.
func (o *streamWriter) flush() {
	o.send(o.gathered)
	o.gathered = o.gathered[:0]
}

func (o *streamWriter) send(text []byte) {
	for len(text) > 0 && o.err == nil {
		n := min(len(text), maxGathered)
		_ = o.control.SetWriteDeadline(time.Now().Add(o.idle)) // test writers do not support it
		if _, o.err = o.w.Write(text[:n]); o.err == nil {
			o.err = o.control.Flush()
		}
		text = text[n:]
	}
}

// rest flushes and waits for the next beat. It returns false if the reader has disconnected or the
// server ends.
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
