package serve

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/serve/api"
)

// eventsOf returns all events of a job, up to its end.
func (b *bench) eventsOf(id int64, last string) (list []api.Event) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), time.Minute)
	defer cancel()
	require.NoError(b.t, b.Events(ctx, id, last, func(e api.Event) error {
		list = append(list, e)
		return nil
	}))
	return list
}

// A job's stream has all its events and no others, ends with the job, and continues after
// Last-Event-ID.
func TestEventsOfAJob(t *testing.T) {
	b := start(t, nil)
	b.write("in.txt", "a b\n")
	other := b.submit("count", "in.txt", "-o", "other")
	j := b.submit("count", "in.txt", "-o", "out")
	list := b.eventsOf(j.ID, "")
	require.Equal(t, "submitted", list[0].Type)
	require.Equal(t, "finished", list[len(list)-1].Type)
	core := b.wait(j.ID).Stages[0].ID
	types := map[string]int{}
	for _, e := range list {
		types[e.Type]++
		require.NotContains(t, string(e.Data), b.wait(other.ID).Stages[0].ID, "an event of another job than %s", core)
		require.True(t, json.Valid(e.Data))
	}
	require.Equal(t, 2, types["launched"], "a map and a reduce")
	require.Equal(t, list[3:], b.eventsOf(j.ID, list[2].ID), "resumed")
	require.Equal(t, list, b.eventsOf(j.ID, "ANOTHER1-7"), "an id of another process is none of ours")
	require.Equal(t, list, b.eventsOf(j.ID, "nonsense"))
}

// The cluster's stream sends events when they happen, and ends when its reader does.
func TestEventsOfTheCluster(t *testing.T) {
	b := start(t, nil)
	b.write("in.txt", "a b\n")
	enough := errors.New("enough")
	seen := make(chan string, 1000)
	ended := make(chan error, 1)
	go func() {
		ended <- b.Events(t.Context(), 0, "", func(e api.Event) error {
			seen <- e.Type
			if e.Type == "finished" {
				return enough
			}
			return nil
		})
	}()
	require.Equal(t, "began", <-seen)
	b.submit("count", "in.txt", "-o", "out")
	require.ErrorIs(t, <-ended, enough)
	require.Eventually(t, func() bool { return b.s.events.streams.Load() == 0 }, 10*time.Second, 10*time.Millisecond)
}

// A stream survives silence: only written data must be accepted in time.
func TestStreamOutlivesTheTimeOfARequest(t *testing.T) {
	b := start(t, func(cfg *Config) { cfg.limits.idle = 250 * time.Millisecond })
	b.write("in.txt", "a b\n")
	j := b.submit("held", "in.txt", "-o", "out")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.url+"/api/v1/jobs/1/events", nil)
	require.NoError(t, err)
	res, err := b.HTTP.Do(req) // an api.Client would silently reconnect
	require.NoError(t, err)
	defer res.Body.Close()
	time.AfterFunc(time.Second, func() { close(b.gate) })
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.Contains(t, string(text), "event: end\n")
	require.Equal(t, api.Succeeded, b.wait(j.ID).State)
}

// A late or slow reader learns the number of dropped events; the number of streams is limited.
func TestEventsThatAreGone(t *testing.T) {
	b := start(t, func(cfg *Config) { cfg.limits.ring, cfg.limits.watchers = 8, 1 })
	b.write("in.txt", "a b\n")
	j := b.submit("count", "in.txt", "-o", "out")
	b.wait(j.ID)
	list := b.eventsOf(j.ID, b.s.boot+"-1")
	require.Equal(t, "missed", list[0].Type)
	require.Regexp(t, `^{"missed":[1-9]\d*}$`, string(list[0].Data))
	require.LessOrEqual(t, len(list), 9)
	// The ended stream may not be detached yet.
	require.Eventually(t, func() bool { return b.s.events.streams.CompareAndSwap(0, 1) }, 10*time.Second, time.Millisecond)
	err := b.Events(t.Context(), 0, "", func(api.Event) error { return nil })
	refused(t, err, "too-many-streams")
	b.s.events.streams.Add(-1)
}

// The server drops a reader that does not read. The cluster does not wait for it.
func TestReaderThatTakesNothingIsDropped(t *testing.T) {
	b := start(t, func(cfg *Config) { cfg.limits.idle = 50 * time.Millisecond })
	b.write("in.txt", strings.Repeat("a b c d e f\n", 1000))
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.url+"/api/v1/events", nil)
	require.NoError(t, err)
	res, err := b.HTTP.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	big := strings.Repeat("x", 1<<20)
	for range 64 { // more than the buffers of both sides
		require.NoError(t, b.s.cluster.ReloadFailed(errors.New(big)))
	}
	require.Eventually(t, func() bool { return b.s.events.streams.Load() == 0 }, 10*time.Second, 10*time.Millisecond)
	require.Equal(t, api.Succeeded, b.wait(b.submit("count", "in.txt", "-o", "out").ID).State)
}
