package main

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
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
		p := &program{stderr: out}
		stop := p.showProgress(nil, func() progress {
			if time.Since(began) < 10*linesEvery {
				return progress{line: "first"}
			}
			return progress{line: "second"}
		})
		require.Equal(t, "first\n", <-out)
		require.Equal(t, linesEvery, time.Since(began))
		require.Equal(t, "second\n", <-out)
		require.Equal(t, 10*linesEvery, time.Since(began))
		stop()
	})
}

func TestProgressOfAJob(t *testing.T) {
	s := status{
		Maps: 30, MapsDone: 20, Reduces: 10, Map: 0.679, Reduce: 0.125, Records: 1234567, Bytes: 68e6, TotalBytes: 100e6,
		Local: 18, Rack: 2, Spilled: 4096, Elapsed: 10 * time.Second,
	}
	require.Equal(t, " map 67% reduce 12%, 68.0 MB of 100 MB, 1.2 M records, 90% node-local, spilled 4.1 kB, about 9s left", s.line())
	bars := s.progress().bars
	require.Len(t, bars, len(runBars()))
	require.Equal(t, bar{0.125, "about 9s left"}, bars[1])
	require.Equal(t, " map 0% reduce 0%, 0 B, spilled 0 B", status{}.line())
	require.Equal(t, 99, percent(0.9999))
}

func TestProgressOfSimulations(t *testing.T) {
	one := newSimProgress(1, "hfs")
	one.expect(0, 100)
	one.tell(0, 0, 90*time.Second, 25)
	require.Equal(t, " hfs 25% (25 of 100 jobs, 1m30s simulated)", one.progress().line)

	far := newSimProgress(2, "fifo", "hfs")
	require.Equal(t, " fifo 0% (0 of 2 runs, 0s simulated), hfs 0% (0 of 2 runs, 0s simulated)", far.progress().line)
	far.expect(0, 10)
	far.expect(1, 20)
	far.tell(0, 1, time.Minute, 5)
	far.tell(1, 0, time.Hour, 10)
	require.Equal(t, " fifo 12% (0 of 2 runs, 1m0s simulated), hfs 50% (1 of 2 runs, 1h0m0s simulated)", far.progress().line)
	require.Equal(t, 0.5, far.progress().bars[1].part)
}
