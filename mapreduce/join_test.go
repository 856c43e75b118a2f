package mapreduce

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
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

// joinsOf returns each kind of join of two feeds, by name; each writes a line per call.
func joinsOf(left, right Feed[string, []byte]) map[string]Joined[string] {
	show := func(p *[]byte) string {
		if p == nil {
			return "-"
		}
		return string(*p)
	}
	return map[string]Joined[string]{
		"inner": Join(left, right, func(k string, a, b []byte, emit func(string)) error {
			emit(fmt.Sprintf("%s %s %s", k, a, b))
			return nil
		}),
		"left": LeftJoin(left, right, func(k string, a []byte, b *[]byte, emit func(string)) error {
			emit(fmt.Sprintf("%s %s %s", k, a, show(b)))
			return nil
		}),
		"full": FullJoin(left, right, func(k string, a, b *[]byte, emit func(string)) error {
			emit(fmt.Sprintf("%s %s %s", k, show(a), show(b)))
			return nil
		}),
		"cogroup": CoGroup(left, right, func(k string, as [][]byte, bs iter.Seq[[]byte], emit func(string)) error {
			n := 0
			for range bs {
				if n++; n == 2 {
					break // the join must skip the other values
				}
			}
			emit(fmt.Sprintf("%s %s %d", k, bytes.Join(as, []byte("+")), n))
			return nil
		}),
	}
}

// joinsExpected returns the same by two loops.
func joinsExpected(left, right []joinRecord) map[string][]string {
	var keys []string
	for _, r := range append(slices.Clone(left), right...) {
		keys = append(keys, r.Key)
	}
	slices.Sort(keys)
	want := map[string][]string{}
	add := func(kind, format string, args ...any) { want[kind] = append(want[kind], fmt.Sprintf(format, args...)) }
	of := func(list []joinRecord, key string) (texts []string) {
		for _, r := range list {
			if r.Key == key {
				texts = append(texts, r.Text)
			}
		}
		return texts
	}
	for _, k := range slices.Compact(keys) {
		as, bs := of(left, k), of(right, k)
		for _, b := range bs {
			for _, a := range as {
				add("inner", "%s %s %s", k, a, b)
				add("left", "%s %s %s", k, a, b)
				add("full", "%s %s %s", k, a, b)
			}
			if len(as) == 0 {
				add("full", "%s - %s", k, b)
			}
		}
		for _, a := range as {
			if len(bs) == 0 {
				add("left", "%s %s -", k, a)
				add("full", "%s %s -", k, a)
			}
		}
		add("cogroup", "%s %s %d", k, strings.Join(as, "+"), min(len(bs), 2))
	}
	return want
}

// Each kind of join writes what two nested loops write, in RunLocal and on the engine, for any
// splits, number of reduces and memory.
func TestJoinsAreNestedLoops(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		record := joinRecords(3, "", "a", "a\x00", "b", "\xff")
		left, right := rapid.SliceOfN(record, 0, 8).Draw(t, "left"), rapid.SliceOfN(record, 0, 8).Draw(t, "right")
		block, reduces := rapid.Int64Range(1, 9).Draw(t, "block"), rapid.IntRange(1, 3).Draw(t, "reduces")
		feed := func(list []joinRecord) Feed[string, []byte] {
			buffer := make([]byte, 0, 8)
			return From(Slice(list), func(_ *Task, r joinRecord, emit func(string, []byte)) error {
				buffer = append(buffer[:0], r.Text...)
				emit(r.Key, buffer)
				return nil
			})
		}
		want := joinsExpected(left, right)
		for kind, j := range joinsOf(feed(left), feed(right)) {
			j.Reducers = reduces
			for _, local := range []bool{true, false} {
				out := new(Collected[string])
				p := must(j.Bind(out.Output()))(t)
				require.Equal(t, "join", p.Name())
				if local {
					must(RunLocal(context.Background(), p, LocalOptions{Blocks: p.BlocksOf(block)}))(t)
				} else {
					engine(t, p, 0, p.BlocksOf(block), cluster.Resources{})
				}
				got := must(out.Records())(t)
				if reduces > 1 {
					byKey := func(a, b string) int { return strings.Compare(keyOf(a, left, right), keyOf(b, left, right)) }
					slices.SortStableFunc(got, byKey)
				}
				require.Equal(t, want[kind], got, kind)
			}
		}
	})
}

// keyOf returns the longest key of the lists with which a line begins.
func keyOf(line string, lists ...[]joinRecord) (key string) {
	for _, list := range lists {
		for _, r := range list {
			if strings.HasPrefix(line, r.Key+" ") && len(r.Key) > len(key) {
				key = r.Key
			}
		}
	}
	return key
}

