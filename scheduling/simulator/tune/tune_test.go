package tune

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
)

func start(t *testing.T) scheduling.Policy {
	t.Helper()
	p, err := scheduling.Preset("hfs")
	require.NoError(t, err)
	return p
}

// fakeRun returns a Problem.Run with mean sojourn time 100 minus the policy's gain. Noise of the
// seed is the same for all policies; each policy's own noise has standard deviation own.
func fakeRun(gain func(p *scheduling.Policy) float64, own float64) func(context.Context, scheduling.Policy, uint64) (*simulator.Figures, error) {
	return func(_ context.Context, p scheduling.Policy, seed uint64) (*simulator.Figures, error) {
		common := rand.New(rand.NewPCG(seed, 1)).NormFloat64() * 20
		h := fnv.New64a()
		fmt.Fprint(h, p)
		mine := rand.New(rand.NewPCG(seed, h.Sum64())).NormFloat64() * own
		return &simulator.Figures{Sojourn: simulator.Sojourn{Mean: 100 + common + mine - gain(&p)}}, nil
	}
}

// Search finds the better settings and reports their gain, although seeds differ by more than the
// gain. All choices use the same seeds.
func TestFindsWhatIsBetter(t *testing.T) {
	gain := func(p *scheduling.Policy) (g float64) {
		if p.SlowStart == 0.5 {
			g += 5
		}
		if p.Reduce.Rule == scheduling.LARTS {
			g += 2
		}
		return g
	}
	p := start(t)
	found, err := Search(t.Context(), Problem{Start: p, Goal: MeanSojourn, Knobs: Knobs(&p, time.Second, 10, nil), Run: fakeRun(gain, 0.1)})
	require.NoError(t, err)
	require.Equal(t, 0.5, found.Policy.SlowStart)
	require.Equal(t, scheduling.LARTS, found.Policy.Reduce.Rule)
	require.InDelta(t, -7, found.Gain.Mean, 0.5)
	require.Len(t, found.Changes, 2)
	require.InDelta(t, -2, found.Changes[0].Worth.Mean, 0.3)
	require.InDelta(t, -5, found.Changes[1].Worth.Mean, 0.3)
	require.True(t, found.Gain.Below())
	require.InDelta(t, found.Changed[MeanSojourn]-found.Start[MeanSojourn], found.Gain.Mean, 1e-9)
	require.Equal(t, p, start(t), "the start is not changed")
}

// Search does not take noise for a gain: if no setting is better, it recommends changes in at most
// a dozen of 200 such worlds.
func TestChanceChangesNothing(t *testing.T) {
	changed, unsure := 0, 0
	for world := range uint64(200) {
		p := start(t)
		none := func(*scheduling.Policy) float64 { return 0 }
		found, err := Search(t.Context(), Problem{
			Start: p, Goal: MeanSojourn, Knobs: Knobs(&p, time.Second, 10, []string{"a"}), Run: fakeRun(none, 3), Seed: 1000 * world,
		})
		require.NoError(t, err)
		unsure += len(found.Unsure)
		if len(found.Changes) > 0 {
			changed++
			continue
		}
		require.Equal(t, p, found.Policy)
		require.Zero(t, found.Gain)
	}
	require.LessOrEqual(t, changed, 12)
	require.Greater(t, unsure, 50, "the search itself is taken in by chance, and the fresh seeds are not")
}

// A better locality is not recommended if the mean sojourn time rises beyond Within.
func TestStaysWithin(t *testing.T) {
	run := func(_ context.Context, p scheduling.Policy, seed uint64) (*simulator.Figures, error) {
		f := simulator.Figures{Sojourn: simulator.Sojourn{Mean: 100}, Maps: simulator.MapPlaces{OffRack: 500 + int(seed%3)*10}}
		if p.Locality.Rule == scheduling.TimedWait {
			w := p.Locality.Waits[0].Seconds()
			f.Sojourn.Mean += 10 * w
			f.Maps.OffRack -= int(100 * w)
		}
		f.Maps.NodeLocal = 1000 - f.Maps.OffRack
		return &f, nil
	}
	p := start(t)
	p.Locality = scheduling.LocalityPolicy{}
	problem := Problem{Start: p, Goal: Locality, Knobs: Knobs(&p, time.Second, 10, nil), Run: run}
	found, err := Search(t.Context(), problem)
	require.NoError(t, err)
	require.Equal(t, 500*time.Millisecond, found.Policy.Locality.Waits[0])
	problem.Within = 1
	found, err = Search(t.Context(), problem)
	require.NoError(t, err)
	require.Equal(t, 2*time.Second, found.Policy.Locality.Waits[0])
}

// Search skips a choice that cannot run, and returns an error if the start policy cannot.
func TestFailures(t *testing.T) {
	var told strings.Builder
	broken := errors.New("broken")
	run := func(_ context.Context, p scheduling.Policy, _ uint64) (*simulator.Figures, error) {
		if p.SlowStart == 1 {
			return nil, broken
		}
		return &simulator.Figures{Sojourn: simulator.Sojourn{Mean: 1}}, nil
	}
	p := start(t)
	problem := Problem{Start: p, Goal: P95, Knobs: Knobs(&p, time.Second, 10, nil), Run: run, Told: func(s string) { told.WriteString(s) }}
	found, err := Search(t.Context(), problem)
	require.NoError(t, err)
	require.Empty(t, found.Changes)
	require.Contains(t, told.String(), "slow_start=1: broken")
	problem.Start.SlowStart = 1
	_, err = Search(t.Context(), problem)
	require.ErrorIs(t, err, broken)
	problem.Seeds = 1
	_, err = Search(t.Context(), problem)
	require.Error(t, err)
}

// Every choice of every knob can be applied to a policy, unless the policy makes no use of it.
func TestKnobs(t *testing.T) {
	for _, name := range scheduling.Presets() {
		p, err := scheduling.Preset(name)
		require.NoError(t, err)
		set := 0
		for _, k := range Knobs(&p, 20*time.Second, 100, []string{"a", "b"}) {
			for _, c := range k.Choices {
				q := p
				if err := c.apply(&q); err != nil {
					require.ErrorContains(t, err, "has no effect", "%s: %s", name, c.Text)
					continue
				}
				require.NoError(t, q.Validate(), "%s: %s", name, c.Text)
				set++
			}
		}
		require.Greater(t, set, 10, name)
	}
}
