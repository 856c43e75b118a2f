package combine

import (
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

type (
	votes   uint32
	seconds float64
)

func plus[T int64 | uint64](a, b T) T { return a + b }

// Only what adds, and nothing else, is said to add; what does may not be recognized.
func TestAddsIsTrueOfAdditionsAlone(t *testing.T) {
	var calls int64
	for name, f := range map[string]func(a, b int64) int64{
		"minus":     func(a, b int64) int64 { return a - b },
		"one more":  func(a, b int64) int64 { return a + b + 1 },
		"twice":     func(a, b int64) int64 { return a + b + b },
		"first":     func(a, _ int64) int64 { return a },
		"larger":    func(a, b int64) int64 { return max(a, b) },
		"or":        func(a, b int64) int64 { return a | b },
		"saturates": func(a, b int64) int64 { return min(a+b, math.MaxInt32) },
		"narrow":    func(a, b int64) int64 { return int64(int32(a) + int32(b)) },
		"counts":    func(a, b int64) int64 { calls++; return a + b },
		"from afar": func(a, b int64) int64 { return a + b + calls },
	} {
		require.False(t, Adds(f), name)
	}
	require.False(t, Adds(func(a, b float64) float64 { return a + b }))
	require.False(t, Adds(func(a, b int16) int16 { return a + b }))
	require.False(t, Adds(func(a, b string) string { return a + b }))
	require.False(t, Adds(func(a, b [1]int64) [1]int64 { return [1]int64{a[0] + b[0]} }))
	require.False(t, Adds[int64](nil))

	for name, f := range map[string]func(a, b float64) float64{
		"minus": func(a, b float64) float64 { return a - b },
		"times": func(a, b float64) float64 { return a * b },
		"twice": func(a, b float64) float64 { return a + b + b },
		"one":   func(a, b float64) float64 { return a + b + 1 },
		"least": func(a, b float64) float64 { return min(a, b) },
		"first": func(a, _ float64) float64 { return a },
	} {
		require.Equal(t, addCalls, addsWhat(false, f), name)
	}
	require.Equal(t, addCalls, addsWhat(false, func(a, b float32) float32 { return a + b }))
	require.Equal(t, addCalls, addsWhat[float64](false, nil))
	require.Equal(t, addWords, addsWhat[int64](true, nil))

	// Where the compiler makes of it what it makes of it in programs.
	usual := runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64"
	require.Equal(t, usual, Adds(func(a, b int64) int64 { return a + b }))
	require.Equal(t, usual, Adds(func(a, b int) int { return b + a }))
	require.Equal(t, usual, Adds(func(a, b votes) votes { return a + b }))
	require.Equal(t, usual, Adds(func(a, b int32) int32 { a += b; return a }))
	require.Equal(t, usual, Adds(plus[int64]))
	require.Equal(t, usual, Adds(plus[uint64]))
	require.Equal(t, usual, addsWhat(false, func(a, b float64) float64 { return a + b }) == addFloats)
	require.Equal(t, usual, addsWhat(false, func(a, b float64) float64 { return b + a }) == addFloats)
	require.Equal(t, usual, addsWhat(false, func(a, b seconds) seconds { return a + b }) == addFloats)
}
