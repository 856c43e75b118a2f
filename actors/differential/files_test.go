//go:build !race

package differential

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/mapreduce"
)

// fours is a file format of four-byte numbers; a split holds `part` numbers.
type fours struct{ part int64 }

func (f fours) Parts(_ context.Context, file mapreduce.FormatFile) (list []int64, err error) {
	for at := int64(0); at < file.Size(); at += 4 * f.part {
		list = append(list, at)
	}
	return list, nil
}

func (f fours) Read(_ context.Context, file mapreduce.FormatFile, from, to int64) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		var b [4]byte
		for at := from; at < to; at += 4 {
			_, err := file.ReadAt(b[:], at)
			if !yield(fmt.Sprint(binary.BigEndian.Uint32(b[:])), err) || err != nil {
				return
			}
		}
	}
}

// placed creates an input on a cluster. Its records are the texts "0" to "n-1".
type placed struct {
	name string
	in   func(t *testing.T, c *actors.Cluster, n int) mapreduce.Input[string]
}

// placedInputs returns one input of each kind: files, slices, datasets and others.
func placedInputs() []placed {
	list := func(n int) (s []string) {
		for i := range n {
			s = append(s, fmt.Sprint(i))
		}
		return s
	}
	decode := func(b []byte) (string, error) { return strings.TrimSpace(string(b)), nil }
	return []placed{
		{"slice", func(_ *testing.T, _ *actors.Cluster, n int) mapreduce.Input[string] { return mapreduce.Slice(list(n)) }},
		{"seq", func(_ *testing.T, _ *actors.Cluster, n int) mapreduce.Input[string] {
			return mapreduce.Seq(slices.Values(list(n)))
		}},
		{"lines", func(_ *testing.T, _ *actors.Cluster, n int) mapreduce.Input[string] {
			return mapreduce.LineStrings(mapreduce.Bytes("lines", []byte(strings.Join(list(n), "\n"))))
		}},
		{"fixed", func(_ *testing.T, _ *actors.Cluster, n int) mapreduce.Input[string] {
			var b []byte
			for i := range n {
				b = fmt.Appendf(b, "%6d", i)
			}
			return mapreduce.Decoded(mapreduce.FixedSize(6, mapreduce.Bytes("fixed", b)), decode)
		}},
		{"csv", func(_ *testing.T, _ *actors.Cluster, n int) mapreduce.Input[string] {
			text := strings.Join(list(n), ",\"a\nb\"\n")
			return mapreduce.Decoded(mapreduce.CSV(mapreduce.CSVOptions{}, mapreduce.Bytes("csv", []byte(text+",end"))),
				func(row mapreduce.CSVRecord) (string, error) { return strings.Clone(row.Fields[0]), nil })
		}},
		{"format", func(_ *testing.T, _ *actors.Cluster, n int) mapreduce.Input[string] {
			var b []byte
			for i := range n {
				b = binary.BigEndian.AppendUint32(b, uint32(i))
			}
			return mapreduce.Formatted[string](fours{part: 50}, mapreduce.Bytes("numbers", b))
		}},
		{"units", func(_ *testing.T, _ *actors.Cluster, n int) mapreduce.Input[string] {
			return mapreduce.Units(slices.Collect(slices.Chunk(list(n), 70)), func(_ context.Context, unit []string) iter.Seq2[string, error] {
				return func(yield func(string, error) bool) {
					for _, s := range unit {
						if !yield(s, nil) {
							return
						}
					}
				}
			})
		}},
		{"kept", func(t *testing.T, c *actors.Cluster, n int) mapreduce.Input[string] {
			d, err := actors.Load(t.Context(), c, mapreduce.Slice(list(n)))
			require.NoError(t, err)
			return d.Input()
		}},
		{"typed file", func(t *testing.T, c *actors.Cluster, n int) mapreduce.Input[string] {
			dir := filepath.Join(t.TempDir(), "typed")
			p, err := mapreduce.Each(func(s string) string { return s }).Bind(mapreduce.Slice(list(n)), mapreduce.Typed[string](mapreduce.Dir(dir)))
			require.NoError(t, err)
			_, err = runPlan(c, p, false)
			require.NoError(t, err)
			files, err := mapreduce.Files(dir)
			require.NoError(t, err)
			return mapreduce.ReadTyped[string](files...)
		}},
		{"grouped", func(t *testing.T, c *actors.Cluster, n int) mapreduce.Input[string] {
			feed := func(list []string) mapreduce.Feed[string, string] {
				d, err := actors.LoadBy(t.Context(), c, func(s string) string { return s }, 3, mapreduce.Slice(list))
				require.NoError(t, err)
				return d.Feed()
			}
			return mapreduce.Decoded(mapreduce.Grouped(feed(list(n)), feed(list(n/2))), func(g mapreduce.Group[string, string, string]) (string, error) {
				return strings.Clone(g.Key), nil
			})
		}},
	}
}

