package actors_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/mapreduce"
)

// placed is a record with its source and offset.
type placed struct {
	Source string
	Offset int64
	Record string
}

// offsetRecords is the number of records in each form of input.
const offsetRecords = 1200

// offsetForm is a kind of input. all reads it on a cluster, with offsets; sample returns what
// mapreduce.Sample keeps of it.
type offsetForm struct {
	name   string
	all    func(t *testing.T, c *actors.Cluster) []placed
	sample func(t *testing.T, c *actors.Cluster, part float64) []string
}

// formOf returns the form of an input; on returns the input for a cluster.
func formOf[I any](name string, on func(t *testing.T, c *actors.Cluster) mapreduce.Input[I]) offsetForm {
	return offsetForm{
		name: name,
		all: func(t *testing.T, c *actors.Cluster) []placed {
			return collected(t, c, mapreduce.MapOnly[I, placed]{
				MapTask: func(task *mapreduce.Task) (mapreduce.Filter[I, placed], error) {
					return mapreduce.Filter[I, placed]{Map: func(rec I, emit func(placed)) error {
						emit(placed{task.InputName(), task.Offset(), fmt.Sprint(rec)})
						return nil
					}}, nil
				},
			}.Over(on(t, c)))
		},
		sample: func(t *testing.T, c *actors.Cluster, part float64) (list []string) {
			for _, rec := range collected(t, c, mapreduce.Sample[I](part, 7).Over(on(t, c))) {
				list = append(list, fmt.Sprint(rec))
			}
			return list
		},
	}
}

func collected[O any](t *testing.T, c *actors.Cluster, bind func(mapreduce.Output[O]) (*mapreduce.Plan, error)) []O {
	t.Helper()
	list, err := actors.Collect(t.Context(), c, bind)
	require.NoError(t, err)
	return list
}

// always is like formOf, for an input that is the same on each cluster.
func always[I any](name string, make func() mapreduce.Input[I]) offsetForm {
	return formOf(name, func(*testing.T, *actors.Cluster) mapreduce.Input[I] { return make() })
}

// offsetFile returns a source of offsetRecords records. write returns the bytes of record i.
func offsetFile(name string, write func(i int) string) mapreduce.Source {
	var b strings.Builder
	for i := range offsetRecords {
		b.WriteString(write(i))
	}
	return mapreduce.Bytes(name, []byte(b.String()))
}

func offsetLine(i int) string { return fmt.Sprintf("%d,line\n", i) }

// blocksOf is a format of 16-byte records. Its value is the number of records per part of a file.
type blocksOf int

func (blocksOf) Parts(_ context.Context, file mapreduce.FormatFile) (begins []int64, err error) {
	for at := int64(0); at < file.Size(); at += 16 {
		begins = append(begins, at)
	}
	return begins, nil
}

func (n blocksOf) Read(_ context.Context, file mapreduce.FormatFile, from, to int64) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for at := int64(0); at < file.Size(); at += 16 {
			for i := 0; at >= from && at < to && i < int(n); i++ {
				if !yield(fmt.Sprint(at, " ", i), nil) {
					return
				}
			}
		}
	}
}

type offsetPoint struct{ X, Y int32 }

// keptForm returns the form of a dataset in four parts, one per cluster, read by the input of read.
func keptForm[K comparable, I any](
	name string, key func(i int) K, read func(d *actors.Keyed[K, mapreduce.Pair[K, int]]) mapreduce.Input[I],
) offsetForm {
	kept := map[*actors.Cluster]*actors.Keyed[K, mapreduce.Pair[K, int]]{}
	return formOf(name, func(t *testing.T, c *actors.Cluster) mapreduce.Input[I] {
		if kept[c] == nil {
			d, err := actors.KeepBy(t.Context(), c, func(p mapreduce.Pair[K, int]) K { return p.First },
				mapreduce.Job[int, K, int, mapreduce.Pair[K, int]]{
					Map: func(i int, emit func(K, int)) error {
						emit(key(i), i)
						return nil
					},
					Reducers: 4,
				}.Over(mapreduce.Slice(offsetNumbers())))
			require.NoError(t, err)
			kept[c] = d
		}
		return read(kept[c])
	})
}

