package delaymath_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/delaymath"
)

// The functions give the numbers that [Zaharia10 §3.2–§3.5] prints, to as many digits as follow.
func TestPublishedExamples(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want float64
		within    float64
	}{
		{"§3.5: data on 10 % of nodes, D = 10: 65 %", delaymath.LocalWithin(0.1, 10), 0.6513, 5e-5},
		{"§3.5: D = 40: 99 %", delaymath.LocalWithin(0.1, 40), 0.9852, 5e-5},
		{"Eq. 2: 0.95, 20 tasks, 3 replicas: 0.23 M", delaymath.Equation2(0.95, 20, 1_000_000, 3) / 1e6, 0.23105, 5e-6},
		{"Eq. 2 on 100 nodes", delaymath.Equation2(0.95, 20, 100, 3), 23.105, 5e-4},
		{"whole skips on 100 nodes", float64(delaymath.Skips(0.95, 20, 100, 3)), 24, 0},
		{"§3.2: offers in 10 s at 27.1 slots/s", delaymath.Offers(10*time.Second, 27.1), 271, 1e-9},
		{"§3.5.1: blocked by long tasks, below 2 %", delaymath.Blocked(0.8, 3, 6), 0.0180, 5e-5},
		{"§3.3.2: sticky slots, 10 jobs, R = 3, L = 1", delaymath.StickyBound(0.1, 3, 1), 0.271, 1e-12},
		{"§4.1: one task, W1 = 10 s: 73 %", delaymath.LocalitySum(270, 1, 620, 3), 0.729, 5e-4},
	} {
		t.Run(c.name, func(t *testing.T) { require.InDelta(t, c.want, c.got, c.within) })
	}
}

// The functions give the waits that the paper's examples name.
func TestPublishedWaits(t *testing.T) {
	// A job gets 50 of 3,100 slots with tasks of 20 s after 0.32 s.
	require.InDelta(t, 0.3226, delaymath.Wait(50, delaymath.Rate(3100, 20*time.Second)).Seconds(), 5e-5)
	// With 8 slots per node, the wait for Equation 2's D is 2.888 % of a task's time; the paper
	// prints 2.8 %.
	task, nodes := 100*time.Second, 100
	d := delaymath.Equation2(0.95, 20, nodes, 3)
	require.InDelta(t, 0.02888*task.Seconds(), delaymath.Wait(d, delaymath.Rate(8*nodes, task)).Seconds(), 5e-4)
	// §4.1: at 27 slots per second, 10 s bring 270 offers, and 270 offers take 10 s.
	require.InDelta(t, 270, delaymath.Offers(10*time.Second, 27), 1e-9)
	require.Equal(t, 10*time.Second, delaymath.Wait(270, 27))
}

// The paper is too low here. §4.1 says that W1 = 10 s (D = 270 on 620 nodes with 3 replicas) lets
// "jobs with 10 tasks achieve 90% locality". Its own formula gives 96.3 %, and so does the closed
// bound, the weakest of the three forms. So 90 % is true as a lower bound. By the formula, jobs of
// four or more tasks exceed it.
func TestTenTasksReachMoreThanThePaperSays(t *testing.T) {
	require.InDelta(t, 0.963, delaymath.LocalitySum(270, 10, 620, 3), 5e-4)
	require.InDelta(t, 0.963, delaymath.LocalityBound(270, 10, 620, 3), 5e-4)
	require.InDelta(t, 0.963, delaymath.ExpectedLocality(270, 10, 620, 3), 5e-4)
	require.Less(t, delaymath.LocalitySum(270, 3, 620, 3), 0.90)
	require.Greater(t, delaymath.LocalitySum(270, 4, 620, 3), 0.90)
}

// StickyBound for [Zaharia10 Figure 3], in percent, by number of equal jobs and R·L. The text says
// "below 80 % for 15 jobs and below 50 % for 30 jobs" even with large R and L. That is true up to
// R·L = 18 (R = 3, L = 6).
func TestFigure3(t *testing.T) {
	rl := [...]struct{ r, l int }{{1, 1}, {1, 2}, {3, 1}, {2, 2}, {3, 2}, {2, 4}, {3, 4}, {3, 6}, {3, 8}}
	for _, row := range []struct {
		jobs int
		want [9]float64
	}{
		{5, [9]float64{20.0, 36.0, 48.8, 59.0, 73.8, 83.2, 93.1, 98.2, 99.5}},
		{10, [9]float64{10.0, 19.0, 27.1, 34.4, 46.9, 57.0, 71.8, 85.0, 92.0}},
		{15, [9]float64{6.7, 12.9, 18.7, 24.1, 33.9, 42.4, 56.3, 71.1, 80.9}},
		{20, [9]float64{5.0, 9.8, 14.3, 18.5, 26.5, 33.7, 46.0, 60.3, 70.8}},
		{30, [9]float64{3.3, 6.6, 9.7, 12.7, 18.4, 23.8, 33.4, 45.7, 55.7}},
		{50, [9]float64{2.0, 4.0, 5.9, 7.8, 11.4, 14.9, 21.5, 30.5, 38.4}},
	} {
		for i, c := range rl {
			got := 100 * delaymath.StickyBound(1/float64(row.jobs), c.r, c.l)
			require.InDelta(t, row.want[i], got, 0.0501, "%d jobs, R·L = %d", row.jobs, c.r*c.l)
		}
	}
}

// ExpectedLocality for the jobs of [Zaharia10 Figure 15]: 4 and 12 maps, 100 nodes, 17 freed slots
// per second. With 4 maps it is 68 % after 1 s, 98 % after 5 s and 99.9 % after 10 s.
func TestFigure15Model(t *testing.T) {
	require.InDelta(t, 0.68, delaymath.ExpectedLocality(17, 4, 100, 3), 0.02)
	require.InDelta(t, 0.979, delaymath.ExpectedLocality(85, 4, 100, 3), 0.002)
	require.InDelta(t, 0.999, delaymath.ExpectedLocality(170, 4, 100, 3), 0.001)
	require.InDelta(t, 0.878, delaymath.ExpectedLocality(17, 12, 100, 3), 0.002)
	// For 12 maps after 1 s the paper measured 80 %. That is nearer to Algorithm 2 as printed,
	// which waits no second time after a launch off the data. Its 68 % for 4 maps are not.
	require.InDelta(t, 0.824, delaymath.Algorithm2Locality(17, 12, 100, 3), 5e-4)
	require.InDelta(t, 0.585, delaymath.Algorithm2Locality(17, 4, 100, 3), 5e-4)
	// With a wait of 0 only the present offer counts: 7.3 % and 17.9 %.
	require.InDelta(t, 0.073, delaymath.ExpectedLocality(1, 4, 100, 3), 5e-4)
	require.InDelta(t, 0.179, delaymath.ExpectedLocality(1, 12, 100, 3), 5e-4)
}
