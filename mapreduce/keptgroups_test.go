package mapreduce

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// linkedPage has slices that may be lent, and one that always is.
type linkedPage struct {
	Number int32
	Links  []int32
	Name   []byte
}

type pageRank = Pair[int32, float64]

func (p linkedPage) number() int32 { return p.Number }

func numberOf(r pageRank) int32 { return r.First }

// keepBy keeps records by key, those of equal keys in their order, within a budget.
func keepBy[K, T any](t require.TestingT, budget *Memory, key func(T) K, parts int, records []T) *KeptBy[K, T] {
	k := NewKeptBy(KeptOptions{Name: "pages"}, key)
	plan, err := Job[T, K, T, T]{
		Map: func(rec T, emit func(K, T)) error {
			emit(key(rec), rec)
			return nil
		},
		Reduce: func(_ K, recs iter.Seq[T], emit func(T)) error {
			for rec := range recs {
				emit(rec)
			}
			return nil
		},
		Reducers: parts,
	}.Bind(Slice(records), k.Output())
	require.NoError(t, err)
	engine(t, plan, 0, nil, Resources{Budget: budget})
	return k
}

// drawPages are pages and ranks, of which keys that are near each other have many.
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

// Groups are the records of a key, wherever these lie, whether they are lent and however they are read.
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
		root := NewMemory(rapid.SampledFrom([]int64{0, 1, 1 << 20}).Draw(t, "budget"))
		parts := rapid.IntRange(1, 3).Draw(t, "parts")
		budget := root.Sub()
		a, b := keepBy(t, budget, linkedPage.number, parts, pages), keepBy(t, budget, numberOf, parts, ranks)
		if rapid.Bool().Draw(t, "lent") {
			a = a.Lent()
		}
		for _, debug := range []bool{false, true} {
			if debug && len(keys) > 100 {
				continue // it is slow
			}
			got, last := []string(nil), map[int]int32{}
			job := MapOnly[Group[int32, linkedPage, pageRank], int]{MapWith: func(t *Task, g Group[int32, linkedPage, pageRank], _ func(int)) error {
				if k, ok := last[t.ID().Index]; ok && k >= g.Key {
					return fmt.Errorf("key %d comes after %d", g.Key, k)
				}
				last[t.ID().Index] = g.Key
				got = append(got, groupText(g.Key, g.Left, g.Right))
				return nil
			}}
			plan, err := job.Bind(Grouped(a.Feed(), b.Feed()), new(Collected[int]).Output())
			require.NoError(t, err)
			if debug {
				plan.Debug(DebugOptions{})
			}
			c := engine(t, plan, 0, nil, Resources{Budget: budget})
			require.EqualValues(t, len(want), c.Get(MapInputRecords))
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

// TestGroupListsHoldWhatGroupsDo states that a group is too large, or not, however groups are read.
func TestGroupListsHoldWhatGroupsDo(t *testing.T) {
	most := func(list bool, pages, ranks int) int { // the bound under which a group is read
		a := keepBy(t, nil, linkedPage.number, 1, slices.Repeat([]linkedPage{{Links: make([]int32, 100)}}, pages))
		b := keepBy(t, nil, numberOf, 1, make([]pageRank, ranks))
		in := Grouped(a.Lent().Feed(), b.Feed())
		return sort.Search(1<<22, func(bound int) bool {
			r := &splitReader{ctx: t.Context(), windows: usualWindows(), source: in.sources[0], split: Split{Length: in.sources[0].Size()}}
			r.windows.record = int64(bound)
			groups := 0
			err := in.read(r, func(Group[int32, linkedPage, pageRank]) error {
				groups++
				return nil
			})
			if list {
				groups = 0
				err = in.lists(r, func(list []Group[int32, linkedPage, pageRank]) (int, error) {
					groups += len(list)
					return len(list), nil
				})
			}
			if err != nil {
				require.ErrorIs(t, err, ErrRecordTooLarge)
				require.True(t, IsPermanent(err))
				require.ErrorContains(t, err, "key 0 has more than")
			}
			require.Equal(t, err == nil, groups == 1)
			return err == nil
		})
	}
	for _, n := range [][2]int{{1, 0}, {0, 1}, {3, 4}, {300, 1}, {1, 600}} {
		require.Equal(t, most(false, n[0], n[1]), most(true, n[0], n[1]), n)
	}
}

// What goes wrong with a group names it by its number, and bad ones are left out.
func TestGroupsThatFail(t *testing.T) {
	var pages []linkedPage
	for i := range int32(1000) {
		pages = append(pages, linkedPage{Number: i, Links: []int32{i}})
	}
	bad, errBad := int32(700), errors.New("bad page")
	number := func(p linkedPage) int32 { return p.Number }
	a := keepBy(t, nil, number, 1, pages).Lent()
	var how func() error
	job := MapOnly[Group[int32, linkedPage, linkedPage], int32]{Map: func(g Group[int32, linkedPage, linkedPage], emit func(int32)) error {
		if emit(g.Left[0].Links[0]); g.Key == bad {
			return how()
		}
		return nil
	}}
	sum := Job[Group[int32, linkedPage, linkedPage], int32, float64, Pair[int32, float64]]{
		MapKeys: func(g Group[int32, linkedPage, linkedPage], _ func(int32, float64), emitAll func([]int32, float64)) error {
			if emitAll(g.Left[0].Links, 1); g.Key == bad {
				return how()
			}
			return nil
		},
		Combine: func(a, b float64) float64 { return a + b }, Reducers: 1,
	}
	for _, f := range []func() error{func() error { return errBad }, func() error { panic(errBad.Error()) }} {
		how = f
		var out Collected[int32]
		plan, err := job.Bind(Grouped(a.Feed(), a.Feed()), out.Output())
		require.NoError(t, err)
		_, err = plan.firstMap(t)
		require.ErrorContains(t, err, "record 701: ")
		require.ErrorContains(t, err, "bad page")
		plan, err = job.Bind(Grouped(a.Feed(), a.Feed()), out.Output())
		require.NoError(t, err)
		_, list := skippingEngine(t, plan, 1)
		require.Len(t, list, 1)
		require.EqualValues(t, 701, list[0].Number)
		got, err := out.Records()
		require.NoError(t, err)
		require.Len(t, got, 999)

		var sums Collected[Pair[int32, float64]]
		plan, err = sum.Bind(Grouped(a.Feed(), a.Feed()), sums.Output())
		require.NoError(t, err)
		_, err = plan.firstMap(t)
		require.ErrorContains(t, err, "record 701: ")
		plan, err = sum.Bind(Grouped(a.Feed(), a.Feed()), sums.Output())
		require.NoError(t, err)
		_, list = skippingEngine(t, plan, 1)
		require.EqualValues(t, 701, list[0].Number)
		all, err := sums.Records()
		require.NoError(t, err)
		require.Len(t, all, 999)
	}
}

// firstMap runs the first map of a plan, and ends the job.
func (p *Plan) firstMap(t *testing.T) (*MapOutput, error) {
	require.NoError(t, p.SetupJob())
	require.NoError(t, p.Prepare(t.Context(), PrepareOptions{}))
	splits, err := p.Splits(t.Context(), nil)
	require.NoError(t, err)
	out, err := p.RunMap(t.Context(), &MapAttempt{Split: splits[0]})
	require.NoError(t, p.AbortJob())
	return out, err
}

// Lent slices lie where the records are kept, at places that suit them; others are the map's own.
func TestLentSlicesAreNoCopies(t *testing.T) {
	type vector struct {
		On     bool
		Small  []int16
		Name   string
		Points []struct{ X, Y float64 }
		Odd    [3]byte
		Words  []uint64
	}
	var records []vector
	for i := range 100 {
		v := vector{Name: fmt.Sprint("name ", i), Small: make([]int16, i%7)}
		v.Points, v.Words = make([]struct{ X, Y float64 }, 1+i%3), []uint64{uint64(i)}
		v.Points[0].X = float64(i)
		records = append(records, v)
	}
	k := NewKept[vector](KeptOptions{})
	keep(t, k, Slice(records), 1<<20)
	places := func(k *Kept[vector]) (list []uintptr) {
		i := 0
		plan, err := MapOnly[vector, int]{Map: func(v vector, _ func(int)) error {
			require.Equal(t, fmt.Sprint(records[i]), fmt.Sprint(v))
			i++
			require.Equal(t, len(v.Words), cap(v.Words))
			at := uintptr(unsafe.Pointer(unsafe.SliceData(v.Words)))
			require.Zero(t, at%8)
			require.Zero(t, uintptr(unsafe.Pointer(unsafe.SliceData(v.Points)))%8)
			require.Zero(t, uintptr(unsafe.Pointer(unsafe.SliceData(v.Small)))%2)
			list = append(list, at)
			return nil
		}}.Bind(k.Input(), new(Collected[int]).Output())
		require.NoError(t, err)
		engine(t, plan, 0, nil, Resources{})
		require.Equal(t, len(records), i)
		return list
	}
	require.Equal(t, places(k.Lent()), places(k.Lent()))
	require.NotEqual(t, places(k), places(k.Lent()))
	mine, err := k.Lent().Records()
	require.NoError(t, err)
	mine[5].Points[0].X, mine[5].Words[0] = -1, 1<<40
	again, err := k.Records()
	require.NoError(t, err)
	require.Equal(t, fmt.Sprint(records), fmt.Sprint(again))
}

// A watched plan finds who writes to what is lent, or keeps it; where nothing is lent, both are allowed.
func TestLentSlicesAreWatched(t *testing.T) {
	pages := []linkedPage{{Number: 1, Links: []int32{1, 2, 3}}, {Number: 2, Links: []int32{4}}}
	kept := keepBy(t, nil, linkedPage.number, 1, pages)
	run := func(k *KeptBy[int32, linkedPage], use func(links []int32)) []error {
		one, err := MapOnly[linkedPage, int]{Map: func(p linkedPage, _ func(int)) error {
			use(p.Links)
			return nil
		}}.Bind(k.Input(), new(Collected[int]).Output())
		require.NoError(t, err)
		two, err := MapOnly[Group[int32, linkedPage, linkedPage], int]{Map: func(g Group[int32, linkedPage, linkedPage], _ func(int)) error {
			use(g.Left[0].Links)
			return nil
		}}.Bind(Grouped(k.Feed(), k.Feed()), new(Collected[int]).Output())
		require.NoError(t, err)
		var errs []error
		for _, plan := range []*Plan{one, two} {
			plan.Debug(DebugOptions{})
			_, err := RunLocal(t.Context(), plan, LocalOptions{})
			errs = append(errs, err)
		}
		return errs
	}
	write := func(links []int32) { links[0] = 7 }
	for _, err := range run(kept.Lent(), write) {
		require.ErrorIs(t, err, errRecordChanged)
	}
	for _, err := range run(kept, write) {
		require.NoError(t, err)
	}
	var last [][]int32
	hold := func(links []int32) { last = append(last, links) }
	for _, err := range run(kept.Lent(), hold) {
		require.NoError(t, err)
	}
	const poison = Poison<<24 | Poison<<16 | Poison<<8 | Poison
	for _, links := range last {
		require.Equal(t, uint32(poison), uint32(links[0]))
	}
	last = nil
	run(kept, hold)
	require.Equal(t, [][]int32{{1, 2, 3}, {4}, {1, 2, 3}, {4}}, last)
	got, err := kept.Records()
	require.NoError(t, err)
	require.Equal(t, fmt.Sprint(pages), fmt.Sprint(got))
}