func offsetNumbers() (list []int) {
	for i := range offsetRecords {
		list = append(list, i)
	}
	return list
}

func offsetText(i int) string { return fmt.Sprintf("key %d", i) }

func keptInput[K, T any](d *actors.Keyed[K, T]) mapreduce.Input[T] { return d.Input() }

func keptAligned[K, T any](d *actors.Keyed[K, T]) mapreduce.Input[T] { return d.Aligned() }

func keptGroups[K, T any](d *actors.Keyed[K, T]) mapreduce.Input[mapreduce.Group[K, T, T]] {
	return mapreduce.Grouped(d.Feed(), d.Feed())
}

func offsetForms() []offsetForm {
	const n = offsetRecords
	lines := offsetFile("lines", offsetLine)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	for i := range n {
		fmt.Fprint(z, offsetLine(i))
	}
	_ = z.Close()
	return []offsetForm{
		always("Lines", func() mapreduce.Input[[]byte] { return mapreduce.Lines(lines) }),
		always("LineStrings", func() mapreduce.Input[string] { return mapreduce.LineStrings(lines) }),
		always("KeyValueLines", func() mapreduce.Input[mapreduce.Pair[[]byte, []byte]] { return mapreduce.KeyValueLines(',', lines) }),
		always("NLines", func() mapreduce.Input[[]byte] { return mapreduce.NLines(100, lines) }),
		always("empty lines", func() mapreduce.Input[[]byte] {
			return mapreduce.Lines(offsetFile("empty", func(int) string { return "\n" }))
		}),
		formOf("packed Lines", func(t *testing.T, _ *actors.Cluster) mapreduce.Input[[]byte] {
			s, err := mapreduce.Stored(mapreduce.Bytes("lines.gz", packed.Bytes()).Data)
			require.NoError(t, err)
			return mapreduce.Lines(s)
		}),
		always("a stream", func() mapreduce.Input[[]byte] {
			return mapreduce.Lines(mapreduce.Stream("stream", strings.NewReader(strings.Repeat("line\n", n))))
		}),
		always("FixedSize", func() mapreduce.Input[[]byte] {
			return mapreduce.FixedSize(8, offsetFile("fixed", func(i int) string { return fmt.Sprintf("%8d", i) }))
		}),
		always("Separated", func() mapreduce.Input[[]byte] {
			return mapreduce.Separated("\x00", offsetFile("separated", func(i int) string { return fmt.Sprint(i, "\x00") }))
		}),
		always("Separated by two bytes", func() mapreduce.Input[[]byte] {
			return mapreduce.Separated("\r\n", offsetFile("separated", func(i int) string { return fmt.Sprint(i, "\r\n") }))
		}),
		always("CSV", func() mapreduce.Input[mapreduce.CSVRecord] {
			return mapreduce.CSV(mapreduce.CSVOptions{}, offsetFile("csv", func(i int) string { return fmt.Sprintf("%d,\"a\n\"\n", i) }))
		}),
		always("CSVRows", func() mapreduce.Input[offsetPoint] {
			return mapreduce.CSVRows[offsetPoint](mapreduce.CSVOptions{}, offsetFile("csv", func(i int) string { return fmt.Sprintf("%d,2\n", i) }))
		}),
		always("JSONLines", func() mapreduce.Input[offsetPoint] {
			return mapreduce.JSONLines[offsetPoint](offsetFile("json", func(i int) string {
				b, _ := json.Marshal(offsetPoint{X: int32(i)})
				return string(b) + "\n"
			}))
		}),
		always("Decoded", func() mapreduce.Input[string] {
			return mapreduce.Decoded(mapreduce.Lines(lines), func(line []byte) (string, error) { return string(line), nil })
		}),
		always("FlatMap", func() mapreduce.Input[string] {
			return mapreduce.FlatMap(mapreduce.Lines(lines), func(line []byte, emit func(string)) error {
				emit(string(line))
				return nil
			})
		}),
		formOf("ReadTyped", func(t *testing.T, c *actors.Cluster) mapreduce.Input[int] {
			dir := filepath.Join(t.TempDir(), "out")
			p, err := mapreduce.SortBy(func(i int) int { return i }).Bind(mapreduce.Slice(offsetNumbers()), mapreduce.Typed[int](mapreduce.Dir(dir)))
			require.NoError(t, err)
			_, err = mapreduce.RunLocal(t.Context(), p, mapreduce.LocalOptions{Reduces: 1})
			require.NoError(t, err)
			b, err := os.ReadFile(filepath.Join(dir, "part-r-00000"))
			require.NoError(t, err)
			return mapreduce.ReadTyped[int](mapreduce.Bytes("typed", b))
		}),
		always("WholeFiles of one name", func() mapreduce.Input[mapreduce.WholeFile] {
			var list []mapreduce.Source
			for i := range n {
				list = append(list, mapreduce.Bytes("file", []byte(fmt.Sprint(i))))
			}
			return mapreduce.WholeFiles(list...)
		}),
		always("Slice", func() mapreduce.Input[int] { return mapreduce.Slice(offsetNumbers()) }),
		always("Seq", func() mapreduce.Input[int] { return mapreduce.Seq(slices.Values(offsetNumbers())) }),
		always("Units of one name", func() mapreduce.Input[int] {
			return mapreduce.Units(slices.Repeat([]string{"unit"}, 300), func(context.Context, string) iter.Seq2[int, error] {
				return func(yield func(int, error) bool) {
					for i := 0; i < n/300 && yield(i, nil); i++ {
					}
				}
			})
		}),
		always("Formatted, few parts", func() mapreduce.Input[string] {
			return mapreduce.Formatted[string](blocksOf(n/4), mapreduce.Bytes("blocks", make([]byte, 64)))
		}),
		always("Formatted, many parts", func() mapreduce.Input[string] {
			return mapreduce.Formatted[string](blocksOf(n/150), mapreduce.Bytes("blocks", make([]byte, 150*16)))
		}),
		keptForm("kept images", func(i int) int { return i }, keptInput),
		keptForm("kept records", offsetText, keptInput),
		keptForm("kept parts", offsetText, keptAligned),
		keptForm("Grouped by strings", offsetText, keptGroups),
		keptForm("Grouped by numbers", func(i int) int { return i }, keptGroups),
	}
}