// Each kind of input yields each record once, and Task.Offset differs for each record.
func TestInputsAreRead(t *testing.T) {
	t.Parallel()
	for _, in := range placedInputs() {
		t.Run(in.name, func(t *testing.T) {
			for _, cfg := range []actors.Config{{}, {BlockSize: 100, Nodes: 2}, {BlockSize: 999, Memory: 64 << 10}} {
				for _, n := range []int{1, 2, 600} {
					onCluster(t, cfg, func(t *testing.T, c *actors.Cluster) {
						readOnce(t, c, in.in(t, c, n), n)
					})
				}
			}
		})
	}
}

func readOnce(t *testing.T, c *actors.Cluster, in mapreduce.Input[string], n int) {
	got, err := actors.Collect(t.Context(), c, mapreduce.MapOnly[string, string]{
		MapTask: func(t *mapreduce.Task) (mapreduce.Filter[string, string], error) {
			return mapreduce.Filter[string, string]{Map: func(s string, emit func(string)) error {
				emit(fmt.Sprintf("%s\t%d of %s", s, t.Offset(), t.InputName()))
				return nil
			}}, nil
		},
	}.On(in))
	require.NoError(t, err)
	records, places := map[string]bool{}, map[string]string{}
	for _, line := range got {
		s, place, _ := strings.Cut(line, "\t")
		require.False(t, records[s], "record %s comes twice", s)
		require.Empty(t, places[place], "record %s has the place %s", s, place)
		records[s], places[place] = true, s
	}
	for i := range n {
		require.True(t, records[fmt.Sprint(i)], "record %d is missing", i)
	}
	require.Len(t, got, n)
}

// Sample keeps about the requested fraction of each kind of input. The seed determines which
// records, and another seed selects others.
func TestSamplesAreDrawn(t *testing.T) {
	t.Parallel()
	const n = 4000
	for _, in := range placedInputs() {
		t.Run(in.name, func(t *testing.T) {
			onCluster(t, actors.Config{BlockSize: 2000, Nodes: 2}, func(t *testing.T, c *actors.Cluster) {
				sample := func(seed uint64) []string {
					list, err := actors.Collect(t.Context(), c, mapreduce.Sample[string](0.5, seed).On(in.in(t, c, n)))
					require.NoError(t, err)
					return list
				}
				one, again, other := sample(1), sample(1), sample(2)
				require.InDelta(t, n/2, len(one), 160, "five standard deviations")
				require.InDelta(t, n/2, len(other), 160)
				if in.name != "typed file" && in.name != "kept" && in.name != "grouped" { // these have new names each time
					require.Equal(t, one, again)
				}
				require.NotEqual(t, one, other)
			})
		})
	}
}

// A job reads from files the records that another job wrote, in each format and compression.
func TestFilesReadBack(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(6, 6))
	list := make([][]byte, 500)
	for i := range list {
		list[i] = bytes.ReplaceAll(text(r, edges[i%len(edges)]), []byte{0}, []byte("\"x"))
	}
	want := make([]string, len(list))
	for i, b := range list {
		want[i] = string(b)
	}
	for _, pack := range []mapreduce.Compression{mapreduce.NoCompression, mapreduce.Gzip, mapreduce.Zstd} {
		onCluster(t, actors.Config{BlockSize: 300, Nodes: 2}, func(t *testing.T, c *actors.Cluster) {
			dir := filepath.Join(t.TempDir(), "out")
			p, err := mapreduce.Each(func(b []byte) summary { return summary{int64(len(b)), string(b), b, []string{string(b), ""}} }).
				Bind(mapreduce.Slice(list), mapreduce.Typed[summary](mapreduce.Dir(dir).Compressed(pack)))
			require.NoError(t, err)
			_, err = runPlan(c, p, false)
			require.NoError(t, err)
			files, err := mapreduce.Files(dir)
			require.NoError(t, err)
			got, err := actors.Collect(t.Context(), c, mapreduce.Each(func(s summary) string {
				return fmt.Sprintf("%d %q %q %q", s.N, s.Text, s.Raw, s.Tags)
			}).On(mapreduce.ReadTyped[summary](files...)))
			require.NoError(t, err)
			for i, w := range want {
				require.Equal(t, fmt.Sprintf("%d %q %q %q", len(w), w, w, []string{w, ""}), got[i])
			}
			require.Len(t, got, len(want))
		})
	}
}
