package segment

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/klauspost/compress/s2"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// blockOf returns a block of this content, for offset at, with a valid header and checksum.
func blockOf(content []byte, at int64) []byte {
	packed := s2.Encode(nil, content)
	b := make([]byte, blockHeader, blockHeader+len(packed))
	binary.LittleEndian.PutUint32(b, uint32(len(content)))
	binary.LittleEndian.PutUint32(b[4:], uint32(len(packed)))
	binary.LittleEndian.PutUint64(b[8:], checksum(b, packed, 0, at))
	return append(b, packed...)
}

// recordsIn parses a block's content as the format says: [ordinal,] key length, value length, key,
// value, and so on; ok is false if it is invalid.
func recordsIn(content []byte, ordinals bool) (list []string, ok bool) {
	in := bytes.NewReader(content)
	for in.Len() > 0 {
		var ordinal uint64
		var err error
		if ordinals {
			if ordinal, err = binary.ReadUvarint(in); err != nil {
				return list, false
			}
		}
		k, err := binary.ReadUvarint(in)
		if err != nil {
			return list, false
		}
		v, err := binary.ReadUvarint(in)
		if err != nil || k > uint64(in.Len()) || v > uint64(in.Len())-k {
			return list, false
		}
		rest := content[len(content)-in.Len():]
		list = append(list, fmt.Sprintf("%d %q %q", uint32(ordinal), rest[:k], rest[k:k+v]))
		in.Reset(rest[k+v:])
		content = rest[k+v:]
	}
	return list, true
}

// For a block with a valid checksum and any content, a reader returns the records that the format
// defines. Then it ends, or reports that the run is corrupt, also if the section says that it has
// fewer or more records.
func TestReaderReadsTheFormat(t *testing.T) {
	// Small numbers are often valid lengths; 0x80 and 0xff are varints that are cut off. Two of the
	// largest numbers overflow 64 bits together.
	pieces := [][]byte{{0}, {0}, {0}, {1}, {1}, {2}, {3}, {7}, {0x80}, {0xff}, binary.AppendUvarint(nil, 1<<63), binary.AppendUvarint(nil, 1<<64-1)}
	rapid.Check(t, func(t *rapid.T) {
		content := slices.Concat(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 12).Draw(t, "content")...)
		ordinals := rapid.Bool().Draw(t, "ordinals")
		want, whole := recordsIn(content, ordinals)
		block, wrong := blockOf(content, 0), rapid.SampledFrom([]int{0, 0, -1, 1}).Draw(t, "promised too many")
		r := newBlockReader(bytes.NewReader(block), section{
			size: int64(len(block)), records: int64(len(want) + wrong), bytes: int64(len(content)), raw: blockSize,
			packed: uint32(len(block)),
		}, ordinals, Resources{})
		defer r.close()
		var got []string
		for ordinal, k, v, ok := r.next(); ok && r.left == 0; ordinal, k, v, ok = r.next() {
			got = append(got, fmt.Sprintf("%d %q %q", ordinal, k, v))
		}
		require.Equal(t, want, got)
		if r.left > 0 { // the last record continues in a block that is missing
			require.Empty(t, r.more())
		}
		if whole && wrong == 0 {
			require.NoError(t, r.err)
		} else {
			require.ErrorIs(t, r.err, ErrCorrupt)
		}
		_, _, _, ok := r.next()
		require.False(t, ok, "what has ended has ended")
	})
}

// A record of several blocks is corrupt unless these have exactly its bytes.
func TestLargeRecordIsWhole(t *testing.T) {
	head := binary.AppendUvarint(binary.AppendUvarint(nil, 4), 6) // ten bytes in all
	first := append(head, "keyv"...)
	for rest, want := range map[string]string{
		"alue..": "", "alue.": "a record is cut short", "alue...": "a record's blocks hold more than it",
	} {
		run := blockOf(first, 0)
		run = append(run, blockOf([]byte(rest), int64(len(run)))...)
		r := newBlockReader(bytes.NewReader(run), section{
			size: int64(len(run)), records: 1, bytes: 10, raw: blockSize, packed: blockSize,
		}, false, Resources{})
		_, key, value, ok := r.next()
		require.True(t, ok)
		require.Equal(t, "keyv", string(key))
		require.Empty(t, value)
		got := string(r.part)
		for p := r.more(); len(p) > 0; p = r.more() {
			got += string(p)
		}
		_, _, _, ok = r.next()
		require.False(t, ok)
		if want == "" {
			require.NoError(t, r.err)
			require.Equal(t, "keyv"+rest, got)
		} else {
			require.ErrorIs(t, r.err, ErrCorrupt)
			require.ErrorContains(t, r.err, want)
		}
		r.close()
	}
}

