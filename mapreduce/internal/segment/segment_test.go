package segment

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

type record struct{ key, value []byte }

// attempt is what one map attempt emits: its records, and the partition of each.
type attempt struct {
	records    []record
	partitions []int
}

func drawAttempt(t *rapid.T, n, partitions int) attempt {
	byKey := rapid.Bool().Draw(t, "partitions by key")
	alphabet := rapid.SampledFrom([]string{"a", "ab", "\x00\x01", "abcdefgh \xff"}).Draw(t, "alphabet")
	longest := rapid.SampledFrom([]int{0, 2, 9, 17, 40}).Draw(t, "longest")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	var a attempt
	for i := range n {
		k := make([]byte, rng.IntN(longest+1))
		for j := range k {
			k[j] = alphabet[rng.IntN(len(alphabet))]
		}
		if rng.IntN(4) == 0 {
			k = append([]byte("common prefix of some keys "), k...)
		}
		v := []byte(fmt.Sprint(i))
		switch rng.IntN(1500) {
		case 0:
			k = append(bytes.Repeat([]byte("long"), 16385+rng.IntN(2)), k...)
		case 1: // longer than a block of a run
			k = append(bytes.Repeat([]byte("long"), []int{1, 2, 3, 10}[rng.IntN(4)]*blockSize/4-rng.IntN(30)), k...)
		case 2: // also longer than the buffer of WriteTo
			v = append(bytes.Repeat(v, []int{blockSize, gatherSize}[rng.IntN(2)]/len(v)), v...)
		}
		p := i % partitions
		if byKey {
			p = PartitionOf(k, partitions)
		}
		a.records, a.partitions = append(a.records, record{k, v}), append(a.partitions, p)
	}
	return a
}

// oracle returns what a merge of partition p must return: all its records in a stable sort, which
// keeps the order of attempts and emits.
func oracle(attempts []attempt, p int) (out []string) {
	var all []record
	for _, a := range attempts {
		for i, r := range a.records {
			if a.partitions[i] == p {
				all = append(all, r)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b record) int { return bytes.Compare(a.key, b.key) })
	for _, r := range all {
		out = append(out, string(r.key)+"="+string(r.value))
	}
	return out
}

// runAttempt adds an attempt's records to a sorter and returns the segments. If pinned, some are in
// a pinned chunk; after `bundled` records it bundles.
func runAttempt(t require.TestingT, cfg Config, a attempt, pinned bool, bundled int64) []*Segment {
	s := NewSorter(cfg)
	s.bundles.from = bundled
	s.minStore = 30_000
	defer s.Close()
	var chunk []byte
	at := make([]int, len(a.records))
	if pinned {
		for i, r := range a.records {
			at[i] = len(chunk)
			chunk = append(append(chunk, r.key...), r.value...)
		}
		s.Pin(chunk, nil)
	}
	for i, r := range a.records {
		k, v := r.key, r.value
		if pinned && i%7 != 3 {
			k = chunk[at[i]:][:len(k):len(k)]
			v = chunk[at[i]+len(k):][:len(v):len(v)]
		} else {
			k, v = bytes.Clone(k), bytes.Clone(v)
		}
		require.NoError(t, s.Add(a.partitions[i], k, v))
		if !pinned || i%7 == 3 {
			clear(k)
			clear(v)
		}
	}
	out, stats, err := s.Finish()
	require.NoError(t, err)
	require.EqualValues(t, len(a.records), stats.Records)
	return out
}

func drain(t require.TestingT, m *Merge) (out []string) {
	for {
		k, v, ok := m.Next()
		if !ok {
			break
		}
		out = append(out, string(k)+"="+string(v))
	}
	require.NoError(t, m.Err())
	return out
}

// drainSome returns what drain does, but gets up to n records per call, by Some.
func drainSome(t require.TestingT, m *Merge, n int) (out []string) {
	list := make([]Record, n)
	for k := m.Some(list); k > 0; k = m.Some(list) {
		for _, r := range list[:k] {
			out = append(out, string(r.Key)+"="+string(r.Value))
		}
	}
	require.NoError(t, m.Err())
	return out
}

// Segments merge to all records in a stable sort. It does not matter what was spilled, bundled,
// pinned or sent to another process, and by which methods of Merge the records are read.
func TestMergeEqualsStableSort(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		partitions := rapid.IntRange(1, 3).Draw(t, "partitions")
		limit := rapid.SampledFrom([]int64{0, 1, 100_000, 1 << 20}).Draw(t, "limit")
		root := memory.NewBudget(limit)
		pool, files := memory.NewPool(root, rapid.SampledFrom([]int64{0, 1 << 20}).Draw(t, "idle")), NewFiles(dir)
		var attempts []attempt
		segments := make([][]*Segment, partitions)
		for range rapid.IntRange(0, 4).Draw(t, "attempts") {
			a := drawAttempt(t, rapid.SampledFrom([]int{0, 1, 30, 300, 1000}).Draw(t, "records"), partitions)
			attempts = append(attempts, a)
			b := root.Sub()
			abandoned := NewSorter(Config{Resources: Resources{b, pool, files}, Partitions: partitions})
			for i, r := range a.records[:len(a.records)/2] {
				require.NoError(t, abandoned.Add(a.partitions[i], r.key, r.value))
			}
			abandoned.Close()
			cfg := Config{Resources: Resources{b, pool, files}, Partitions: partitions, Stored: rapid.Bool().Draw(t, "stored")}
			for p, s := range runAttempt(t, cfg, a, rapid.Bool().Draw(t, "pinned"), rapid.SampledFrom([]int64{0, 5, neverBundled}).Draw(t, "bundled")) {
				if cfg.Stored {
					s = imported(t, files, s, rapid.SampledFrom([]int{1000, 77_777, extentSize, 1 << 20}).Draw(t, "size"))
				}
				segments[p] = append(segments[p], s)
			}
			b.Close()
		}
		fanIn := rapid.SampledFrom([]int{0, 2, 3}).Draw(t, "fan-in")
		mergeLimit := rapid.SampledFrom([]int64{0, 1, 10_000}).Draw(t, "merge limit")
		for p := range partitions {
			b := memory.NewBudget(mergeLimit).Sub()
			cfg := MergeConfig{Resources: Resources{b, pool, files}, FanIn: fanIn}
			want := oracle(attempts, p)
			m := NewMerge(cfg, segments[p])
			require.Equal(t, want, drain(t, m))
			m.Close()
			m = NewMerge(cfg, segments[p])
			require.Equal(t, want, drainSome(t, m, rapid.SampledFrom([]int{1, 3, 32}).Draw(t, "at once")))
			m.Close()
			var text strings.Builder
			m = NewMerge(cfg, segments[p])
			taken := rapid.IntRange(0, 3).Draw(t, "taken before")
			for range taken {
				m.Next()
			}
			rest := want[min(taken, len(want)):]
			records, written, err := m.WriteTo(&text,
				Layout{Key: true, Value: true, Separator: []byte("="), End: []byte("\n")})
			require.NoError(t, err)
			require.EqualValues(t, len(rest), records)
			require.EqualValues(t, text.Len(), written)
			require.Equal(t, strings.Join(append(slices.Clip(rest), ""), "\n"), text.String())
			m.Close()
			var n int64
			for _, s := range segments[p] {
				n += s.Records()
				s.Release()
			}
			require.EqualValues(t, len(want), n)
			require.Zero(t, b.Used())
			b.Close()
		}
		pool.Close()
		require.Zero(t, root.Used())
	})
	left := must(os.ReadDir(dir))(t)
	require.Empty(t, left, "spill files left behind")
}

