package mapreduce_test

import (
	"errors"
	"iter"
	"slices"
	"sort"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	. "github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/kept"
	"github.com/tarry-mr/tarry/mapreduce/internal/read"
)

// linkedPage is a record with slices, which show the dataset's memory when it is read.
type linkedPage struct {
	Number int32
	Links  []int32
	Name   []byte
}

func (p linkedPage) number() int32 { return p.Number }

// keepPages returns a dataset of pages in one part, keyed by their numbers. It is spilled.
func keepPages(t *testing.T, pages []linkedPage) *KeyedDataset[int32, linkedPage] {
	k := NewKeyedDataset(kept.Options{Name: "pages"}, linkedPage.number)
	plan := must(Job[linkedPage, int32, linkedPage, linkedPage]{
		Map: func(p linkedPage, emit func(int32, linkedPage)) error { emit(p.Number, p); return nil },
		Reduce: func(_ int32, pages iter.Seq[linkedPage], emit func(linkedPage)) error {
			for p := range pages {
				emit(p)
			}
			return nil
		},
	}.Bind(Slice(pages), k.Output()))(t)
	engine(t, plan, 1, nil, cluster.Resources{Budget: cluster.NewMemory(1).Sub()})
	return k
}

// The error of a group names its number, and a bad group can be skipped. Groups come in the order
// of their keys, and have their own records, although a batch of them is in several blocks.
func TestGroupsThatFail(t *testing.T) {
	type group = Group[int32, linkedPage, linkedPage]
	var pages []linkedPage
	var want []int32
	for i := range int32(1000) {
		pages = append(pages, linkedPage{Number: i, Links: slices.Repeat([]int32{i}, 100)})
		if i != 700 {
			want = append(want, i)
		}
	}
	a := keepPages(t, pages)
	for _, how := range []func() error{func() error { return errors.New("bad page") }, func() error { panic("bad page") }} {
		check := func(g group) error {
			if g.Key == 700 {
				return how()
			}
			return nil
		}
		var out Collected[int32]
		var sums Collected[Pair[int32, float64]]
		for _, bind := range []func() (*Plan, error){
			func() (*Plan, error) {
				return MapOnly[group, int32]{Map: func(g group, emit func(int32)) error {
					emit(g.Left[0].Links[0])
					return check(g)
				}}.Bind(Grouped(a.Feed(), a.Feed()), out.Output())
			},
			func() (*Plan, error) {
				return Job[group, int32, float64, Pair[int32, float64]]{Map: func(g group, emit func(int32, float64)) error {
					emit(g.Left[0].Links[0], 1)
					return check(g)
				}, Sum: true}.Bind(Grouped(a.Feed(), a.Feed()), sums.Output())
			},
		} {
			p := must(bind())(t)
			splits := begun(t, p, nil)
			_, err := p.RunMap(t.Context(), &cluster.MapAttempt{Split: splits[0]})
			require.ErrorContains(t, err, "record 701: ")
			require.ErrorContains(t, err, "bad page")
			require.NoError(t, p.AbortJob())
			_, list := skipping(t, must(bind())(t), false, 1)
			require.Len(t, list, 1)
			require.EqualValues(t, 701, list[0].Number)
		}
		require.Equal(t, want, must(out.Records())(t))
		require.Len(t, must(sums.Records())(t), 999)
	}
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
			p := must(passOn[Group[string, row, row]]().Bind(in, unread[Group[string, row, row]]()))(t)
			all := p.Job().Sources[0]
			r := &read.Reader{Ctx: t.Context(), Windows: read.UsualWindows(), Source: all, Split: cluster.Split{Length: all.Size()}}
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
