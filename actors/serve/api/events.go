package api

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

const (
	eventBytes  = 16 << 20               // of one line
	reconnectIn = 500 * time.Millisecond // after a stream that broke
)

// Events calls each for every event of a job, or with id 0 of the cluster, from the one behind last
// on; empty is the oldest that the server still has. It begins again by itself when the stream
// breaks, and ends when each returns an error, ctx ends, the server refuses, or the job has ended
// and all its events have come.
func (c *Client) Events(ctx context.Context, id int64, last string, each func(Event) error) error {
	path := ""
	if id != 0 {
		path = jobPath(id, "/events")
	}
	return c.EventsFrom(ctx, path, last, each)
}

// EventsFrom is Events of a path of the API, or of a query to those of the cluster: ?state=true has
// what is still true of events that are gone come first.
func (c *Client) EventsFrom(ctx context.Context, path, last string, each func(Event) error) error {
	if !strings.HasPrefix(path, "/") {
		path = "/events" + path
	}
	for {
		header := http.Header{"Accept": {"text/event-stream"}}
		if last != "" {
			header.Set("Last-Event-ID", last)
		}
		res, err := c.do(ctx, http.MethodGet, path, nil, header)
		if err != nil {
			return err
		}
		err = readEvents(res.Body, func(e Event) error {
			if e.ID != "" {
				last = e.ID
			}
			if e.Type == endOfEvents {
				return io.EOF
			}
			return each(e)
		})
		_ = res.Body.Close()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if _, broken := errors.AsType[*brokenError](err); !broken {
			return err
		}
		select {
		case <-time.After(reconnectIn):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// endOfEvents is the type of the last event of a job.
const endOfEvents = "end"

// brokenError is a stream that ended before its end.
type brokenError struct{ err error }

func (e *brokenError) Error() string { return fmt.Sprintf("the stream of events broke: %v", e.err) }

// readEvents reads a stream of server-sent events.
func readEvents(r io.Reader, each func(Event) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, eventBytes)
	var e Event
	for lines.Scan() {
		field, value, _ := bytes.Cut(lines.Bytes(), []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "id":
			e.ID = string(value)
		case "event":
			e.Type = string(value)
		case "data":
			e.Data = append(e.Data, value...)
		}
		if len(lines.Bytes()) > 0 || e.Type == "" {
			continue
		}
		if err := each(e); err != nil {
			return err
		}
		e = Event{}
	}
	err := lines.Err()
	if err == nil {
		err = io.ErrUnexpectedEOF
	}
	return &brokenError{err}
}
