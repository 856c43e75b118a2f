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

// growth is the factor by which the larger of the two inputs exceeds the smaller. Quadratic work
// grows 8 times faster than its input; room, the limit, is 3, since the machine may be busy.
const (
	growth = 8
	room   = 3
	tries  = 4
)

// Check fails the test if the work on build(8n) exceeds 3 times its expected amount. Expected is
// the work on build(n), times the ratio of the inputs' sizes. Work is allocated bytes or processor
// time, without build's. n must be so large that work takes some milliseconds; shorter times pass.
// Not for parallel tests.
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

// measure returns the processor time that work(text) uses in all goroutines, and the number of
// bytes that it allocates.
func measure(work func(text []byte), text []byte) (time.Duration, uint64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := cputime.Used()
	work(text)
	spent := cputime.Used() - began
	runtime.ReadMemStats(&after)
	return spent, after.TotalAlloc - before.TotalAlloc
}

// Repeat returns a build for [Check]: begin, then piece n times, then end. In each copy of piece,
// %d is replaced by the copy's number.
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
