package serve

import (
	"bufio"
	"cmp"
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
func (s *Server) allEvents(w http.ResponseWriter, r *http.Request, _ caller) (any, error) {
	state := r.URL.Query().Get("state")
	if state != "" && state != "true" && state != "false" {
		return nil, refuse("bad-request", "state=%.20q: want true or false", state)
	}
	return nil, s.stream(w, r, func(*line) bool { return true }, nil, state == "true")
}

// jobEvents answers with a stream of a job's events, until its end.
func (s *Server) jobEvents(w http.ResponseWriter, r *http.Request, _ caller, j *job) (any, error) {
	owned := map[scheduling.JobID]bool{}
	keep := func(l *line) bool {
		id := l.job()
		is, known := owned[id]
		if !known && id != 0 {
			is = j.owns(id)
			owned[id] = is
		}
		return is
	}
	return nil, s.stream(w, r, keep, j, false)
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

// pause returns the time from one write to a reader to the next. It grows with the number of
// streams, because each write costs the cluster's machine.
func (b *broker) pause() time.Duration {
	return min(max(streamEvery, time.Duration(b.streams.Load())*streamShare), streamMost)
}

// stream sends events as server-sent events until the reader disconnects or is too slow: if the
// reader does not accept a write within the idle limit, the stream ends and the reader can resume
// with Last-Event-ID. If `of` is not nil, the stream ends with that job.
//
// keep selects the events.
func (s *Server) stream(
	w http.ResponseWriter, r *http.Request, keep func(*line) bool, of *job, state bool,
) error {
	defer s.events.streams.Add(-1)
	if s.events.streams.Add(1) > int64(s.cfg.limits.watchers) {
		return refuse("too-many-streams", "too many streams of events; try again later")
	}
	out := s.beginStream(w)
	tick := time.NewTicker(keepAlive)
	defer tick.Stop()
	next := s.position(r)
	for out.Flush() == nil {
		over := of != nil && of.over() // checked before reading: later events do not belong to the job
		list, missed, wait := s.events.read(next)
		switch {
		case missed > 0 && state:
			next = s.writeSnapshot(out)
			continue
		case missed > 0 && next > 1:
			_, _ = fmt.Fprintf(out, "event: missed\ndata: {\"missed\":%d}\n\n", missed)
		}
		next += missed + uint64(len(list))
		for _, l := range list {
			if keep(l) {
				_, _ = out.Write(s.events.frame(l)) // Flush returns the error
			}
		}
		var ended <-chan struct{}
		if of != nil {
			ended = of.done
		}
		var pause <-chan time.Time
		switch {
		case len(list) == readMost:
			continue
		case wait == nil:
			pause, ended = time.After(s.events.pause()), nil
		case over:
			_, _ = fmt.Fprintf(out, "id: %s-%d\nevent: end\ndata: {}\n\n", s.boot, next-1)
			_ = out.Flush()
			return nil
		}
		_ = out.Flush() // if it fails, the request's context ends
		select {
		case <-wait:
		case <-pause:
		case <-ended:
		case <-tick.C:
			if _, err := s.cfg.Access.authenticate(r); err != nil {
				return nil // the token was revoked
			}
			_, _ = out.WriteString(": still here\n\n")
		case <-r.Context().Done():
			return nil
		case <-s.ended.Done():
			return nil
		}
	}
	return nil // the reader has disconnected
}

// beginStream answers with a stream and returns its buffer.
func (s *Server) beginStream(w http.ResponseWriter) *bufio.Writer {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Transfer-Encoding", "identity") // avoids chunks, for each of which net/http makes three writes
	w.WriteHeader(http.StatusOK)
	control := http.NewResponseController(w)
	_ = control.Flush()                      // tells the reader at once that it is connected
	_ = control.SetReadDeadline(time.Time{}) // no body follows: only writes have a deadline
	return bufio.NewWriterSize(&streamWriter{w, control, s.cfg.limits.idle}, streamPiece)
}

// streamPiece is the size of most writes, all but of longer events, so that a reader that accepts
// data slowly still meets the deadline.
const streamPiece = 64 << 10

// streamWriter sends pieces of text to a reader and gives each a deadline.
type streamWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	idle    time.Duration
}

// Write implements io.Writer.
func (o *streamWriter) Write(piece []byte) (int, error) {
	_ = o.control.SetWriteDeadline(time.Now().Add(o.idle)) // test writers do not support it
	n, err := o.w.Write(piece)
	return n, cmp.Or(err, o.control.Flush())
}
