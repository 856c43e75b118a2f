package mapreduce

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// The engine writes the same files as RunLocal, for any combination of Combine, grouping,
// partitioning, memory and splits.
func TestAnyRunGivesTheOraclesBytes(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		v, text := drawVariant(t), drawText(t)
		bind := func(d Destination) (*Plan, error) {
			if v.strings {
				return countJob[string](v).Bind(Lines(Bytes("text", text)), Text[Pair[string, int64]](d))
			}
			return countJob[[]byte](v).Bind(Lines(Bytes("text", text)), Text[Pair[[]byte, int64]](d))
		}
		require.Equal(t, outputs(t, dir, v, true, bind), outputs(t, dir, v, false, bind))
	})
}

// The engine writes the same files as RunLocal for jobs without Reduce, too: their pairs are
// written undecoded, and parts are sorted.
func TestAnySortGivesTheOraclesBytes(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		v, text := drawVariant(t), drawText(t)
		v.compress = NoCompression
		v.order = "total"
		lines := func(d Destination) (*Plan, error) {
			j := sorting[[]byte](0)
			j.Descending = v.down
			return j.Bind(Lines(Bytes("text", text)), Text[Pair[[]byte, None]](d))
		}
		want := outputs(t, dir, v, true, lines)
		require.Equal(t, want, outputs(t, dir, v, false, lines))
		sorted := wholeLines(text)
		slices.Sort(sorted)
		if v.down {
			slices.Reverse(sorted)
		}
		var b strings.Builder
		for _, line := range sorted {
			b.WriteString(line + "\n")
		}
		require.Equal(t, b.String(), joinParts(want))

		numbered := func(d Destination) (*Plan, error) {
			n := 0
			j := Job[[]byte, int32, []byte, Pair[int32, []byte]]{
				Map: func(line []byte, emit func(int32, []byte)) error {
					emit(int32(len(line)%3), fmt.Appendf(nil, "%d %s", n, line))
					n++
					return nil
				},
				Descending: v.down,
			}
			return j.Bind(Lines(Bytes("text", text)), Text[Pair[int32, []byte]](d))
		}
		require.Equal(t, outputs(t, dir, v, true, numbered), outputs(t, dir, v, false, numbered),
			"values keep the input's order")
	})
}

func joinParts(files map[string]string) string {
	var b strings.Builder
	for i := range len(files) {
		b.WriteString(files[fmt.Sprintf("part-r-%05d", i)])
	}
	return b.String()
}

// GroupFields groups by the leading fields of a key, while a group's values come in the order of
// whole keys.
func TestSecondarySort(t *testing.T) {
	type key = Pair[string, int]
	for _, reduces := range []int{1, 2, 3} {
		for _, total := range []bool{false, true} {
			bind := func(out *Collected[string]) *Plan {
				j := Job[string, key, int, string]{
					Map: func(in string, emit func(key, int)) error {
						var name string
						var n int
						if _, err := fmt.Sscan(in, &name, &n); err != nil {
							return err
						}
						emit(MakePair(name, n), n)
						return nil
					},
					Reduce: func(k key, values iter.Seq[int], emit func(string)) error {
						emit(fmt.Sprint(k.First, slices.Collect(values)))
						return nil
					},
					GroupFields: 1, TotalOrder: total, Reducers: reduces,
				}
				p, err := j.Bind(Slice([]string{"b 3", "a 2", "b 1", "c 9", "a 10", "b 2"}), out.Output())
				require.NoError(t, err)
				return p
			}
			var want, got Collected[string]
			must(RunLocal(context.Background(), bind(&want), LocalOptions{}))(t)
			p := bind(&got)
			runEngine(t, p, reduces, p.BlocksOf(2), cluster.Resources{})
			w := must(want.Records())(t)
			require.ElementsMatch(t, []string{"a[2 10]", "b[1 2 3]", "c[9]"}, w)
			require.Equal(t, w, must(got.Records())(t))
		}
	}
}

// A map-only job writes its records in the order of the input, for any splits.
func TestMapOnlyKeepsTheInputsOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawText(t)
		var b bytes.Buffer
		p := must(keepLines().Bind(Lines(Bytes("text", text)), Text[[]byte](Writer("-", &b))))(t)
		engine(t, p, 1, p.BlocksOf(int64(rapid.IntRange(1, 50).Draw(t, "block"))), cluster.Resources{})
		want := text
		if len(text) > 0 && text[len(text)-1] != '\n' {
			want = append(want, '\n')
		}
		require.Equal(t, string(want), b.String())
	})
}

