package mapreduce_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	. "github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
)

type joinRecord struct {
	Key  string
	Text string
}

// joinRecords draws records with one of these keys, and a text of up to `longest` letters.
func joinRecords(longest int, keys ...string) *rapid.Generator[joinRecord] {
	return rapid.Custom(func(t *rapid.T) joinRecord {
		key, text := rapid.SampledFrom(keys).Draw(t, "key"), rapid.StringN(0, longest, -1).Draw(t, "text")
		return joinRecord{key, text}
	})
}

// If the left values of a key exceed the memory limit, the error says how to change the join.
func TestJoinHoldsTheLeftSide(t *testing.T) {
	many := Keyed(Slice(make([][1 << 16]byte, 300)), func([1 << 16]byte) int { return 7 })
	one := Keyed(Slice([]int{1}), func(int) int { return 7 })
	run := func(p *Plan) error {
		res := cluster.Resources{Budget: cluster.NewMemory(32 << 20).Sub(), SpillDir: t.TempDir()}
		return (&engineRun{Resources: res}).run(t.Context(), p)
	}
	j := Join(many, one, func(_ int, _ [1 << 16]byte, n int, emit func(int)) error { emit(n); return nil })
	err := run(must(j.Bind(unread[int]()))(t))
	require.ErrorIs(t, err, ErrRecordTooLarge)
	require.True(t, fault.IsPermanent(err))
	require.ErrorContains(t, err, "key 7 has more than 16777216 bytes of left values, which a join holds in memory: "+
		"make the feed with fewer values a key the left one")
	k := Join(one, many, func(_ int, n int, _ [1 << 16]byte, emit func(int)) error { emit(n); return nil })
	require.NoError(t, run(must(k.Bind(unread[int]()))(t)))
}

// An invalid join is an error in terms of joins, with the line of its Bind.
func TestJoinsAreChecked(t *testing.T) {
	ints := Keyed(Slice([]int{1}), func(n int) int { return n })
	text := new(Collected[string])
	_, err := Joined[string]{}.Bind(text.Output())
	require.ErrorContains(t, err, `join_test.go:`)
	require.ErrorContains(t, err, `job "join": the join is empty`)
	maps := Keyed(Slice([]map[int]int{{}}), func(map[int]int) int { return 1 })
	j := Join(ints, maps, func(int, int, map[int]int, func(string)) error { return nil })
	j.Name = "odd"
	_, err = j.Bind(text.Output())
	require.ErrorContains(t, err, `job "odd": right feed: value type map[int]int: unsupported type`)
	none := Keyed(Lines(), func([]byte) int { return 1 })
	_, err = Join(ints, none, func(int, int, []byte, func(string)) error { return nil }).Bind(text.Output())
	require.ErrorIs(t, err, input.ErrNoSources)
	require.ErrorContains(t, err, "feed 2 has no sources")
}
