package simulator

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// twoScans returns two jobs that read the same two blocks of 100 MB, one after the other.
func twoScans() *workload.Workload {
	w := &workload.Workload{Files: []workload.File{{Name: "f", Blocks: 2}}}
	for i := range 2 {
		w.Jobs = append(w.Jobs, workload.Job{Name: fmt.Sprint(i), User: "u", Maps: 2, File: 1, InputBytes: 200e6})
	}
	w.Jobs[1].After = "0"
	return w
}

// One slot reads a block from disk in 10 s and from memory in 1 s. A memory for two blocks saves
// the second job all but 2 s. In a memory for one block, the block just read has always replaced
// the block that is needed next.
func TestCacheByHand(t *testing.T) {
	for room, want := range map[int64]struct{ seconds, hits int }{
		0: {40, 0}, 100e6 - 1: {40, 0}, 100e6: {40, 0}, 200e6 - 1: {40, 0}, 200e6: {22, 2},
	} {
		cfg := Config{
			Cluster: Cluster{Nodes: 1, MapSlots: 1, Setup: -1, ReadRate: 10e6, Cache: room, CacheRate: 100e6}, Policy: preset(t, "fifo"),
		}
		cfg.Policy.Spread = false
		res := run(t, cfg, twoScans())
		require.Equal(t, float64(want.seconds), res.Report.MakespanS, room)
		require.Equal(t, MapPlaces{NodeLocal: want.hits}, res.Jobs[1].InMemory, room)
		require.Equal(t, MapPlaces{NodeLocal: want.hits}, res.Report.InMemory, room)
		require.Equal(t, MapPlaces{NodeLocal: 4}, res.Report.Maps)
	}
}

// A node that fails loses its memory. Jobs that read inputs of their own share no blocks in memory.
func TestCacheForgets(t *testing.T) {
	cfg := Config{
		Cluster: Cluster{Nodes: 1, MapSlots: 1, Setup: -1, ReadRate: 10e6, Cache: 1e9, CacheRate: 100e6}, Policy: preset(t, "fifo"),
		Failures: Failures{Outages: []Outage{{Node: 0, At: 20500 * time.Millisecond, For: time.Second}}},
	}
	cfg.Policy.Spread = false
	require.Zero(t, run(t, cfg, twoScans()).Report.InMemory, "its first map's attempt dies with the memory")
	cfg.Failures = Failures{}
	w := twoScans()
	for i := range w.Jobs {
		w.Jobs[i].File = 0
	}
	require.Zero(t, run(t, cfg, w).Report.InMemory)
}

// A map whose block is in memory does not wait for the disk, not even for a shared one.
func TestCacheSparesTheDisk(t *testing.T) {
	cfg := Config{
		Cluster: Cluster{Nodes: 1, MapSlots: 2, Setup: -1, ReadRate: 100e6, Cache: 1e9, CacheRate: 100e6},
		Network: Network{Flows: true, Disk: 10e6}, Policy: preset(t, "fifo"),
	}
	cfg.Policy.Spread = false
	res := run(t, cfg, twoScans())
	require.Equal(t, 20*time.Second, res.Jobs[0].Sojourn(), "200 MB from one disk")
	require.Equal(t, time.Second, res.Jobs[1].Sojourn())
}

// A map whose block is in its node's memory transfers nothing over the network.
func TestCacheSparesTheNetwork(t *testing.T) {
	w := twoScans()
	w.Files[0].Replicas = 1
	cfg := Config{
		Cluster: Cluster{Nodes: 2, MapSlots: 1, Setup: -1, ReadRate: 10e6, Cache: 1e9, CacheRate: 100e6},
		Network: Network{Flows: true, NodeLink: 1e6}, Policy: preset(t, "fifo"),
	}
	cfg.Policy.Spread = false
	res := run(t, cfg, w)
	second := &res.Jobs[1]
	require.Equal(t, 2, second.InMemory.All())
	require.Less(t, second.Sojourn(), 3*time.Second)
	for _, write := range []func(*bytes.Buffer) error{
		func(b *bytes.Buffer) error { return res.WriteJobsCSV(b) }, func(b *bytes.Buffer) error { return res.Report.WriteClassesCSV(b) },
	} {
		var text bytes.Buffer
		require.NoError(t, write(&text))
		lines := strings.Split(strings.TrimSpace(text.String()), "\n")
		require.True(t, strings.HasSuffix(lines[0], ",memory_node_local,memory_rack_local,memory_off_rack"))
		m := second.InMemory
		require.True(t, strings.HasSuffix(lines[len(lines)-1], fmt.Sprintf(",%d,%d,%d", m.NodeLocal, m.RackLocal, m.OffRack)), text.String())
	}
}