// Combine may keep a value, although the map overwrites the buffer it emits from, with spills and
// without.
func TestCombinedBytesAreCopied(t *testing.T) {
	type listed struct {
		Words [][]byte
		N     int
	}
	longest := func(a, b listed) listed {
		x, y := a.Words[0], b.Words[0]
		if cmp.Or(cmp.Compare(len(y), len(x)), bytes.Compare(y, x)) > 0 {
			a.Words = b.Words
		}
		a.N += b.N
		return a
	}
	var text strings.Builder
	for i := range 30000 {
		fmt.Fprintf(&text, "k%d %d\n", i*31%7000, i*7919%30011)
	}
	bind := func(to Destination) *Plan {
		buffer := make([]byte, 0, 16)
		j := Job[[]byte, string, listed, Pair[string, listed]]{
			Map: func(line []byte, emit func(string, listed)) error {
				key, value, _ := bytes.Cut(line, []byte(" "))
				buffer = append(buffer[:0], value...)
				emit(string(key), listed{Words: [][]byte{buffer}, N: 1})
				return nil
			},
			Combine: longest,
		}
		p := must(j.Bind(Lines(Bytes("text", []byte(text.String()))), Encoded(to, func(dst []byte, p Pair[string, listed]) ([]byte, error) {
			return fmt.Appendf(dst, "%s %q %d\n", p.First, p.Second.Words, p.Second.N), nil
		})))(t)
		return p
	}
	var want bytes.Buffer
	must(RunLocal(context.Background(), bind(Writer("-", &want)), LocalOptions{}))(t)
	for _, memory := range []int64{0, 1} {
		var got bytes.Buffer
		res := cluster.Resources{SpillDir: t.TempDir()}
		if memory > 0 {
			res.Budget = cluster.NewMemory(memory).Sub()
		}
		p := bind(Writer("-", &got))
		c := runEngine(t, p, 1, p.BlocksOf(100000), res)
		require.Equal(t, want.String(), got.String())
		if memory > 0 {
			require.Positive(t, c.Get(counter.SpilledRecords))
		}
	}
}

// variant is a way to run a job: settings of the job and of the run.
type variant struct {
	reduces  int
	block    int64
	memory   int64 // budget in bytes; 0 means none
	identity bool  // no Reduce
	strings  bool  // string keys instead of []byte ones
	combine  string
	order    string // hash, total, custom
	down     bool
	compress Compression
}

func drawVariant(t *rapid.T) variant {
	return variant{
		reduces:  rapid.IntRange(1, 5).Draw(t, "reduces"),
		block:    int64(rapid.SampledFrom([]int{1, 3, 10, 100, 1 << 20}).Draw(t, "block")),
		memory:   int64(rapid.SampledFrom([]int{0, 0, 1, 1 << 12, 1 << 16}).Draw(t, "memory")),
		identity: rapid.Bool().Draw(t, "identity"),
		strings:  rapid.Bool().Draw(t, "strings"),
		combine:  rapid.SampledFrom([]string{"none", "combine", "sum"}).Draw(t, "combine"),
		order:    rapid.SampledFrom([]string{"hash", "total", "custom"}).Draw(t, "order"),
		down:     rapid.Bool().Draw(t, "down"),
		compress: Compression(rapid.IntRange(0, 3).Draw(t, "compress")),
	}
}

// plus is the Combine that a job with Sum has.
func plus(a, b int64) int64 { return a + b }

// countJob returns a word count with keys of type K, as v says.
func countJob[K []byte | string](v variant) Job[[]byte, K, int64, Pair[K, int64]] {
	j := Job[[]byte, K, int64, Pair[K, int64]]{
		Map: func(line []byte, emit func(K, int64)) error {
			scratch := make([]byte, 0, 8)
			for w := range Fields(line) {
				scratch = append(scratch[:0], w...) // overwritten for the next word: emit must copy
				emit(K(scratch), 1)
			}
			return nil
		},
		Reduce: func(key K, values iter.Seq[int64], emit func(Pair[K, int64])) error {
			var n int64
			for x := range values {
				n += x
			}
			emit(MakePair(key, n))
			return nil
		},
		Descending: v.down,
		TotalOrder: v.order == "total",
		Reducers:   v.reduces,
	}
	if v.identity {
		j.Reduce = nil
	}
	switch v.combine {
	case "combine":
		j.Combine = plus
	case "sum":
		j.Sum = true
	}
	if v.order == "custom" {
		j.Partition = func(key K, reduces int) int { return len(key) % reduces }
	}
	return j
}

// outputs runs a plan in RunLocal or on the engine, and returns the files that it wrote.
func outputs(t *rapid.T, dir string, v variant, local bool, bind func(Destination) (*Plan, error)) map[string]string {
	out := must(os.MkdirTemp(dir, "run"))(t)
	p := must(bind(Dir(out + "/out").Compressed(v.compress)))(t)
	if local {
		must(RunLocal(context.Background(), p, LocalOptions{Reduces: v.reduces}))(t)
	} else {
		res := cluster.Resources{SpillDir: out}
		if v.memory > 0 {
			res.Budget = cluster.NewMemory(v.memory).Sub()
		}
		engine(t, p, v.reduces, p.BlocksOf(v.block), res)
	}
	files := map[string]string{}
	entries := must(os.ReadDir(out + "/out"))(t)
	for _, e := range entries {
		b := must(os.ReadFile(out + "/out/" + e.Name()))(t)
		files[e.Name()] = string(b)
	}
	left := must(os.ReadDir(out))(t)
	require.Len(t, left, 1, "spill files left")
	return files
}

func drawText(t *rapid.T) []byte {
	words := rapid.SliceOfN(rapid.SampledFrom([]string{
		"a", "b", "word", "longer than sixteen bytes", "\n", "\n", " ", "\x00", "\xff\xfe", "eightbyt", "eightbyte", "\r\n",
		strings.Repeat("long", 100),
	}), 0, 60).Draw(t, "words")
	return []byte(strings.Join(words, rapid.SampledFrom([]string{" ", ""}).Draw(t, "separator")))
}
