package api

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"io"
	"net/http"
	"time"
)

const (
	eventBytes  = 16 << 20               // maximum length of a line
	reconnectIn = 500 * time.Millisecond // pause before reconnecting a broken stream
)

// endOfEvents is the type of the last event of a job.
const endOfEvents = "end"

// Events calls each for every event of a job, or with id 0 of the cluster, after the event with ID
// last; an empty last means from the oldest event that the server still has. It reconnects when the
// stream breaks. It returns when each returns an error, ctx ends, the server rejects the call, or
// all events of an ended job have arrived.
func (c *Client) Events(ctx context.Context, id int64, last string, each func(Event) error) error {
	path := "/events"
	if id != 0 {
		path = jobPath(id, path)
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
		ended := false
		readEvents(res.Body, func(e Event) bool {
			last = cmp.Or(e.ID, last)
			if ended = e.Type == endOfEvents; !ended {
				err = each(e)
			}
			return !ended && err == nil
		})
		_ = res.Body.Close()
		if ended || err != nil {
			return err
		}
		select {
		case <-time.After(reconnectIn):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// readEvents reads a stream of server-sent events, until it breaks or each returns false.
func readEvents(r io.Reader, each func(Event) bool) {
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
		if !each(e) {
			return
		}
		e = Event{}
	}
}