// A node's memory holds the blocks read last, as many as fit; a plain list gives the same.
func TestCacheHoldsWhatWasReadLast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		room := rapid.Int64Range(1, 30).Draw(t, "room")
		c := newCaches(2, room)
		var lists [2][]kept // by node: the block read last at the end
		size := func(b block) int64 { return int64(b.index%11) + 1 }
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			node := rapid.Int32Range(0, 1).Draw(t, "node")
			b := block{file: 1, index: rapid.Int32Range(0, 20).Draw(t, "block")}
			list := &lists[node]
			if rapid.IntRange(0, 19).Draw(t, "fails") == 0 {
				c.empty(node)
				*list = nil
				continue
			}
			found := false
			for i, h := range *list {
				if h.block == b {
					*list = append(append((*list)[:i:i], (*list)[i+1:]...), h)
					found = true
					break
				}
			}
			require.Equal(t, found, c.has(node, b))
			require.Equal(t, found, c.read(node, b))
			c.keep(node, b, size(b))
			if !found && size(b) <= room {
				*list = append(*list, kept{b, size(b)})
				for sum := int64(0); ; sum = 0 {
					for _, h := range *list {
						sum += h.bytes
					}
					if sum <= room {
						break
					}
					*list = (*list)[1:]
				}
			}
			count := map[block]int{}
			for i := range lists {
				require.Equal(t, len(lists[i]), c.nodes[i].list.Len())
				for _, h := range lists[i] {
					count[h.block]++
					require.True(t, c.has(int32(i), h.block))
				}
			}
			require.Equal(t, count, c.on)
		}
	})
}

// memoryCore returns a Core under CacheAffinity with W0 = 2 s, W1 = 3 s, W2 = 4 s. Nodes n0 to n3
// are in one rack, n4 in another, with a map slot each. The maps' blocks are on n1, those of `held`
// also in memory on n0. The result sends a heartbeat and reports whether it launched.
func memoryCore(t *testing.T, maps int, held ...int32) func(at float64, node int) bool {
	p := preset(t, "fair")
	p.Locality = scheduling.LocalityPolicy{Part: CacheAffinity, Waits: []time.Duration{2 * time.Second, 3 * time.Second, 4 * time.Second}}
	inMemory := func(_ scheduling.JobID, m int32, node scheduling.NodeID) (bool, int) {
		if slices.Contains(held, m) {
			return node == 0, 1
		}
		return false, 0
	}
	var part *affinity
	c, err := scheduling.NewCore(scheduling.Config{HeartbeatInterval: time.Second, Parts: scheduling.Parts{
		Maps: map[string]func() scheduling.MapPlacement{CacheAffinity: func() scheduling.MapPlacement {
			part = &affinity{inMemory: inMemory, jobs: map[scheduling.JobID]*affinityWait{}}
			return part
		}},
	}}, p)
	require.NoError(t, err)
	for i := range 5 {
		_, err := c.Join(0, scheduling.Node{Name: fmt.Sprint("n", i), Rack: []string{"a", "b"}[i/4], MapSlots: 1})
		require.NoError(t, err)
	}
	places := scheduling.Places{Offsets: []int32{0}}
	for i := range maps {
		places.Offsets, places.Nodes = append(places.Offsets, int32(i+1)), append(places.Nodes, 1)
	}
	id, err := c.Submit(0, scheduling.JobSpec{Maps: maps, Places: places})
	require.NoError(t, err)
	last := map[int]scheduling.AttemptID{}
	t.Cleanup(func() {
		require.NoError(t, c.Kill(time.Hour, id))
		require.Empty(t, part.jobs, "what is kept of an ended job")
	})
	return func(at float64, node int) bool { // a heartbeat in which the node's running attempt ends
		h := scheduling.Heartbeat{Node: scheduling.NodeID(node)}
		if a, ok := last[node]; ok {
			h.Statuses = []scheduling.Status{{Attempt: a, State: scheduling.StateSucceeded}}
			delete(last, node)
		}
		got, err := c.Heartbeat(time.Duration(at*float64(time.Second)), h)
		require.NoError(t, err)
		for _, a := range got.Actions {
			last[node] = a.Attempt
		}
		return len(got.Actions) > 0
	}
}