// Each record has a distinct offset in its source, which does not depend on splits and nodes.
// Therefore Sample keeps about the requested fraction of any kind of input, and always the same
// records.
func TestOffsetsOfAllInputs(t *testing.T) {
	var clusters []*actors.Cluster
	for _, cfg := range []actors.Config{{Nodes: 1}, {Nodes: 3, BlockSize: 200}, {BlockSize: 999, Memory: 64 << 10}} {
		c, err := actors.Start(cfg)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, c.Close()) })
		clusters = append(clusters, c)
	}
	for _, form := range offsetForms() {
		t.Run(form.name, func(t *testing.T) {
			var before []placed
			var kept []string
			for i, c := range clusters {
				all := form.all(t, c)
				require.Len(t, all, offsetRecords)
				sortPlaced(all)
				for i := range all[1:] {
					require.False(t, all[i].Offset == all[i+1].Offset && all[i].Source == all[i+1].Source &&
						!strings.Contains(form.name, "one name"), "both %v and %v", all[i], all[i+1])
				}
				half := form.sample(t, c, 0.5)
				slices.Sort(half)
				require.InDelta(t, offsetRecords/2, len(half), offsetRecords/12)
				tenth := form.sample(t, c, 0.1)
				require.InDelta(t, offsetRecords/10, len(tenth), offsetRecords/24)
				for _, rec := range tenth {
					require.True(t, slices.Contains(half, rec), rec)
				}
				if i > 0 {
					require.True(t, slices.Equal(before, all), "an offset depends on the cluster")
					require.True(t, slices.Equal(kept, half), "the sample depends on the cluster")
				}
				before, kept = all, half
			}
		})
	}
}

func sortPlaced(list []placed) {
	slices.SortFunc(list, func(a, b placed) int {
		return strings.Compare(fmt.Sprintf("%s %20d %s", a.Source, a.Offset, a.Record), fmt.Sprintf("%s %20d %s", b.Source, b.Offset, b.Record))
	})
}
