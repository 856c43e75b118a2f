package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	pq "github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

type row struct {
	Name  string    `parquet:"name,dict"`
	N     int64     `parquet:"n"`
	Small int8      `parquet:"small"`
	Raw   []byte    `parquet:"raw"`
	List  []string  `parquet:"list"`
	Maybe *float64  `parquet:"maybe,optional"`
	At    time.Time `parquet:"at,timestamp(microsecond)"`
	Sub   struct {
		Flag bool   `parquet:"flag"`
		U    uint32 `parquet:"u"`
	} `parquet:"sub"`
}

func someRow(t *rapid.T) row {
	r := row{
		Name: rapid.StringN(0, 3, -1).Draw(t, "name"), N: rapid.Int64().Draw(t, "n"), Small: rapid.Int8().Draw(t, "small"),
		Raw: rapid.SliceOfN(rapid.Byte(), 1, 4).Draw(t, "raw"), List: rapid.SliceOfN(rapid.StringN(0, 2, -1), 1, 3).Draw(t, "list"),
		At: time.UnixMicro(rapid.Int64Range(0, 1<<50).Draw(t, "at")).UTC(),
	}
	r.Sub.Flag, r.Sub.U = rapid.Bool().Draw(t, "flag"), rapid.Uint32().Draw(t, "u")
	if rapid.Bool().Draw(t, "maybe") {
		r.Maybe = new(float64)
		*r.Maybe = rapid.Float64Range(-1e9, 1e9).Draw(t, "value")
	}
	return r
}

func pass[T any]() mapreduce.MapOnly[T, T] {
	return mapreduce.MapOnly[T, T]{Map: func(rec T, emit func(T)) error { emit(rec); return nil }}
}

// written writes rows by a job with two maps, and returns the output directory.
func written[T any](t testing.TB, rows []T, options ...pq.WriterOption) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "out")
	p, err := pass[T]().Bind(mapreduce.Slice(rows), Write[T](mapreduce.Dir(dir), options...))
	require.NoError(t, err)
	_, err = mapreduce.RunLocal(t.Context(), p, mapreduce.LocalOptions{
		Blocks: func(int) []cluster.Block {
			half := int64(len(rows) / 2)
			return []cluster.Block{{Length: half}, {Offset: half, Length: int64(len(rows)) - half}}
		},
	})
	require.NoError(t, err)
	return dir
}

// read returns the rows of the files in a directory, and how many maps read them.
func read[T any](t testing.TB, dir string) (rows []T, maps int, err error) {
	t.Helper()
	files, err := mapreduce.Files(dir)
	require.NoError(t, err)
	p, err := pass[T]().Bind(Read[T](files...), kept(&rows))
	if err != nil {
		return nil, 0, err
	}
	splits, err := p.Splits(t.Context(), nil)
	if err == nil {
		_, err = mapreduce.RunLocal(t.Context(), p, mapreduce.LocalOptions{})
	}
	return rows, len(splits), err
}

// keeper is an output that appends all rows to *list, for tests to look at.
type keeper[T any] struct{ list *[]T }

func (k keeper[T]) Write(rec T) error { *k.list = append(*k.list, rec); return nil }
func (keeper[T]) Close() error        { return nil }
func (keeper[T]) Abort() error        { return nil }

func kept[T any](list *[]T) mapreduce.Output[T] {
	var w bytes.Buffer
	return mapreduce.Parts(mapreduce.Writer("kept", &w), func(*mapreduce.Task, *mapreduce.PartFile) (mapreduce.PartWriter[T], error) {
		return keeper[T]{list}, nil
	})
}

