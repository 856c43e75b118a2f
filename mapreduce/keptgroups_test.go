package mapreduce

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/mapreduce/internal/kept"
	"github.com/tarry-mr/tarry/mapreduce/internal/read"
)

// linkedPage is a record with slices, which show the dataset's memory when it is read.
type linkedPage struct {
	Number int32
	Links  []int32
	Name   []byte
}

type pageRank = Pair[int32, float64]

func (p linkedPage) number() int32 { return p.Number }

func numberOf(r pageRank) int32 { return r.First }

// keepBy returns a dataset keyed by key, with `parts` parts; equal keys keep their order.
func keepBy[K, T any](t require.TestingT, budget *cluster.Memory, key func(T) K, parts int, records []T) *KeyedDataset[K, T] {
	k := NewKeyedDataset(kept.Options{Name: "pages"}, key)
	plan := must(Job[T, K, T, T]{
		Map: func(rec T, emit func(K, T)) error { emit(key(rec), rec); return nil },
		Reduce: func(_ K, recs iter.Seq[T], emit func(T)) error {
			for rec := range recs {
				emit(rec)
			}
			return nil
		},
		Reducers: parts,
	}.Bind(Slice(records), k.Output()))(t)
	engine(t, plan, 0, nil, cluster.Resources{Budget: budget})
	return k
}

// drawPages returns random pages and ranks; many have the same key or neighboring ones.
func drawPages(t *rapid.T) (pages []linkedPage, ranks []pageRank) {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
	keys := rapid.SampledFrom([]int{1, 3, 100, 5000}).Draw(t, "keys")
	for range rapid.SampledFrom([]int{0, 1, 255, 257, 1000}).Draw(t, "pages") {
		p := linkedPage{Number: int32(rng.IntN(keys) - keys/2)}
		for range []int{0, 1, 5, 100}[rng.IntN(4)] {
			p.Links = append(p.Links, rng.Int32())
		}
		p.Name = fmt.Appendf(nil, "%x", rng.Uint64N(1<<rng.IntN(60)))
		pages = append(pages, p)
	}
	for range rapid.SampledFrom([]int{0, 1, 256, 700}).Draw(t, "ranks") {
		ranks = append(ranks, pageRank{int32(rng.IntN(keys) - keys/2), rng.Float64()})
	}
	return pages, ranks
}

func groupText(k int32, pages []linkedPage, ranks []pageRank) string {
	return fmt.Sprint(k, pages, ranks)
}

// A group of Grouped has all records of its key, for any parts and any way to read them.
func TestGroupsArePlainGo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pages, ranks := drawPages(t)
		left, right := map[int32][]linkedPage{}, map[int32][]pageRank{}
		keys := map[int32]bool{}
		for _, p := range pages {
			left[p.Number], keys[p.Number] = append(left[p.Number], p), true
		}
		for _, r := range ranks {
			right[r.First], keys[r.First] = append(right[r.First], r), true
		}
		var want []string
		for _, k := range slices.Sorted(maps.Keys(keys)) {
			want = append(want, groupText(k, left[k], right[k]))
		}
		root := cluster.NewMemory(rapid.SampledFrom([]int64{0, 1, 1 << 20}).Draw(t, "budget"))
		parts := rapid.IntRange(1, 3).Draw(t, "parts")
		budget := root.Sub()
		a, b := keepBy(t, budget, linkedPage.number, parts, pages), keepBy(t, budget, numberOf, parts, ranks)
		for _, debug := range []bool{false, true} {
			if debug && len(keys) > 100 {
				continue // it is slow
			}
			got, last := []string(nil), map[int]int32{}
			job := MapOnly[Group[int32, linkedPage, pageRank], int]{MapTask: func(t *Task) (Filter[Group[int32, linkedPage, pageRank], int], error) {
				return Filter[Group[int32, linkedPage, pageRank], int]{Map: func(g Group[int32, linkedPage, pageRank], _ func(int)) error {
					if k, ok := last[t.ID().Index]; ok && k >= g.Key {
						return fmt.Errorf("key %d comes after %d", g.Key, k)
					}
					last[t.ID().Index] = g.Key
					got = append(got, groupText(g.Key, g.Left, g.Right))
					return nil
				}}, nil
			}}
			plan := must(job.Bind(Grouped(a.Feed(), b.Feed()), unread[int]()))(t)
			if debug {
				plan.Debug(DebugOptions{})
			}
			c := engine(t, plan, 0, nil, cluster.Resources{Budget: budget})
			require.EqualValues(t, len(want), c.Get(counter.MapInputRecords))
			slices.Sort(got)
			slices.Sort(want)
			require.Equal(t, want, got)
		}
		a.Release()
		b.Release()
		budget.Close()
		require.Zero(t, root.Used())
	})
}