// A map may run farther from its block after the waits W0, W1 and W2; the times are found by hand.
func TestCacheAffinityWaits(t *testing.T) {
	inMemory := map[int]float64{0: 0, 1: 2, 2: 5, 4: 9} // seconds until a node may run a map in memory on n0
	onDisk := map[int]float64{1: 0, 2: 3, 4: 7}         // the same for a map in no memory
	for i, waits := range []map[int]float64{inMemory, onDisk} {
		for node, after := range waits {
			var held []int32
			if i == 0 {
				held = []int32{0}
			}
			beat := memoryCore(t, 1, held...)
			if after > 0 {
				require.False(t, beat(1, 4), "the wait begins")
				require.False(t, beat(1+after-0.001, node))
			}
			require.True(t, beat(1+after, node), "case %d node %d", i, node)
		}
	}
}

// A job that has waited stays at its level until a map finds its block in memory. Of the maps that
// may run, the nearest is launched.
func TestCacheAffinityKeepsItsLevel(t *testing.T) {
	beat := memoryCore(t, 8, 2, 3, 4, 5, 6, 7)
	require.True(t, beat(1, 1), "map 0 is in no memory")
	require.True(t, beat(2, 1), "nor is map 1")
	require.False(t, beat(3, 1))
	require.False(t, beat(4.9, 1))
	require.True(t, beat(5, 1), "2 s after the first refusal")
	require.True(t, beat(6, 1), "at the level of the last launch")
	require.False(t, beat(7, 2), "a rack takes 3 s more")
	require.True(t, beat(10, 2))
	require.True(t, beat(11, 0), "the memory: it begins anew")
	require.False(t, beat(12, 1))
	require.True(t, beat(14, 1))
}

// With CacheAffinity, jobs wait for a busy node with their block in memory and so read less from
// disks.
func TestCacheAffinityRaisesHits(t *testing.T) {
	hits := func(part string, cache int64) (in, all int) {
		w := &workload.Workload{}
		for i := range 60 {
			if i < 6 {
				w.Files = append(w.Files, workload.File{Name: fmt.Sprint(i), Blocks: 4})
			}
			w.Jobs = append(w.Jobs, workload.Job{
				Name: fmt.Sprint(i), User: "u", Maps: 4, File: i%6 + 1, InputBytes: 400e6, Submit: time.Duration(i) * 4 * time.Second,
				Map: workload.Cost{Time: 4 * time.Second},
			})
		}
		cfg := Config{Cluster: Cluster{Nodes: 12, Racks: 3, MapSlots: 1, ReadRate: 10e6, Cache: cache}, Policy: preset(t, "fair"), Seed: 3}
		cfg.Policy.Locality = scheduling.LocalityPolicy{Part: part, Waits: []time.Duration{5 * time.Second, 5 * time.Second, 5 * time.Second}}
		if part == "" {
			cfg.Policy.Locality.Rule, cfg.Policy.Locality.Waits = scheduling.TimedWait, cfg.Policy.Locality.Waits[:2]
		}
		res := run(t, cfg, w)
		return res.Report.InMemory.All(), res.Report.Maps.All()
	}
	without, all := hits("", 300e6)
	with, same := hits(CacheAffinity, 300e6)
	require.Equal(t, all, same)
	require.Greater(t, with, without+all/5)
	_, err := Run(t.Context(), Config{
		Cluster: Cluster{Nodes: 1}, Policy: scheduling.Policy{Order: "fifo", Locality: scheduling.LocalityPolicy{Part: CacheAffinity}},
	}, twoScans())
	require.ErrorContains(t, err, `no placement of maps "cache-affinity"`, "there is none without a cache")
}
