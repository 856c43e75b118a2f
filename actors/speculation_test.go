package actors

import (
	"bytes"
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// stumble returns a function that takes 100 ms for a line, and in addition long for the first line
// "stone".
func stumble(long time.Duration) func(line []byte) {
	var before atomic.Bool
	return func(line []byte) {
		<-time.After(100 * time.Millisecond)
		if string(line) == "stone" && !before.Swap(true) {
			<-time.After(long)
		}
	}
}

// stumbling returns a plan whose first attempt at the map with the line "stone" is slow. The job
// counts words, or copies lines if mapOnly.
func stumbling(t *testing.T, mapOnly bool, long time.Duration, text string) (*mapreduce.Plan, *bytes.Buffer) {
	pause := stumble(long)
	if !mapOnly {
		job := counting(2)
		job.Map = func(line []byte, emit func(string, int64)) error {
			pause(line)
			return words(line, emit)
		}
		return bindLines(t, job, text)
	}
	job := mapreduce.MapOnly[[]byte, string]{Name: "lines", Map: func(line []byte, emit func(string)) error {
		pause(line)
		emit(string(line))
		return nil
	}}
	out := new(bytes.Buffer)
	p, err := job.Bind(mapreduce.Lines(mapreduce.Bytes("text", []byte(text))), mapreduce.Text[string](mapreduce.Writer("out", out)))
	require.NoError(t, err)
	return p, out
}

// If an attempt is stuck, a speculative attempt on another node completes its task, or the first
// one does if it continues earlier. Output and counters are those of one attempt.
func TestCopiesOfStuckMaps(t *testing.T) {
	text := strings.Repeat("some words and more\n", 40) + "stone\n"
	policy, err := scheduling.Preset("fair")
	require.NoError(t, err)
	policy.Speculation = scheduling.SpeculationPolicy{Rule: scheduling.LATE, Lag: 5 * time.Second}
	for _, long := range []time.Duration{6 * time.Second, 10 * time.Minute} {
		for _, mapOnly := range []bool{false, true} {
			p, want := stumbling(t, mapOnly, 0, text)
			local, err := mapreduce.RunLocal(context.Background(), p, mapreduce.LocalOptions{})
			require.NoError(t, err)
			var copies, superseded atomic.Int32
			cfg := Config{Nodes: 4, MapSlots: 1, ReduceSlots: 1, Policy: policy, BlockSize: 210, Events: func(e Event) {
				switch {
				case e.Type == event.Launched && e.Reason.Cause == event.CauseSlowTask:
					copies.Add(1)
				case e.Type == event.Killed && e.Reason.Cause == event.CauseSuperseded:
					superseded.Add(1)
				}
			}}
			bubble(t, cfg, func(t *testing.T, c *Cluster) {
				p, out := stumbling(t, mapOnly, long, text)
				res, err := c.submit(t, p, SubmitOptions{}).Wait(context.Background())
				require.NoError(t, err)
				require.Equal(t, want.String(), out.String())
				for _, id := range []counter.ID{counter.MapInputRecords, counter.MapOutputRecords, counter.ReduceOutputRecords} {
					require.Equal(t, local.Get(id), res.Counters.Get(id), "%v", id)
				}
				require.Equal(t, int32(1), copies.Load(), "one task is slow")
				require.Equal(t, int32(1), superseded.Load(), "one attempt wins")
				pass(long) // until the overtaken attempt ends, which ignores its context
				c.requireNothingHeld(t)
			})
		}
	}
}