// The error of a group names its number, and a bad group can be skipped.
func TestGroupsThatFail(t *testing.T) {
	var pages []linkedPage
	for i := range int32(1000) {
		pages = append(pages, linkedPage{Number: i, Links: []int32{i}})
	}
	bad, errBad := int32(700), errors.New("bad page")
	number := func(p linkedPage) int32 { return p.Number }
	a := keepBy(t, nil, number, 1, pages)
	var how func() error
	job := MapOnly[Group[int32, linkedPage, linkedPage], int32]{Map: func(g Group[int32, linkedPage, linkedPage], emit func(int32)) error {
		if emit(g.Left[0].Links[0]); g.Key == bad {
			return how()
		}
		return nil
	}}
	sum := Job[Group[int32, linkedPage, linkedPage], int32, float64, Pair[int32, float64]]{
		Map: func(g Group[int32, linkedPage, linkedPage], emit func(int32, float64)) error {
			if emit(g.Left[0].Links[0], 1); g.Key == bad {
				return how()
			}
			return nil
		},
		Sum: true, Reducers: 1,
	}
	for _, f := range []func() error{func() error { return errBad }, func() error { panic(errBad.Error()) }} {
		how = f
		var out Collected[int32]
		plan := must(job.Bind(Grouped(a.Feed(), a.Feed()), out.Output()))(t)
		_, err := runFirstMap(t, plan)
		require.ErrorContains(t, err, "record 701: ")
		require.ErrorContains(t, err, "bad page")
		plan = must(job.Bind(Grouped(a.Feed(), a.Feed()), out.Output()))(t)
		_, list := skippingEngine(t, plan, 1)
		require.Len(t, list, 1)
		require.EqualValues(t, 701, list[0].Number)
		require.Len(t, must(out.Records())(t), 999)

		var sums Collected[Pair[int32, float64]]
		plan = must(sum.Bind(Grouped(a.Feed(), a.Feed()), sums.Output()))(t)
		require.ErrorContains(t, errorOf(runFirstMap(t, plan)), "record 701: ")
		plan = must(sum.Bind(Grouped(a.Feed(), a.Feed()), sums.Output()))(t)
		_, list = skippingEngine(t, plan, 1)
		require.EqualValues(t, 701, list[0].Number)
		require.Len(t, must(sums.Records())(t), 999)
	}
}

// runFirstMap returns the result of a plan's first map, and aborts the job.
func runFirstMap(t *testing.T, p *Plan) (*cluster.MapOutput, error) {
	splits := begun(t, p, nil)
	out, err := p.RunMap(t.Context(), &cluster.MapAttempt{Split: splits[0]})
	require.NoError(t, p.AbortJob())
	return out, err
}

// The memory limit of a group counts each record's bytes and its struct, so that it limits many
// small records, too.
func TestGroupedHoldsRecordsAndTheirHeads(t *testing.T) {
	type row = Pair[string, string]
	kept := func(n int) *KeyedDataset[string, row] {
		k := NewKeyedDataset(kept.Options{}, func(r row) string { return r.First })
		job := Job[int, string, string, row]{Map: func(i int, emit func(string, string)) error {
			emit("key", strings.Repeat("v", 10))
			return nil
		}}
		require.NoError(t, ran(job.Bind(Slice(make([]int, n)), k.Output())))
		return k
	}
	none := kept(0)
	least := func(n int) int64 { // the smallest limit at which a group of n records is read
		in := Grouped(kept(n).Feed(), none.Feed())
		return int64(sort.Search(1<<20, func(bound int) bool {
			r := &read.Reader{Ctx: t.Context(), Windows: read.UsualWindows(), Source: in.sources[0], Split: cluster.Split{Length: in.sources[0].Size()}}
			r.Windows.Record = int64(bound) + 1
			err := readEach(in, r, func(Group[string, row, row]) error { return nil })
			if err != nil {
				require.ErrorIs(t, err, ErrRecordTooLarge)
			}
			return err == nil
		})) + 1
	}
	one := least(1)
	require.Greater(t, one, int64(len("key")+10+int(unsafe.Sizeof(row{}))))
	require.Equal(t, 40*one, least(40))
}