// The left values that a join holds stay unchanged, although spills share one read buffer.
func TestJoinKeepsWhatItHolds(t *testing.T) {
	list := make([]int, 40_000)
	for i := range list {
		list[i] = i
	}
	side := func() Feed[int, []byte] {
		return From(Slice(list), func(_ *Task, i int, emit func(int, []byte)) error {
			emit(i%10, fmt.Appendf(nil, "value %d of many", i))
			return nil
		})
	}
	sum := func(k int, as [][]byte, bs iter.Seq[[]byte], emit func(string)) error {
		for i, a := range as {
			if want := fmt.Sprintf("value %d of many", 10*i+k); want != string(a) {
				return fmt.Errorf("%d: %q, want %q", k, a, want)
			}
		}
		n := 0
		for b := range bs {
			if want := fmt.Sprintf("value %d of many", 10*n+k); want != string(b) {
				return fmt.Errorf("%d: %q, want %q", k, b, want)
			}
			n++
		}
		emit(fmt.Sprint(k, len(as), n))
		return nil
	}
	out := new(Collected[string])
	p := must(CoGroup(side(), side(), sum).Bind(out.Output()))(t)
	c := engine(t, p, 1, p.BlocksOf(10_000), cluster.Resources{Budget: cluster.NewMemory(256 << 10).Sub(), SpillDir: t.TempDir()})
	require.Positive(t, c.Get(counter.SpilledRecords))
	got := must(out.Records())(t)
	require.Len(t, got, 10)
	require.Equal(t, "9 4000 4000", got[9])
}

// If the left values of a key exceed the memory limit, the error says how to change the join.
func TestJoinHoldsTheLeftSide(t *testing.T) {
	many := By(Slice(make([][1 << 16]byte, 300)), func([1 << 16]byte) int { return 7 })
	one := By(Slice([]int{1}), func(int) int { return 7 })
	run := func(p *Plan) error {
		splits := begun(t, p, nil)
		res := cluster.Resources{Budget: cluster.NewMemory(32 << 20).Sub(), SpillDir: t.TempDir()}
		var outs []*cluster.MapOutput
		for i, s := range splits {
			out, err := p.RunMap(context.Background(), &cluster.MapAttempt{Index: i, Split: s, Resources: res})
			require.NoError(t, err)
			outs = append(outs, out)
		}
		err := p.RunReduce(context.Background(), &cluster.ReduceAttempt{Resources: res, Next: sent(0, outs...)})
		return errors.Join(err, p.AbortJob())
	}
	j := Join(many, one, func(_ int, _ [1 << 16]byte, n int, emit func(int)) error { emit(n); return nil })
	p := must(j.Bind(unread[int]()))(t)
	err := run(p)
	require.ErrorIs(t, err, ErrRecordTooLarge)
	require.True(t, fault.IsPermanent(err))
	require.ErrorContains(t, err, "key 7 has more than 16777216 bytes of left values, which a join holds in memory: "+
		"make the feed with fewer values a key the left one")
	k := Join(one, many, func(_ int, n int, _ [1 << 16]byte, emit func(int)) error { emit(n); return nil })
	p = must(k.Bind(unread[int]()))(t)
	require.NoError(t, run(p))
}

// An invalid join is an error in terms of joins, with the line of its Bind.
func TestJoinsAreChecked(t *testing.T) {
	ints := By(Slice([]int{1}), func(n int) int { return n })
	text := new(Collected[string])
	_, err := Joined[string]{}.Bind(text.Output())
	require.ErrorContains(t, err, `join_test.go:`)
	require.ErrorContains(t, err, `job "join": the join is empty`)
	maps := By(Slice([]map[int]int{{}}), func(map[int]int) int { return 1 })
	j := Join(ints, maps, func(int, int, map[int]int, func(string)) error { return nil })
	j.Name = "odd"
	_, err = j.Bind(text.Output())
	require.ErrorContains(t, err, `job "odd": right feed: value type map[int]int: unsupported type`)
	none := By(Lines(), func([]byte) int { return 1 })
	_, err = Join(ints, none, func(int, int, []byte, func(string)) error { return nil }).Bind(text.Output())
	require.ErrorIs(t, err, input.ErrNoSources)
	require.ErrorContains(t, err, "feed 2 has no sources")
	twice := CoGroup(ints, ints, func(_ int, _ []int, bs iter.Seq[int], _ func(string)) error {
		for range bs {
			break
		}
		for range bs {
			break
		}
		return nil
	})
	local, engine := bothWays(t, func() (*Plan, error) { return twice.Bind(unread[string]()) })
	require.ErrorContains(t, local, "the values of a key can be ranged over once")
	require.ErrorContains(t, engine, "the values of a key can be ranged over once")
}

// Ranging over a key's right values after the call that got them is an error.
func TestRightValuesAreOfTheirCall(t *testing.T) {
	bothOf := func(list []int) Feed[int, int] { return By(Slice(list), func(n int) int { return n / 10 }) }
	for name, group := range map[string]func(kept *iter.Seq[int], bs iter.Seq[int]){
		"the next call": func(kept *iter.Seq[int], bs iter.Seq[int]) {
			if *kept != nil {
				for range *kept {
				}
			}
			*kept = bs
		},
		"amid them": func(kept *iter.Seq[int], bs iter.Seq[int]) {
			if *kept == nil {
				next, stop := iter.Pull(bs)
				next()
				*kept = func(func(int) bool) { defer stop(); next() }
				return
			}
			for range *kept {
			}
		},
	} {
		local, engine := bothWays(t, func() (*Plan, error) {
			var kept iter.Seq[int]
			return CoGroup(bothOf([]int{10, 20, 30}), bothOf([]int{11, 12, 21, 22}), func(_ int, _ []int, bs iter.Seq[int], _ func(string)) error {
				group(&kept, bs)
				return nil
			}).Bind(unread[string]())
		})
		require.ErrorIs(t, local, errValuesKept, name)
		require.ErrorIs(t, engine, errValuesKept, name)
	}
}
