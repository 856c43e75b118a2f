package segment

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// TestDecodedIsWhatWasListed lists records of all forms and decodes them in pieces of any size: the
// entries are the listed ones, or have the key and value of the listed record.
func TestDecodedIsWhatWasListed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l list
		s := newStore(nil, nil)
		defer s.drop()
		var want []entry
		var keys, values [][]byte // nil where an entry went in
		offset := rapid.Uint32Range(0, 300)
		short := rapid.SliceOfN(rapid.Byte(), 0, inlineMost/2)
		refer := func(e entry) {
			require.True(t, l.push(s, &e, minBlock, false))
			want, keys, values = append(want, e), append(keys, nil), append(values, nil)
		}
		any := rapid.Custom(func(t *rapid.T) entry {
			return entry{
				prefix: rapid.Uint64().Draw(t, "prefix"), key: offset.Draw(t, "key"), value: offset.Draw(t, "value"),
				vlen:   rapid.SampledFrom([]uint32{1, 90, math.MaxUint16, math.MaxUint16 + 1, math.MaxUint32 - 1}).Draw(t, "vlen"),
				klen:   rapid.SampledFrom([]uint16{0, 10, bundleKey, longKey}).Draw(t, "klen"),
				region: rapid.Uint16Range(0, 2).Draw(t, "region"),
			}
		})
		t.Repeat(map[string]func(*rapid.T){
			"short": func(t *rapid.T) {
				key, value := short.Draw(t, "key"), short.Draw(t, "value")
				require.True(t, l.put(s, prefixOf(key), key, value, minBlock, false))
				want, keys, values = append(want, entry{prefix: prefixOf(key)}), append(keys, key), append(values, value)
			},
			"any": func(t *rapid.T) { refer(any.Draw(t, "entry")) },
			"like": func(t *rapid.T) {
				e := any.Draw(t, "entry")
				for range rapid.IntRange(2, 60).Draw(t, "n") {
					e.prefix, e.key, e.value = e.prefix*3, e.key+100, e.value+100
					refer(e)
				}
			},
			"next": func(t *rapid.T) {
				e := any.Draw(t, "entry")
				for range 3 {
					e.key, e.klen, e.vlen = offset.Draw(t, "key"), rapid.Uint16Range(0, 99).Draw(t, "klen"), offset.Draw(t, "vlen")
					e.value = e.key + uint32(e.klen)
					refer(e)
				}
			},
		})
		x := l.whole()
		require.Equal(t, len(want), x.n)
		base := rapid.Uint16Range(0, 3).Draw(t, "base")
		d := decoder{rest: x.blocks, base: base}
		some := make([]entry, rapid.IntRange(1, 130).Draw(t, "piece"))
		i := 0
		for n := d.decode(some); n > 0; n = d.decode(some) {
			for _, e := range some[:n] {
				require.GreaterOrEqual(t, e.prefix, x.low)
				require.LessOrEqual(t, e.prefix, x.high)
				e.region -= base
				if keys[i] == nil && values[i] == nil {
					require.Equal(t, want[i], e)
				} else {
					require.Equal(t, want[i].prefix, e.prefix)
					require.True(t, slices.Equal(keys[i], s.regions.key(&e)))
					require.True(t, slices.Equal(values[i], s.regions.value(&e)))
				}
				i++
			}
		}
		require.Equal(t, len(want), i)
		p := decoder{rest: x.blocks}
		firsts := make([]uint64, len(some))
		i = 0
		for n := p.prefixes(firsts); n > 0; n = p.prefixes(firsts) {
			for _, prefix := range firsts[:n] {
				require.Equal(t, want[i].prefix, prefix)
				i++
			}
		}
		require.Equal(t, len(want), i)
	})
}

// TestTheLastSlabIsTight: a sorter that has ended has no huge page of which it uses less than half,
// its large slab is free for the next sorter, and its records are unchanged.
func TestTheLastSlabIsTight(t *testing.T) {
	budget := memory.NewBudget(64 << 20)
	pool := memory.NewPool(budget, 32<<20)
	s := NewSorter(Config{Partitions: 3, Budget: budget.Sub(), Pool: pool, Scattered: true})
	const n = 30_000 // 80 bytes each: 2.4 MB, a slab of 2 MiB and those before
	value := make([]byte, 75)
	for i := range n {
		require.NoError(t, s.Add(i%3, []byte{byte(i >> 16), byte(i >> 8), byte(i)}, value))
	}
	require.Zero(t, pool.Idle())
	segments, _, err := s.Finish()
	require.NoError(t, err)
	require.EqualValues(t, largeSlab, pool.Idle())
	require.Less(t, budget.Used()-pool.Idle(), int64(3<<20))
	for p, seg := range segments {
		m := NewMerge(MergeConfig{Pool: pool}, []*Segment{seg})
		for i := p; i < n; i += 3 {
			k, v, ok := m.Next()
			require.True(t, ok)
			require.Equal(t, []byte{byte(i >> 16), byte(i >> 8), byte(i)}, k)
			require.Equal(t, value, v)
		}
		m.Close()
		seg.Release()
	}
	pool.Close()
	require.Zero(t, budget.Used())
}
