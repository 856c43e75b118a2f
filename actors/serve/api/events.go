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
	eventBytes  = 16 << 20               // maximum length of a line
	reconnectIn = 500 * time.Millisecond // pause before reconnecting a broken stream
)

// Events calls each for every event of a job, or with id 0 of the cluster, after the event with ID
// last; an empty last means from the oldest event that the server still has. It reconnects when the
// stream breaks. It returns when each returns an error, ctx ends, the server rejects the call, or
// all events of an ended job have arrived.
func (c *Client) Events(ctx context.Context, id int64, last string, each func(Event) error) error {
	path := ""
	if id != 0 {
		path = jobPath(id, "/events")
	}
	return c.EventsFrom(ctx, path, last, each)
}

// EventsFrom is like Events, for a path of the API, or for a query of the cluster's events: with
// ?state=true, events that restore the state come first if older events have been dropped.
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

// brokenError is the error of a stream that ended early.
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
