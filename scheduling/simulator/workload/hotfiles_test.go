package workload

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestReplicateHot(t *testing.T) {
	w := Workload{Files: []File{{Name: "hot", Blocks: 4}, {Name: "warm", Blocks: 2}, {Name: "cold", Blocks: 100}, {Name: "unread", Blocks: 1}}}
	for i := range 12 {
		w.Jobs = append(w.Jobs, Job{Maps: 4, File: 1})
		if i%2 == 0 {
			w.Jobs = append(w.Jobs, Job{Maps: 2, File: 2})
		}
	}
	w.Jobs = append(w.Jobs, Job{Maps: 100, File: 3}, Job{Maps: 7})
	// The budget is 10 % of 321 block replicas: 32. Hot has 4 reads per replica, warm 2. Hot gets 7
	// replicas (1.71 reads each), warm 4 (1.5), hot 9 (1.33), warm 5 (1.2), hot 10.
	require.Equal(t, 32, w.ReplicateHot(3, 100, 0.1))
	require.Equal(t, []int{10, 5, 3, 3}, []int{w.Files[0].Replicas, w.Files[1].Replicas, w.Files[2].Replicas, w.Files[3].Replicas})

	require.Zero(t, w.ReplicateHot(3, 100, 0), "nothing to spend")
	require.Equal(t, 3*2, w.ReplicateHot(3, 8, 0.25), "hot has more than 8 already, warm takes three, cold has too many blocks for the 88 there are")
}

// For any files, ReplicateHot keeps the budget and the maximum per file. A file with fewer reads
// per block and replica does not get more replicas.
func TestReplicateHotProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		w := HotFiles(r, rapid.IntRange(1, 60).Draw(t, "jobs"), rapid.IntRange(1, 12).Draw(t, "files"), rapid.Float64Range(0, 2).Draw(t, "slope"), Dist{Exponential, 1, 0})
		require.NoError(t, w.Validate())
		before := 0
		for i := range w.Files {
			w.Files[i].Blocks = 3 // equal, so that the budget limits all files alike
			before += 9
		}
		most, budget := rapid.IntRange(3, 10).Draw(t, "most"), rapid.Float64Range(0, 2).Draw(t, "budget")
		added := w.ReplicateHot(3, most, budget)
		reads, after := make([]int, len(w.Files)), 0
		for i := range w.Jobs {
			reads[w.Jobs[i].File-1] += min(w.Jobs[i].Maps, 3)
		}
		for i, f := range w.Files {
			after += f.Blocks * f.Replicas
			require.LessOrEqual(t, f.Replicas, most)
			for k, g := range w.Files {
				if reads[i] > reads[k] {
					require.GreaterOrEqual(t, f.Replicas, g.Replicas)
				}
			}
		}
		require.Equal(t, before+added, after)
		require.LessOrEqual(t, float64(added), budget*float64(before))
	})
}