func TestPinnedChunkIsReleasedWithTheLastSegment(t *testing.T) {
	s := NewSorter(Config{Partitions: 2})
	chunk := []byte("key1value1key2value2")
	released := 0
	s.Pin(chunk, func() { released++ })
	require.NoError(t, s.Add(0, chunk[:4], chunk[4:10]))
	require.NoError(t, s.Add(1, chunk[10:14], chunk[14:]))
	segments, _, err := s.Finish()
	require.NoError(t, err)
	m := NewMerge(MergeConfig{}, segments[:1])
	k, v, ok := m.Next()
	require.True(t, ok)
	require.Same(t, &chunk[0], &k[0], "stored by reference")
	require.Equal(t, "value1", string(v))
	segments[0].Release()
	segments[1].Release()
	require.Zero(t, released, "a merge still reads")
	m.Close()
	require.Equal(t, 1, released)

	s = NewSorter(Config{Partitions: 1})
	s.Pin(chunk, func() { released++ })
	require.NoError(t, s.Add(0, []byte("elsewhere"), nil))
	s.Pin(nil, nil)
	require.Equal(t, 2, released, "nothing referred to it")
	s.Close()
}

func TestDamagedSpillIsAnError(t *testing.T) {
	build := func(t *testing.T) (*Segment, *os.File) {
		s := NewSorter(Config{Resources: resources(t, 1), Partitions: 1})
		for i := range 2000 {
			require.NoError(t, s.Add(0, fmt.Appendf(nil, "key %d", i*7919%2000), bytes.Repeat([]byte{byte(i)}, 10)))
		}
		segments, stats, err := s.Finish()
		require.NoError(t, err)
		require.EqualValues(t, 2000, stats.SpilledRecords)
		return segments[0], segments[0].spills[0].file.f.(*os.File)
	}
	read := func(s *Segment) error {
		m := NewMerge(MergeConfig{}, []*Segment{s})
		defer m.Close()
		for {
			if _, _, ok := m.Next(); !ok {
				return m.Err()
			}
		}
	}
	t.Run("among others", func(t *testing.T) {
		bad, f := build(t)
		good, _ := build(t)
		must(f.WriteAt([]byte("damage"), 40))(t)
		m := NewMerge(MergeConfig{FanIn: 2}, []*Segment{good, bad, good, good})
		n := 0
		for _, _, ok := m.Next(); ok; _, _, ok = m.Next() {
			n++
		}
		require.ErrorIs(t, m.Err(), ErrCorrupt)
		require.Zero(t, n, "the damage is in the first block")
		m.Close()
		m = NewMerge(MergeConfig{}, []*Segment{good, bad, good})
		_, _, err := m.WriteTo(io.Discard, Layout{Key: true})
		require.ErrorIs(t, err, ErrCorrupt)
		m.Close()
		good.Release()
		bad.Release()
	})
	t.Run("truncated", func(t *testing.T) {
		s, f := build(t)
		require.NoError(t, read(s))
		st := must(f.Stat())(t)
		require.NoError(t, f.Truncate(st.Size()-1))
		require.ErrorIs(t, read(s), ErrCorrupt)
		s.Release()
	})
}

// resources returns a sub-budget of a budget of limit bytes, and files in a directory of the test.
func resources(t testing.TB, limit int64) Resources {
	return Resources{Budget: memory.NewBudget(limit).Sub(), Files: NewFiles(t.TempDir())}
}

// must returns the result of a call; an error of the call ends the test.
func must[T any](result T, err error) func(t require.TestingT) T {
	return func(t require.TestingT) T { require.NoError(t, err); return result }
}