// A spill file is open as long as a segment of one of its spills exists, even one without records.
// The last Release closes and removes it.
func TestSegmentsHoldTheirSpills(t *testing.T) {
	open := 0
	files := NewFilesOn(func() (File, error) {
		f, err := os.CreateTemp(t.TempDir(), "spill-*")
		open++
		return counted{f, &open}, err
	})
	budget := memory.NewBudget(1 << 20).Sub()
	defer budget.Close()
	var spills []*Spill
	for _, partitions := range [][]string{{"a", "", "c"}, {"", "b", "d"}, {"", "", "e"}} {
		w := must(NewSpillWriter(Resources{Budget: budget, Files: files}, 3))(t)
		for _, key := range partitions {
			if key != "" {
				require.NoError(t, w.Add([]byte(key), []byte("1")))
			}
			require.NoError(t, w.EndPartition())
		}
		var stats Stats
		spill := w.Spill(&stats)
		require.EqualValues(t, 1, stats.Spills)
		spills = append(spills, spill)
		w.Close()
	}
	var segments []*Segment
	for p, want := range [][]string{{"a=1"}, {"b=1"}, {"c=1", "d=1", "e=1"}} {
		s := OfSpills(spills, p)
		require.EqualValues(t, len(want), s.Records())
		require.EqualValues(t, 2*len(want), s.Bytes())
		m := NewMerge(MergeConfig{}, []*Segment{s})
		require.Equal(t, want, drain(t, m))
		m.Close()
		segments = append(segments, s)
	}
	for _, s := range spills {
		s.Release()
	}
	for _, p := range []int{2, 0, 1} {
		require.Equal(t, 3, open)
		segments[p].Release()
	}
	require.Zero(t, open)
	require.Zero(t, budget.Used())
}

// counted is a file whose Close decreases the number of open files.
type counted struct {
	*os.File
	open *int
}

func (c counted) Close() error {
	*c.open--
	return c.File.Close()
}

// An entry decoded from a list is the entry that was added, or has the same key and value. Records
// have all forms, and are decoded in pieces of any size.
func TestDecodedIsWhatWasListed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l list
		s := newStore(nil, nil)
		defer s.drop()
		var want []entry
		var keys, values [][]byte // nil for an added entry
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
		p := decoder{rest: slices.Clone(x.blocks)}
		for i := range x.blocks {
			x.blocks[i].base = base
		}
		d := decoder{rest: x.blocks}
		some := make([]entry, rapid.IntRange(1, 130).Draw(t, "piece"))
		i := 0
		for n := d.Entries(some); n > 0; n = d.Entries(some) {
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
		firsts := make([]uint64, len(some))
		i = 0
		for n := p.Prefixes(firsts); n > 0; n = p.Prefixes(firsts) {
			for _, prefix := range firsts[:n] {
				require.Equal(t, want[i].prefix, prefix)
				i++
			}
		}
		require.Equal(t, len(want), i)
	})
}

// After Finish a sorter has no huge page that is less than half used. Its large slab is free for
// the next sorter, and its records are unchanged.
func TestTheLastSlabIsTight(t *testing.T) {
	budget := memory.NewBudget(64 << 20)
	pool := memory.NewPool(budget, 32<<20)
	s := NewSorter(Config{Resources: Resources{Budget: budget.Sub(), Pool: pool}, Partitions: 3})
	s.bundleNoMore()
	const n = 30_000 // 80 bytes each: 2.4 MB need a slab of 2 MiB besides the first, smaller ones
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
		m := NewMerge(MergeConfig{Resources: Resources{Pool: pool}}, []*Segment{seg})
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
