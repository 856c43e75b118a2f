// Package linear is for tests of parsers: it tells whether their work grows no faster than their input.
package linear

import (
	"runtime"
	"testing"
	"time"

	"github.com/tarry-mr/tarry/internal/cputime"
)

// growth is by how much the input grows between the two measurements: work that grows with the
// square of the input grows by 64, and the bound of 24 leaves room for a busy machine.
const (
	growth = 8
	most   = 24
	tries  = 4
)

// Check fails the test if work on 8n takes more than 24 times what work on n does, in allocated
// bytes or in processor time. n is to be large enough that work(n) takes some milliseconds; times
// below that pass. build makes the input outside of the measurement. It is not for parallel tests.
func Check(t *testing.T, n int, build func(n int) []byte, work func(text []byte)) {
	t.Helper()
	small, large := build(n), build(growth*n)
	times, bytes := 0.0, 0.0
	for range tries {
		short, few := measure(work, small)
		long, many := measure(work, large)
		times = float64(long) / float64(max(short, time.Millisecond))
		bytes = float64(many) / float64(max(few, 1<<16))
		if times <= most && bytes <= most {
			return
		}
	}
	t.Errorf("input of %d times the size takes %.0f times as long and %.0f times as many bytes", growth, times, bytes)
}

// measure gives the processor time of work, of all goroutines, and how many bytes it allocates.
func measure(work func(text []byte), text []byte) (time.Duration, uint64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := cputime.Used()
	work(text)
	spent := cputime.Used() - began
	runtime.ReadMemStats(&after)
	return spent, after.TotalAlloc - before.TotalAlloc
}