// Read returns the rows that Write wrote, in their order, with one map per row group. If the job
// runs twice, both outputs have the same bytes.
func TestReadIsWhatWasWritten(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rows := rapid.SliceOfN(rapid.Custom(someRow), 0, 40).Draw(rt, "rows")
		size := rapid.IntRange(1, 20).Draw(rt, "rows of a group")
		groups := 0
		for _, n := range []int{len(rows) / 2, len(rows) - len(rows)/2} {
			groups += (n + size - 1) / size
		}
		dir := written(t, rows, pq.MaxRowsPerRowGroup(int64(size)))
		got, maps, err := read[row](t, dir)
		require.NoError(rt, err)
		require.Equal(rt, len(rows), len(got))
		for i := range rows {
			require.Equal(rt, rows[i], got[i])
		}
		require.Equal(rt, groups, maps)
		again := written(t, rows, pq.MaxRowsPerRowGroup(int64(size)))
		for part := range 2 {
			name := fmt.Sprintf("part-m-%05d.parquet", part)
			one, err := os.ReadFile(filepath.Join(dir, name))
			require.NoError(rt, err)
			other, err := os.ReadFile(filepath.Join(again, name))
			require.NoError(rt, err)
			require.True(rt, bytes.Equal(one, other))
		}
	})
}

// A sample of half of the rows has about half of the rows of each row group.
func TestSampleOfRows(t *testing.T) {
	rows := make([]narrow, 4000)
	for i := range rows {
		rows[i].N = int32(i)
	}
	files, err := mapreduce.Files(written(t, rows, pq.MaxRowsPerRowGroup(100)))
	require.NoError(t, err)
	var list []narrow
	p, err := mapreduce.Sample[narrow](0.5, 1).Bind(Read[narrow](files...), kept(&list))
	require.NoError(t, err)
	_, err = mapreduce.RunLocal(t.Context(), p, mapreduce.LocalOptions{})
	require.NoError(t, err)
	groups := map[int32]int{}
	for _, row := range list {
		groups[row.N/100]++
	}
	require.InDelta(t, len(rows)/2, len(list), 150)
	for group := range int32(40) {
		require.InDelta(t, 50, groups[group], 25)
	}
}

type narrow struct {
	Name string  `parquet:"name"`
	N    int32   `parquet:"n"`
	X    float32 `parquet:"x"`
	U    uint32  `parquet:"u"`
	Null *int32  `parquet:"null,optional"`
}

// Fields may omit columns, be wider than them, or not be nullable. Any other difference between
// column and field is an error that names the column.
func TestColumns(t *testing.T) {
	seven := int32(7)
	dir := written(t, []narrow{{"a", math.MinInt32, 0.5, math.MaxUint32, nil}, {"b", -1, 2, 1, &seven}})
	type wide struct {
		N    int64   `parquet:"n"`
		X    float64 `parquet:"x"`
		Null int64   `parquet:"null"`
	}
	got, _, err := read[wide](t, dir)
	require.NoError(t, err)
	require.Equal(t, []wide{{math.MinInt32, 0.5, 0}, {-1, 2, 7}}, got)

	wrong(t, dir, struct {
		Age int64 `parquet:"age"`
	}{}, "no column age", "there are name, n, x, u, null")
	wrong(t, dir, struct {
		Name int64 `parquet:"name"`
	}{}, "column name is STRING")
	wrong(t, dir, struct {
		N int8 `parquet:"n"`
	}{}, "column n is INT(32,true)")
	wrong(t, dir, struct {
		U int64 `parquet:"u"`
	}{}, "column u is INT(32,false)")
	wrong(t, dir, struct {
		N []int32 `parquet:"n"`
	}{}, "column n is repeated otherwise")
	times := written(t, []row{{Raw: []byte{1}, List: []string{""}}})
	wrong(t, times, struct {
		At time.Time `parquet:"at,timestamp(millisecond)"`
	}{}, "column at is TIMESTAMP")
}

func wrong[T any](t *testing.T, dir string, _ T, texts ...string) {
	t.Helper()
	_, _, err := read[T](t, dir)
	require.Error(t, err)
	for _, text := range append(texts, "part-m-00000.parquet") {
		require.ErrorContains(t, err, text)
	}
	require.True(t, cluster.IsPermanent(err))
}

