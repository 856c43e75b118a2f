package progress

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors"
)

// written is what was written at which time.
type written chan string

func (w written) Write(p []byte) (int, error) {
	w <- string(p)
	return len(p), nil
}

// Lines come every two seconds, and only when they say something new.
func TestProgressLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, out := time.Now(), make(written)
		d := &Display{Out: out}
		stop := d.Show(nil, func() State {
			if time.Since(began) < 10*linesEvery {
				return State{Line: "first"}
			}
			return State{Line: "second"}
		})
		require.Equal(t, "first\n", <-out)
		require.Equal(t, linesEvery, time.Since(began))
		require.Equal(t, "second\n", <-out)
		require.Equal(t, 10*linesEvery, time.Since(began))
		stop()
	})
}

// Others write through the display, at any time and one at a time, though Out takes no two at once.
func TestDisplayWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		d, shown := &Display{Out: &out}, atomic.Int64{}
		stop := d.Show(nil, func() State { return State{Line: fmt.Sprint("shown ", shown.Add(1))} })
		var all sync.WaitGroup
		const each = 50
		for range 4 {
			all.Go(func() {
				for range each {
					fmt.Fprintln(d, "said")
					time.Sleep(linesEvery / 10)
				}
			})
		}
		all.Wait()
		stop()
		require.Equal(t, 4*each, strings.Count(out.String(), "said\n"))
		require.Equal(t, int(shown.Load()), strings.Count(out.String(), "shown "))
		require.Positive(t, shown.Load())
	})
}

// What is said while bars are drawn stands above them, and what is said later is not lost.
func TestDisplayWriteAboveBars(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		d := &Display{Out: &out}
		quit, ended := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(ended)
			d.drawBars([]string{"maps"}, func() State { return State{Bars: []Bar{{0.5, "half"}}} }, quit)
		}()
		time.Sleep(2 * barsAfter)
		fmt.Fprintln(d, "said above")
		close(quit)
		<-ended
		fmt.Fprintln(d, "said below")
		require.Contains(t, out.String(), "said above\n")
		require.True(t, strings.HasSuffix(out.String(), "said below\n"), "%q", out.String())
	})
}

func TestProgressOfAJob(t *testing.T) {
	p := actors.Progress{
		Maps: actors.TaskCounts{Total: 30, Done: 20}, Reduces: actors.TaskCounts{Total: 10},
		MapFraction: 0.679, ReduceFraction: 0.125, Records: 1234567, Bytes: 68e6, InputBytes: 100e6,
		NodeLocal: 18, RackLocal: 2, Spilled: 4096, Elapsed: 10 * time.Second,
	}
	state := OfJob(p)
	const want = " map 67% reduce 12%, 68.0 MB of 100 MB, 1.2 M records, 90% node-local, spilled 4.1 kB, about 9s left"
	require.Equal(t, want, state.Line)
	require.Len(t, state.Bars, len(JobBars("sort")))
	require.Equal(t, Bar{0.125, "0 done, 0 running of 10, about 9s left"}, state.Bars[1])
	require.Equal(t, " map 0% reduce 0%, 0 B, spilled 0 B", OfJob(actors.Progress{}).Line)
	require.Equal(t, 99, Percent(0.9999))
}

func TestProgressOfRuns(t *testing.T) {
	one := NewRuns(1)
	one.Tell(0, 90*time.Second, 25, 100)
	require.Equal(t, " simulated 25%, 25 of 100 jobs, 1m30s simulated", one.State().Line)
	far := NewRuns(2)
	require.Equal(t, " simulated 0%, 0 of 2 runs", far.State().Line)
	far.Tell(1, time.Minute, 5, 20)
	require.Equal(t, " simulated 12%, 0 of 2 runs", far.State().Line)
	far.End(0)
	require.Equal(t, " simulated 62%, 1 of 2 runs", far.State().Line)
	require.Equal(t, 0.625, far.State().Bars[0].Part)
}
