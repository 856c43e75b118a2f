package mapreduce_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	. "github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// gather returns the records of a job, run in RunLocal or by attempts with little memory.
func gather[O any](t require.TestingT, bind func(Output[O]) (*Plan, error), local bool, block int64, reduces int) []O {
	out := new(Collected[O])
	p := must(bind(out.Output()))(t)
	if local {
		must(RunLocal(context.Background(), p, LocalOptions{Reduces: reduces, Blocks: p.Job().BlocksOf(block)}))(t)
	} else {
		engine(t, p, reduces, p.Job().BlocksOf(block), cluster.Resources{Budget: cluster.NewMemory(1 << 10).Sub()})
	}
	return must(out.Records())(t)
}

// Each operator returns what plain Go code does, for all splits and numbers of reduces.
func TestOperatorsArePlainGo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(joinRecords(2, "", "a", "b", "b\x00"), 0, 30).Draw(t, "records")
		block, reduces := rapid.Int64Range(1, 31).Draw(t, "block"), rapid.IntRange(1, 3).Draw(t, "reduces")
		n := rapid.IntRange(0, 4).Draw(t, "n")
		local := rapid.Bool().Draw(t, "local")
		in := Slice(list)
		key := func(r joinRecord) string { return r.Key }
		byBoth := func(a, b joinRecord) int { return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Text, b.Text)) }
		sorted := func(list []joinRecord) []joinRecord { return slices.SortedFunc(slices.Values(list), byBoth) }

		got := gather(t, Distinct[joinRecord]().Over(in), local, block, reduces)
		require.Equal(t, slices.Compact(sorted(list)), sorted(got))

		got = gather(t, SortBy(key).Over(in), local, block, reduces)
		want := slices.Clone(list)
		slices.SortStableFunc(want, func(a, b joinRecord) int { return cmp.Compare(a.Key, b.Key) })
		require.Equal(t, fmt.Sprint(want), fmt.Sprint(got))

		length := func(a, b joinRecord) int { return cmp.Compare(len(a.Text), len(b.Text)) }
		got = gather(t, TopPerKey(n, key, length).Over(in), local, block, reduces)
		slices.SortStableFunc(got, func(a, b joinRecord) int { return cmp.Compare(a.Key, b.Key) })
		require.Equal(t, fmt.Sprint(topExpected(list, n)), fmt.Sprint(got))

		different := map[string]int64{}
		for _, r := range slices.Compact(sorted(list)) {
			different[r.Key]++
		}
		counts := gather(t, CountDistinct(key, func(r joinRecord) string { return r.Text }).Over(in), local, block, reduces)
		found := map[string]int64{}
		for _, c := range counts {
			found[c.First] += c.Second
		}
		require.Equal(t, different, found)
		require.Len(t, counts, len(found))
	})
}

// topExpected returns for each key its n longest texts, equal ones by their bytes.
func topExpected(list []joinRecord, n int) (top []joinRecord) {
	byKey := map[string][]joinRecord{}
	for _, r := range list {
		byKey[r.Key] = append(byKey[r.Key], r)
	}
	for _, k := range []string{"", "a", "b", "b\x00"} {
		slices.SortFunc(byKey[k], func(a, b joinRecord) int {
			return cmp.Or(cmp.Compare(len(b.Text), len(a.Text)), cmp.Compare(a.Text, b.Text))
		})
		top = append(top, byKey[k][:min(n, len(byKey[k]))]...)
	}
	return top
}

// Two seeds choose independently, and all records if all are wanted. TestOffsetsOfAllInputs of
// actors has the rest.
func TestSampleDependsOnTheSeed(t *testing.T) {
	list := make([]int, 20_000)
	for i := range list {
		list[i] = i
	}
	sample := func(part float64, seed uint64) []int { return collected(t, Sample[int](part, seed).Over(Slice(list))) }
	require.Equal(t, list, sample(1, 1))
	require.Empty(t, sample(0, 1))
	some, other := sample(0.1, 1), sample(0.1, 2)
	both := slices.DeleteFunc(other, func(n int) bool { return !slices.Contains(some, n) })
	require.InDelta(t, 200, len(both), 100)
}

// BroadcastJoin limits the size of the small feed, and its errors name their places.
func TestBroadcastJoinIsChecked(t *testing.T) {
	ints := Slice([]int{1, 2})
	same := func(n int) int { return n }
	each := func(int, []string, func(int)) error { return nil }
	_, err := BroadcastJoin[int, int, string, int](Slice([]int{1}), nil, Feed[int, string]{}, nil).Bind(unread[int]())
	require.ErrorContains(t, err, `operators_test.go:`)
	require.ErrorContains(t, err, `job "broadcast join": the join has no function`)
	_, err = BroadcastJoin(ints, same, From(Lines(), func(*Task, []byte, func(int, string)) error { return nil }), each).Bind(unread[int]())
	require.ErrorContains(t, err, "small feed: nothing to read")
	joined := BroadcastJoin(ints, same, From(Lines(Bytes("small", nil)), func(*Task, []byte, func(int, string)) error { return nil }), each)
	joined.Reducers = 2
	_, err = joined.Bind(unread[int]())
	require.ErrorContains(t, err, "a broadcast join has no reduces")
	bad := From(Lines(Bytes("small", []byte("1\nx\n"))), func(_ *Task, line []byte, emit func(int, string)) error {
		if line[0] == 'x' {
			return context.Canceled
		}
		emit(1, "one")
		return nil
	})
	err = ran(BroadcastJoin(ints, same, bad, each).Bind(unread[int]()))
	require.ErrorContains(t, err, `small feed: small: at byte 2, "x": context canceled`)
}
