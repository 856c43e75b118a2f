package differential

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/jobs"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/policyfile"
	"github.com/tarry-mr/tarry/scheduling/simulator/replay"
)

// napping is a job whose maps sleep: its submission time, and a duration per line for each map.
type napping struct {
	at   time.Duration
	naps string
}

// nappers draws ten jobs, few long and many short, submitted within about two seconds.
func nappers(r *rand.Rand) (list []napping) {
	at := 0.0
	for k := range 10 {
		naps := []int{2, 3, 6, 12, 48}[r.IntN(5)]
		if k == 0 {
			naps = 60
		}
		var text strings.Builder
		for range naps {
			fmt.Fprintf(&text, "%dms\n", 100+r.IntN(200))
		}
		list = append(list, napping{time.Duration(at * float64(time.Second)), text.String()})
		at += r.ExpFloat64() * 0.2
	}
	return list
}

// recordLive runs the jobs on a live cluster and returns the recording.
func recordLive(t *testing.T, list []napping, policy scheduling.Policy) *replay.Recording {
	t.Helper()
	var read replay.Reader
	cluster, err := actors.Start(actors.Config{
		Nodes: 6, Racks: 2, MapSlots: 2, ReduceSlots: 1, BlockSize: 16, Parallelism: runtime.GOMAXPROCS(0), Policy: policy, Explain: true,
		Events: func(e actors.Event) { assert.NoError(t, read.Add(e.Event)) },
	})
	require.NoError(t, err)
	dir := t.TempDir()
	var all sync.WaitGroup
	for k, n := range list {
		in := filepath.Join(dir, fmt.Sprint("naps", k))
		require.NoError(t, os.WriteFile(in, []byte(n.naps), 0o600))
		src, err := mapreduce.File(in)
		require.NoError(t, err)
		out := mapreduce.Text[mapreduce.Pair[string, float64]](mapreduce.Dir(in + ".out"))
		all.Go(func() {
			time.Sleep(n.at)
			plan, err := jobs.Sleep(150*time.Millisecond).Bind(mapreduce.NLines(1, src), out)
			assert.NoError(t, err)
			job, err := cluster.Submit(context.Background(), plan, actors.SubmitOptions{User: fmt.Sprint("u", k), Reduces: 1 + strings.Count(n.naps, "\n")/12})
			assert.NoError(t, err)
			_, err = job.Wait(context.Background())
			assert.NoError(t, err)
		})
	}
	all.Wait()
	require.NoError(t, cluster.Close())
	rec, err := read.End()
	require.NoError(t, err)
	return rec
}

// Simulations of ten recorded live runs have a mean sojourn within 5 % and a locality within one
// point of the real ones. For nine or more, the predicted change by another policy has the real
// change's sign. Reduces start after their job's maps: otherwise one job may hold all reduce slots,
// and milliseconds decide who gets the next. The live runs take minutes: LONG_TESTS=1.
func TestWhatIfOfLiveRuns(t *testing.T) {
	if os.Getenv("LONG_TESTS") == "" {
		t.Skip("live runs take minutes: LONG_TESTS=1")
	}
	signs := 0
	changes := strings.Fields("fair-fifo fifo-fair hfs-fifo fifo-hfs hfsp-fair fair-hfsp delay-fifo fifo-srpt srpt-fair hfs-hfsp")
	for i, change := range changes {
		list := nappers(rand.New(rand.NewPCG(uint64(i), 15)))
		from, to, _ := strings.Cut(change, "-")
		live := func(name string) (*replay.Recording, scheduling.Policy) {
			policy, err := policyfile.Preset(name)
			require.NoError(t, err)
			policy.Locality.Auto = policy.Locality.Rule == scheduling.TimedWait
			policy.SlowStart = 1
			return recordLive(t, list, policy), policy
		}
		rec, was := live(from)
		really, other := live(to)
		again, err := rec.Run(t.Context(), was, nil, nil)
		require.NoError(t, err)
		asked, err := rec.Run(t.Context(), other, nil, nil)
		require.NoError(t, err)
		off := 100 * (again.Again.Sojourn.Mean/again.Recorded.Sojourn.Mean - 1)
		local := 100 * (again.Again.Maps.Share(scheduling.NodeLocal) - again.Recorded.Maps.Share(scheduling.NodeLocal))
		there, err := really.Run(t.Context(), other, nil, nil)
		require.NoError(t, err)
		real, said := there.Recorded.Sojourn.Mean/again.Recorded.Sojourn.Mean-1, asked.Again.Sojourn.Mean/again.Again.Sojourn.Mean-1
		t.Logf("%s: mean sojourn %.3f s, again %+.2f %%, node-local %+.2f points; really %+.1f %%, said %+.1f %%", change,
			again.Recorded.Sojourn.Mean, off, local, 100*real, 100*said)
		assert.LessOrEqual(t, math.Abs(off), 5.0)
		assert.LessOrEqual(t, math.Abs(local), 1.0)
		if (real > 0) == (said > 0) {
			signs++
		}
	}
	t.Logf("%d of %d signs agree", signs, len(changes))
	require.GreaterOrEqual(t, signs, 9)
}
