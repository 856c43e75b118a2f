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

// Without a terminal, Show writes a line every two seconds, but none that repeats the last line.
func TestProgressLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var out strings.Builder
		d := &Display{Out: &out}
		shown := func() string {
			d.mu.Lock()
			defer d.mu.Unlock()
			return out.String()
		}
		stop := d.Show(func() string {
			if time.Since(began) < 10*linesEvery {
				return "first"
			}
			return "second"
		})
		time.Sleep(linesEvery + time.Second)
		synctest.Wait()
		require.Equal(t, "first\n", shown())
		time.Sleep(9 * linesEvery)
		synctest.Wait()
		require.Equal(t, "first\nsecond\n", shown())
		stop()
	})
}

// Goroutines may write through the display at the same time: Out gets each line whole.
func TestDisplayWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		d, shown := &Display{Out: &out}, atomic.Int64{}
		stop := d.Show(func() string { return fmt.Sprint("shown ", shown.Add(1)) })
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

func TestProgressOfAJob(t *testing.T) {
	p := actors.Progress{
		Maps: actors.TaskCounts{Total: 30, Done: 20}, Reduces: actors.TaskCounts{Total: 10},
		MapFraction: 0.679, ReduceFraction: 0.125, Records: 1234567, Bytes: 68e6, InputBytes: 100e6,
		NodeLocal: 18, RackLocal: 2, Spilled: 4096, Elapsed: 10 * time.Second,
	}
	require.Equal(t, "map 67% reduce 12%, 68 MB of 100 MB, 1.2 M records, 90% node-local, spilled 4.1 kB, about 9s left", OfJob(p))
	require.Equal(t, "map 0% reduce 0%, 0 B, spilled 0 B", OfJob(actors.Progress{}))
	require.Equal(t, "x 99%, y", Part("x", 0.9999, "y"))
}

// Only the last update before a line is due is shown, and none after stop.
func TestProgressOfUpdates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		update, stop := (&Display{Out: &out}).ShowLatest()
		update("first")
		update("second")
		time.Sleep(linesEvery + time.Second)
		stop()
		update("third")
		time.Sleep(2 * linesEvery)
		require.Equal(t, "second\n", out.String())
	})
}
