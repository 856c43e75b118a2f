package actors

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/scheduling"
)

// TestChaos runs several slow jobs while nodes die, stop, come back and are cordoned, and jobs are
// killed. With odd seeds messages between the nodes, the JobTracker and the NameNode are lost,
// delayed and doubled; with some of the others they are lost. Every job that is not killed writes
// RunLocal's bytes. LONG_TESTS=1 runs 500 seeds; TARRY_SEED=N runs one.
func TestChaos(t *testing.T) {
	first, seeds := uint64(0), uint64(16)
	switch {
	case os.Getenv("TARRY_SEED") != "":
		n, err := strconv.ParseUint(os.Getenv("TARRY_SEED"), 10, 64)
		require.NoError(t, err)
		first, seeds = n, 1
	case os.Getenv("LONG_TESTS") != "":
		seeds = 500
	case testing.Short():
		seeds = 2
	}
	for seed := first; seed < first+seeds; seed++ {
		rng := rand.New(rand.NewPCG(seed, 17))
		cfg := randomConfig(rng)
		cfg.Nodes, cfg.Racks, cfg.Replication, cfg.Expiry = 6, 2, 3, 20*time.Second
		cfg.BlockSize = max(cfg.BlockSize, 200)
		if cfg.Scheduler == "capacity" {
			cfg.Scheduler = "hfs" // one user's limit makes it a queue of jobs: nothing to disturb
		}
		if seed%2 == 1 {
			cfg.deliver = misdelivering(seed)
		}
		desc := fmt.Sprintf("TARRY_SEED=%d go test -run TestChaos ./actors; %+v", seed, cfg)
		bubble(t, cfg, func(t *testing.T, c *Cluster) { chaos(t, c, rng, seed, desc) })
	}
}

// chaosEnd is within what fake time every job must end once nothing more goes wrong.
const chaosEnd = time.Hour

func chaos(t *testing.T, c *Cluster, rng *rand.Rand, seed uint64, desc string) {
	job := counting(2)
	job.Map = func(line []byte, emit func(string, int64)) error {
		<-time.After(100 * time.Millisecond)
		return words(line, emit)
	}
	const jobs = 6
	var handles []*JobHandle
	var texts []string
	outs := make([]*bytes.Buffer, jobs)
	for i := range jobs {
		texts = append(texts, prose(seed*100+uint64(i), 200))
		var p *mapreduce.Plan
		p, outs[i] = bindLines(t, job, texts[i])
		handles = append(handles, c.submit(t, p, SubmitOptions{User: fmt.Sprint("user", i%3)}))
	}
	nodes := c.Nodes()
	for range 12 {
		pass(time.Duration(rng.IntN(2000)) * time.Millisecond)
		name := nodes[1+rng.IntN(len(nodes)-1)] // the first one stays
		switch rng.IntN(5) {
		case 0:
			_ = c.KillNode(name) // an error says that it does not run
		case 1:
			_ = c.StopNode(name)
		case 2, 3:
			require.NoError(t, c.StartNode(name))
			require.NoError(t, c.Cordon(name, false))
		case 4:
			require.NoError(t, c.Cordon(name, true))
		}
	}
	require.NoError(t, handles[0].Kill("chaos"))
	_ = handles[1].SetPriority(scheduling.High) // it may have ended
	for i, h := range handles {
		ctx, cancel := context.WithTimeout(context.Background(), chaosEnd)
		_, err := h.Wait(ctx)
		cancel()
		if i == 0 && err != nil {
			require.ErrorIs(t, err, ErrJobKilled, desc)
			continue
		}
		require.NoError(t, err, desc)
		require.Equal(t, oracle(t, counting(2), texts[i]), outs[i].String(), desc)
	}
	c.requireNothingHeld(t)
}
