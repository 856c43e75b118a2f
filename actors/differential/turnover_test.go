//go:build !race

package differential

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/mapreduce"
)

// waiting returns the numbers of ordinary emits before an event. They are near the end of a group
// of 16 pairs, and near the middle and the end of the combiner's batch of 128, so that the event
// crosses each end.
func waiting() []int { return around(2, 1, 16, 64, 128, 192, 256) }

// event is a few emits with unusual lengths, inserted after pattern.waiting ordinary ones.
type event struct {
	name     string
	key      int // bytes of the key; 0: as in ordinary emits
	value    int // bytes of the value
	times    int
	sameKey  bool
	nilValue bool
}

// events fill or bypass the combiner's buffers. The value buffer holds 16 KiB and no value above
// 256 bytes; a heap value above 1 KiB empties the batch. The batch of long keys holds 32 pairs
// or 4 KiB; a larger key bypasses it.
var events = []event{
	{name: "nothing", times: 0},
	{name: "empty values", value: 0, times: 2},
	{name: "no value", nilValue: true, times: 2},
	{name: "largest lent", value: 256, times: 70},
	{name: "too large to lend", value: 257, times: 1},
	{name: "bulky", value: 2000, times: 2, sameKey: true},
	{name: "31 long keys", key: 17, value: 9, times: 31},
	{name: "32 long keys", key: 33, value: 9, times: 32, sameKey: true},
	{name: "33 long keys", key: 17, value: 100, times: 33},
	{name: "4 KiB of long keys", key: 800, value: 3, times: 6},
	{name: "huge key", key: 5000, value: 3, times: 1},
}

// pattern describes the emits of one map: `waiting` ordinary pairs, the event and 70 more pairs,
// all of it twice if twice is set. The pairs cycle through `keys` keys.
type pattern struct {
	waiting int
	event   event
	size    int // bytes of the values of ordinary pairs
	keys    int
	twice   bool
}

// patterns returns a pattern for each combination of waiting number, event and size of values.
func patterns(sizes ...int) (list []pattern) {
	for i, k := range waiting() {
		for e, ev := range events {
			for s, size := range sizes {
				list = append(list, pattern{waiting: k, event: ev, size: size, keys: []int{1000, 3, 40}[(i+e+s)%3], twice: (i+s)%4 == 0})
			}
		}
	}
	return list
}

// step is an emit of a pattern: the number of its key, and lengths.
type step struct {
	key, keyBytes, valueBytes int
	nilValue                  bool
}

func (p pattern) steps() (list []step) {
	for range map[bool]int{false: 1, true: 2}[p.twice] {
		for i := range p.waiting {
			list = append(list, step{key: i % p.keys, valueBytes: p.size})
		}
		for i := range p.event.times {
			if p.event.sameKey {
				i = 0
			}
			list = append(list, step{i % p.keys, p.event.key, p.event.value, p.event.nilValue})
		}
		for i := range 70 {
			list = append(list, step{key: i % p.keys, valueBytes: max(1, p.size/2)})
		}
	}
	return list
}

// listsOf returns a list of emits for each pattern. No two lists share a key, so that no map's
// value hides a wrong one of another map.
func listsOf[K, V any](patterns []pattern, key func(list int, s step) K, value func(n int, s step) V) (lists [][]pair[K, V]) {
	for l, p := range patterns {
		steps := p.steps()
		lists = append(lists, emitting(len(steps), func(i int) (K, V) { return key(l, steps[i]), value(i, steps[i]) }))
	}
	return lists
}

func stringKey(list int, s step) string {
	k := fmt.Sprintf("%d-%d", list, s.key)
	return k + strings.Repeat("x", max(0, s.keyBytes-len(k)))
}

func visitKey(list int, s step) visit {
	return visit{User: stringKey(list, s), Day: int16(s.key % 3), page: []byte{byte(s.key)}}
}

func numberKey(list int, s step) int32 {
	if s.keyBytes > 0 { // far from all others
		return int32(-1<<30 + list*100_000 + s.key*1000)
	}
	return int32(list*300 + s.key)
}

// bytesOf returns bytes that differ from those of neighboring emits.
func bytesOf(n int, s step) []byte {
	if s.nilValue {
		return nil
	}
	b := make([]byte, s.valueBytes)
	for i := range b {
		b[i] = byte('!' + (n*7+i/16)%90)
	}
	return b
}

// alikeOf returns bytes that depend only on the emit's key.
func alikeOf(_ int, s step) []byte {
	return bytesOf(s.key*13, step{key: s.key, valueBytes: 20 + s.key%200})
}

// sharedOf returns the same bytes for eight emits in a row, so that new keys with equal values
// follow each other.
func sharedOf(n int, s step) []byte { return bytesOf(n/8, s) }

func wordOf(n int, s step) int64 { return int64(n*n%1000+s.valueBytes) - 300 }

