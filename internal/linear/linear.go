// Package linear helps tests of parsers: it checks that their work grows no faster than their
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

// growth is the factor of n between the two measurements. Work quadratic in its input grows 8 times
// faster than the input; the limit of 3 tolerates a busy machine.
const (
	growth = 8
	room   = 3
	tries  = 4
)

// Check fails the test if the work on the input of 8n, in allocated bytes or processor time,
// exceeds 3 times what its size allows, relative to the work on the input of n. n must be so large
// that the work takes some milliseconds; shorter times pass. build makes the input outside of the
// measurement. Check is not for parallel tests.
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

// measure returns the processor time of work, of all goroutines, and the number of bytes that it
// allocates.
func measure(work func(text []byte), text []byte) (time.Duration, uint64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := cputime.Used()
	work(text)
	spent := cputime.Used() - began
	runtime.ReadMemStats(&after)
	return spent, after.TotalAlloc - before.TotalAlloc
}

// Repeat returns a build for [Check]: n copies of a piece between a beginning and an end. A %d in
// the piece is replaced by its number.
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
