package simulator

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The queue returns events in the order of a stable sort by time, for any mix of pushes and pops.
// Heartbeats are in it too. An event in the past is a mistake [Mumak].
func TestQueueAgainstSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q queue
		var want []simEvent
		for step := range rapid.IntRange(0, 200).Draw(t, "steps") {
			require.Panics(t, func() { q.push(simEvent{at: q.now - 1}) })
			if rapid.Bool().Draw(t, "push") {
				e := simEvent{at: q.now + time.Duration(rapid.IntRange(0, 9).Draw(t, "at")), a: int32(step), kind: rapid.SampledFrom([]eventKind{evHeartbeat, evArrive}).Draw(t, "kind")}
				q.push(e)
				want = append(want, e)
				slices.SortStableFunc(want, func(x, y simEvent) int { return int(x.at - y.at) })
				continue
			}
			e, ok := q.pop()
			require.Equal(t, len(want) > 0, ok)
			if ok {
				require.Equal(t, want[0].a, e.a)
				require.Equal(t, want[0].at, q.now)
				want = want[1:]
			}
		}
	})
}

// BenchmarkQueue replaces the earliest of 10,000 events.
func BenchmarkQueue(b *testing.B) {
	const held = 10_000
	r := rand.New(rand.NewPCG(1, 2))
	steps := make([]time.Duration, 4096)
	for i := range steps {
		steps[i] = time.Duration(r.ExpFloat64() * 1e10)
	}
	var q queue
	for i := range held {
		q.push(simEvent{at: steps[i%len(steps)]})
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		e, _ := q.pop()
		q.push(simEvent{at: e.at + steps[i%len(steps)]})
	}
}