// Output is right wherever the combiner empties or bypasses its buffers: patterns reach each limit.
func TestTurnover(t *testing.T) {
	t.Parallel()
	for _, shape := range []string{"longest", "second", "mutate", "concatenate", "prefix", "fresh"} {
		sizes, value := []int{256}, bytesOf
		switch {
		case shape == "second" || shape == "concatenate":
			value = alikeOf
		case shape == "mutate":
			value = sharedOf
		case shape == "longest" || long:
			sizes = []int{1, 128, 200, 256}
		}
		t.Run("string/bytes/"+shape, func(t *testing.T) {
			require.NoError(t, exact[string, []byte]{keys: strs(), values: byteValues(), shape: shape, lists: listsOf(patterns(sizes...), stringKey, value)}.run(t))
		})
		t.Run("int32/bytes/"+shape, func(t *testing.T) {
			require.NoError(t, exact[int32, []byte]{keys: intKeys[int32]("int32"), values: byteValues(), shape: shape, lists: listsOf(patterns(sizes[:1]...), numberKey, value)}.run(t))
		})
	}
	t.Run("struct/bytes", func(t *testing.T) {
		require.NoError(t, exact[visit, []byte]{keys: visits(), values: byteValues(), shape: "longest", lists: listsOf(patterns(100, 256), visitKey, bytesOf)}.run(t))
	})
	t.Run("string/string", func(t *testing.T) {
		text := func(n int, s step) string { return string(bytesOf(n, s)) }
		require.NoError(t, exact[string, string]{keys: strs(), values: stringValues(), shape: "longest", lists: listsOf(patterns(20, 600), stringKey, text)}.run(t))
	})
	for _, shape := range []string{"max", "sum"} {
		t.Run("string/int64/"+shape, func(t *testing.T) {
			require.NoError(t, exact[string, int64]{keys: strs(), values: intValues[int64]("int64"), shape: shape, lists: listsOf(patterns(1), stringKey, wordOf)}.run(t))
		})
		t.Run("struct/int64/"+shape, func(t *testing.T) {
			require.NoError(t, exact[visit, int64]{keys: visits(), values: intValues[int64]("int64"), shape: shape, lists: listsOf(patterns(1), visitKey, wordOf)}.run(t))
		})
		t.Run("int32/int64/"+shape, func(t *testing.T) {
			require.NoError(t, exact[int32, int64]{keys: intKeys[int32]("int32"), values: intValues[int64]("int64"), shape: shape, lists: listsOf(patterns(1), numberKey, wordOf)}.run(t))
		})
	}
}

// Combined output is right if the combiner's table grows (at 256, 1,024 and 4,096 keys) at any
// place in a batch. For this, 0 to 128 emits of one key come before the new keys. Long keys
// fill their batch of 32 at the same time.
func TestGrowthMeetsBatches(t *testing.T) {
	t.Parallel()
	var short [][]pair[string, int64]
	var held [][]pair[string, []byte]
	for before := range 129 {
		for _, keys := range []int{300, 1100} {
			if keys > 300 && before%9 > 0 {
				continue
			}
			name := func(i int) string {
				k := fmt.Sprintf("%d/%d-%d", before, keys, max(0, i-before))
				if i%3 == 0 && before%2 == 1 {
					k += " and more than sixteen bytes"
				}
				return k
			}
			short = append(short, emitting(before+keys, func(i int) (string, int64) { return name(i), int64(i) }))
			held = append(held, emitting(before+keys, func(i int) (string, []byte) { return name(i), fmt.Append(nil, "value ", i) }))
		}
	}
	for _, shape := range []string{"max", "sum"} {
		require.NoError(t, exact[string, int64]{keys: strs(), values: intValues[int64]("int64"), shape: shape, lists: short}.run(t))
	}
	require.NoError(t, exact[string, []byte]{keys: strs(), values: byteValues(), shape: "longest", lists: held}.run(t))
}

// exact is a trial with given, not random, emits. Each of lists is what one map emits.
type exact[K, V any] struct {
	keys   keyKind[K]
	values valueKind[V]
	shape  string
	plan   plan
	config actors.Config
	lists  [][]pair[K, V]
	pass   func(j *trial[K, V], in mapreduce.Input[[]byte], to mapreduce.Destination) (*mapreduce.Plan, error) // without Reduce
}

// run runs a job whose maps emit the lists and returns the first difference from the right output.
func (e exact[K, V]) run(t *testing.T) error {
	t.Helper()
	j := newTrial(e.keys, e.values, e.shape, e.plan)
	if j.plan.order == "" {
		j.plan.order = "hash"
	}
	j.plan.reuse = true
	j.plan.reduces = max(1, e.plan.reduces)
	j.records = e.lists
	j.ready(nil)
	if j.shape != nil && j.shape.domain != nil {
		for _, list := range j.records {
			for i := range list {
				list[i].value = j.shape.domain(j.values.copyOf(list[i].value))
			}
		}
	}
	cfg := e.config
	cfg.BlockSize = 5 // the size of one record: one map per list
	cfg.MapSlots, cfg.ReduceSlots = 2, 2
	return runExact(t, cfg, job{
		records: len(j.records), want: j.want, bind: j.reducing,
		pass: func(in mapreduce.Input[[]byte], to mapreduce.Destination) (*mapreduce.Plan, error) {
			return e.pass(j, in, to)
		},
	}, j.plan)
}

// emitting returns the n pairs at(0) to at(n-1).
func emitting[K, V any](n int, at func(i int) (K, V)) []pair[K, V] {
	list := make([]pair[K, V], n)
	for i := range list {
		list[i].key, list[i].value = at(i)
	}
	return list
}

// around returns the non-negative numbers at most width away from an edge, in order.
func around(width int, edges ...int) (list []int) {
	for _, e := range edges {
		for i := max(0, e-width); i <= e+width; i++ {
			list = append(list, i)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
