package simulator

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

func small(seed uint64) (*workload.Workload, error) {
	w := workload.FacebookIO(rand.New(rand.NewPCG(seed, 0)))
	capMaps(&w, 20, 100)
	return &w, nil
}

// Compare returns the same bytes on one processor and on many.
func TestCompareOnAnyProcessors(t *testing.T) {
	cfg := Config{Cluster: Cluster{Nodes: 20, Racks: 4}, Seed: 3}
	contenders := []Contender{{Name: "fifo", Policy: preset(t, "fifo")}, {Name: "hfs", Policy: preset(t, "hfs")}}
	all := func() string {
		out, err := Compare(context.Background(), cfg, contenders, 3, small)
		require.NoError(t, err)
		var text string
		for _, c := range out {
			for _, r := range c.Results {
				b, err := json.Marshal(r.Report)
				require.NoError(t, err)
				text += c.Name + string(b)
			}
		}
		return text
	}
	many := all()
	former := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(former)
	require.Equal(t, many, all())
}

// Progress is called for every repetition of a contender. Its last call has all jobs as done, and
// no call has fewer jobs than the one before.
func TestCompareTellsProgress(t *testing.T) {
	var mu sync.Mutex
	last := map[int]int{}
	many := Contender{Name: "fifo", Policy: preset(t, "fifo"), Progress: func(turn int, now time.Duration, done int) {
		mu.Lock()
		defer mu.Unlock()
		if done < last[turn] || now <= 0 {
			t.Errorf("repetition %d goes back from %d to %d jobs at %v", turn, last[turn], done, now)
		}
		last[turn] = done
	}}
	out, err := Compare(context.Background(), Config{Cluster: Cluster{Nodes: 20, Racks: 4}}, []Contender{many}, 2, small)
	require.NoError(t, err)
	require.Equal(t, map[int]int{0: out[0].Results[0].Report.Jobs, 1: out[0].Results[1].Report.Jobs}, last)
	require.Positive(t, last[0])
}

func TestCompareFails(t *testing.T) {
	bad := errors.New("no such file")
	_, err := Compare(context.Background(), Config{Cluster: Cluster{Nodes: 1}}, []Contender{{Name: "fifo", Policy: preset(t, "fifo")}}, 2,
		func(uint64) (*workload.Workload, error) { return nil, bad })
	require.ErrorIs(t, err, bad)
	p := preset(t, "fifo")
	p.Order = "nonesuch"
	_, err = Compare(context.Background(), Config{Cluster: Cluster{Nodes: 1}}, []Contender{{Name: "odd", Policy: p}}, 2, small)
	require.ErrorContains(t, err, "odd")
}

func TestEstimate(t *testing.T) {
	require.Equal(t, Estimate{Mean: 5}, EstimateOf([]float64{5}))
	e := EstimateOf([]float64{1, 2, 3, 4, 5})
	require.Equal(t, 3.0, e.Mean)
	require.InDelta(t, 2.776*1.5811/2.2361, e.Half, 1e-3)
}

// Minus pairs runs by seed, so what both contenders have in common does not widen the interval.
func TestPairedDifference(t *testing.T) {
	mean := func(r *Result) float64 { return r.Report.Sojourn.Mean }
	a, b := &Contest{}, &Contest{}
	for i, common := range []float64{100, 900, 400, 20} {
		x, y := &Result{}, &Result{}
		x.Report.Sojourn.Mean, y.Report.Sojourn.Mean = common+10, common+float64(i%2)
		a.Results, b.Results = append(a.Results, x), append(b.Results, y)
	}
	d := a.Minus(b, mean)
	require.Equal(t, 9.5, d.Mean)
	require.Less(t, d.Half, 1.0)
	require.Greater(t, a.Over(mean).Half, 100.0)
}