// An empty file, one of another format and a truncated one give errors that name the file.
func TestDamagedFiles(t *testing.T) {
	dir := written(t, []narrow{{Name: "a"}, {Name: "b"}})
	path := filepath.Join(dir, "part-m-00000.parquet")
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, b := range [][]byte{nil, []byte("no parquet at all"), whole[:len(whole)-1], whole[4:]} {
		require.NoError(t, os.WriteFile(path, b, 0o666))
		_, _, err := read[narrow](t, dir)
		require.ErrorContains(t, err, "part-m-00000.parquet")
	}
}

// A job over Parquet files gives the correct sums on a cluster whose attempts fail.
func TestOnACluster(t *testing.T) {
	var rows []narrow
	want := map[string]int64{}
	for i := range 2000 {
		r := narrow{Name: fmt.Sprint("k", i%7), N: int32(i)}
		rows = append(rows, r)
		want[r.Name] += int64(r.N)
	}
	files, err := mapreduce.Files(written(t, rows, pq.MaxRowsPerRowGroup(100)))
	require.NoError(t, err)
	type total struct {
		Name string `parquet:"name"`
		Sum  int64  `parquet:"sum"`
	}
	job := mapreduce.Job[narrow, string, int64, total]{
		MapTask: func(t *mapreduce.Task) (mapreduce.Mapper[narrow, string, int64], error) {
			return mapreduce.Mapper[narrow, string, int64]{Map: func(r narrow, emit func(string, int64)) error {
				if t.ID().Try == 0 && t.Offset() == 50 && t.ID().Index%3 == 0 {
					return errors.New("the first attempt")
				}
				emit(r.Name, int64(r.N))
				return nil
			}}, nil
		},
		Sum: true,
		ReduceTask: func(*mapreduce.Task) (mapreduce.Reducer[string, int64, total], error) {
			return mapreduce.Reducer[string, int64, total]{Pairs: func(pairs iter.Seq2[string, int64], emit func(total)) error {
				for k, v := range pairs {
					emit(total{k, v})
				}
				return nil
			}}, nil
		},
		Reducers: 2,
	}
	dir := filepath.Join(t.TempDir(), "totals")
	p, err := job.Bind(Read[narrow](files...), Write[total](mapreduce.Dir(dir)))
	require.NoError(t, err)
	r, err := actors.Run(t.Context(), actors.Config{Nodes: 3}, p)
	require.NoError(t, err)
	require.EqualValues(t, 2000, r.Counters.Get(counter.MapInputRecords))
	got := map[string]int64{}
	totals, _, err := read[total](t, dir)
	require.NoError(t, err)
	for _, x := range totals {
		got[x.Name] = x.Sum
	}
	require.Equal(t, want, got)
}

// Read reads two files of PyArrow 26, with version 1 and 2 pages: 40 rows, ten per row group, every
// fifth with a null as name.
func TestReadsWhatPyArrowWrites(t *testing.T) {
	type line struct {
		Name  *string `parquet:"name,optional"`
		Value int64   `parquet:"value"`
		Score float64 `parquet:"score"`
	}
	var want []string
	for i := range 40 {
		name := fmt.Sprint("n", i%3)
		if i%5 == 4 {
			name = "-"
		}
		want = append(want, fmt.Sprint(name, i, float64(i)/4))
	}
	for _, name := range []string{"pyarrow-snappy", "pyarrow-zstd-v2"} {
		file, err := mapreduce.File(filepath.Join("testdata", name+".parquet"))
		require.NoError(t, err)
		var out mapreduce.Collected[string]
		p, err := mapreduce.Apply(func(l line) string {
			if l.Name == nil {
				return fmt.Sprint("-", l.Value, l.Score)
			}
			return fmt.Sprint(*l.Name, l.Value, l.Score)
		}).Bind(Read[line](file), out.Output())
		require.NoError(t, err)
		_, err = mapreduce.RunLocal(t.Context(), p, mapreduce.LocalOptions{})
		require.NoError(t, err)
		got, err := out.Records()
		require.NoError(t, err)
		require.Equal(t, want, got, name)
	}
}
