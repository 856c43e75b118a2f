// Package linear is for tests of parsers: it tells whether their work grows no faster than their
// input.
package linear

import (
	"bytes"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tarry-mr/tarry/internal/cputime"
)

// growth is by how much n grows between the two measurements: work that grows with the square of
// its input grows by 8 times what the input does, and the room of 3 is left for a busy machine.
const (
	growth = 8
	room   = 3
	tries  = 4
)

// Check fails the test if work on the input of 8n takes, in allocated bytes or in processor time,
// more than 3 times what the growth of the input allows over work on that of n. n is to be large
// enough that work takes some milliseconds; times below that pass. build makes the input outside
// of the measurement. It is not for parallel tests.
func Check(t *testing.T, n int, build func(n int) []byte, work func(text []byte)) {
	t.Helper()
	small, large := build(n), build(growth*n)
	grown := float64(len(large)) / float64(len(small))
	times, allocated := 0.0, 0.0
	for range tries {
		short, few := measure(work, small)
		long, many := measure(work, large)
		times = float64(long) / float64(max(short, time.Millisecond))
		allocated = float64(many) / float64(max(few, 1<<16))
		if times <= room*grown && allocated <= room*grown {
			return
		}
	}
	t.Errorf("input of %.0f times the size takes %.0f times as long and %.0f times as many bytes",
		grown, times, allocated)
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

// Repeat gives a build for [Check]: a piece n times between a beginning and an end. A %d in the
// piece stands for its number.
func Repeat(begin, piece, end string) func(n int) []byte {
	return func(n int) []byte {
		var b bytes.Buffer
		b.WriteString(begin)
		for i := range n {
			b.WriteString(strings.ReplaceAll(piece, "%d", strconv.Itoa(i)))
		}
		b.WriteString(end)
		return b.Bytes()
	}
}
