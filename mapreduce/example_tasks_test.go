package mapreduce_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing/fstest"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// same returns a job that writes its records as they are.
func same[T any]() mapreduce.MapOnly[T, T] {
	return mapreduce.Apply(func(rec T) T { return rec })
}

// A map knows its attempt and the place of its record. It should not hold records that are too
// large, and its own memory is a small part of the budget.
func ExampleTask() {
	job := mapreduce.MapOnly[[]byte, string]{
		MapTask: func(t *mapreduce.Task) (f mapreduce.Filter[[]byte, string], err error) {
			cache := make([]byte, 0, t.MemoryBudget()/100)
			f.Map = func(line []byte, emit func(string)) error {
				if n := int64(len(line)); n > t.LargestRecord() {
					return fmt.Errorf("%w: a line of %d bytes", mapreduce.ErrRecordTooLarge, n)
				}
				t.Logger().Debug("work that takes minutes begins")
				t.Progress()
				cache = append(cache[:0], line...)
				emit(fmt.Sprintf("%v of %d reduces, byte %d: %s", t.ID(), t.Reduces(), t.Offset(), cache))
				return nil
			}
			return f, nil
		},
	}
	show(job.Over(mapreduce.Lines(mapreduce.Bytes("rhyme", []byte("tarry\nsaid slow\n")))))
	// Output:
	// m-00000-0 of 0 reduces, byte 0: tarry
	// m-00000-0 of 0 reduces, byte 6: said slow
}

// A job fails at once for an error of a record, and of every attempt. A RecordError has the place.
func ExampleBadRecord() {
	number := func(line []byte) (int, error) {
		n, err := strconv.Atoi(string(line))
		return n, mapreduce.BadRecord(err)
	}
	file := mapreduce.Bytes("numbers", []byte("7\nseven\n"))
	var out mapreduce.Collected[int]
	plan, err := same[int]().Bind(mapreduce.Decoded(mapreduce.Lines(file), number), out.Output())
	if err == nil {
		_, err = mapreduce.RunLocal(context.Background(), plan, mapreduce.LocalOptions{})
	}
	if bad, ok := errors.AsType[*mapreduce.RecordError](err); ok {
		fmt.Println(bad.Input, bad.Offset, bad.Head)
	}
	always := mapreduce.MapOnly[int, int]{MapTask: func(*mapreduce.Task) (f mapreduce.Filter[int, int], err error) {
		return f, mapreduce.Permanent(errors.New("the dictionary is missing"))
	}}
	show(always.Over(mapreduce.Slice([]int{1})))
	// Output:
	// numbers 2 seven
	// m-00000-0: the dictionary is missing
}

// The same bytes as lines of each map, as records of two bytes, as runs of lines and as one file.
func ExampleNLines() {
	text := []byte("a\nb\nc\n")
	quoted := func(b []byte) string { return strconv.Quote(string(b)) }
	stored, err := mapreduce.Stored(dfs.Bytes("stored", text))
	if err != nil {
		fmt.Println(err)
	}
	printed(mapreduce.NLines(2, mapreduce.Bytes("file", text)), quoted)
	printed(mapreduce.FixedSize(2, stored), quoted)
	printed(mapreduce.Chunks(mapreduce.Stream("-", bytes.NewReader(text))), quoted)
	printed(mapreduce.WholeFiles(stored), func(f mapreduce.WholeFile) string { return f.Name + " " + quoted(f.Data) })
	printed(mapreduce.Seq(strings.SplitSeq("x y", " ")), strings.ToUpper)
	// Output:
	// "a"
	// "b"
	// "c"
	// "a\n"
	// "b\n"
	// "c\n"
	// "a\nb\nc\n"
	// stored "a\nb\nc\n"
	// X
	// Y
}

// words is a format of words of four bytes, in parts of two words.
type words struct{}

func (words) Parts(_ context.Context, file mapreduce.FormatFile) (starts []int64, err error) {
	for at := int64(0); at < file.Size(); at += 8 {
		starts = append(starts, at)
	}
	return starts, nil
}

func (words) Read(_ context.Context, file mapreduce.FormatFile, from, to int64) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		word := make([]byte, 4)
		for at := from; at < to; at += 4 {
			if _, err := file.ReadAt(word, at); !yield(string(word), err) {
				return
			}
		}
	}
}

// Each part of a file in a format of your own is one map.
func ExampleFormatted() {
	var format mapreduce.Format[string] = words{}
	printed(mapreduce.Formatted(format, mapreduce.Bytes("words", []byte("teascoffmilk"))), strings.ToUpper)
	// Output:
	// TEAS
	// COFF
	// MILK
}

// A job fails if a file changes while the job reads it.
func ExampleFS_changed() {
	files := fstest.MapFS{"a.txt": {Data: []byte("tarry\n")}}
	sources, err := mapreduce.FS(files, "*.txt")
	if err != nil {
		fmt.Println(err)
		return
	}
	job := mapreduce.MapOnly[[]byte, string]{Map: func([]byte, func(string)) error {
		files["a.txt"] = &fstest.MapFile{Data: []byte("no longer the same\n")}
		return nil
	}}
	var out mapreduce.Collected[string]
	plan, err := job.Bind(mapreduce.Lines(sources...), out.Output())
	if err == nil {
		_, err = mapreduce.RunLocal(context.Background(), plan, mapreduce.LocalOptions{})
	}
	fmt.Println(errors.Is(err, mapreduce.ErrInputChanged))
	// Output: true
}

// Columns are found by the names in the header.
func ExampleCSVRecord_Column() {
	file := mapreduce.Bytes("poets.csv", []byte("Name,Born\nbasho,1644\nissa,1763\n"))
	printed(mapreduce.CSV(mapreduce.CSVOptions{Header: true}, file), func(r mapreduce.CSVRecord) string {
		return r.Fields[r.Column("born")]
	})
	// Output:
	// 1644
	// 1763
}

// An output directory is not overwritten, unless ReplacedDir says so. Parts may be compressed.
func ExampleReplacedDir() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "out")
	write := func(to mapreduce.Destination, word string) error {
		hex := mapreduce.Encoded(to, func(dst []byte, rec string) ([]byte, error) { return fmt.Appendf(dst, "%x\n", rec), nil })
		plan, err := same[string]().Bind(mapreduce.Slice([]string{word}), hex)
		if err == nil {
			_, err = mapreduce.RunLocal(context.Background(), plan, mapreduce.LocalOptions{})
		}
		return err
	}
	for _, c := range []mapreduce.Compression{mapreduce.NoCompression, mapreduce.S2, mapreduce.Zstd, mapreduce.Gzip} {
		if err := write(mapreduce.ReplacedDir(out).Compressed(c), "tarry"); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(errors.Is(write(mapreduce.Dir(out), "again"), mapreduce.ErrOutputExists))
	fmt.Println(errors.Is(write(mapreduce.Dir("/dev/null/out"), "again"), mapreduce.ErrNoOutput))
	files, err := mapreduce.Files(out)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(filepath.Base(files[0].Name()))
	printed(mapreduce.Lines(files...), func(line []byte) string { return string(line) })
	// Output:
	// true
	// true
	// part-m-00000.gz
	// 7461727279
}

// Parts in a dfs have blocks and replicas. Raw writes records with nothing between.
func ExampleInDFS() {
	fsys, err := dfs.New(dfs.Config{Nodes: []dfs.Node{{ID: "node"}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	run(same[string]().Bind(mapreduce.Slice([]string{"to", "be"}), mapreduce.Raw[string](mapreduce.InDFS(fsys, "out"))))
	b, err := fs.ReadFile(fsys, "out/part-m-00000")
	fmt.Println(string(b), err)
	// Output: tobe <nil>
}

// A KeyedDataset can be joined by its key. RerunOutput fills what a lost node held.
func ExampleNewKeyedDataset() {
	type entry = mapreduce.Pair[string, int]
	first := func(e entry) string { return e.First }
	load := mapreduce.SortBy(first)
	load.TotalOrder, load.Reducers = false, 2
	in := mapreduce.Slice([]entry{{"tea", 3}, {"milk", 1}})
	left := mapreduce.NewKeyedDataset(cluster.KeptOptions{}, first)
	run(load.Bind(in, left.Output()))
	run(load.Bind(in, left.RerunOutput()))
	feeds := []mapreduce.Feed[string, entry]{left.Feed(), mapreduce.Keyed(in, first)}
	joins := []mapreduce.Joined[entry]{mapreduce.Join(feeds[0], feeds[1], func(name string, a, b entry, emit func(entry)) error {
		emit(entry{First: name, Second: a.Second + b.Second})
		return nil
	})}
	show(joins[0].Bind)
	left.Release()
	// Output:
	// milk	2
	// tea	6
}

// Debug finds a map that keeps its record. Interrupt may fail attempts.
func ExampleDebugOptions() {
	var last []byte
	keeps := mapreduce.MapOnly[[]byte, []byte]{Map: func(line []byte, emit func([]byte)) error {
		if last != nil {
			emit(last)
		}
		last = line
		return nil
	}}
	var out mapreduce.Collected[[]byte]
	plan, err := keeps.Bind(mapreduce.Lines(mapreduce.Bytes("text", []byte("a\nb\n"))), out.Output())
	if err != nil {
		fmt.Println(err)
		return
	}
	plan.Debug(mapreduce.DebugOptions{Interrupt: func(id mapreduce.AttemptID, n int64) error {
		fmt.Println("call", n, "of", id)
		return nil
	}})
	_, err = mapreduce.RunLocal(context.Background(), plan, mapreduce.LocalOptions{})
	fmt.Println(strings.Contains(err.Error(), "what is to be kept must be copied"))
	// Output:
	// call 1 of m-00000-0
	// call 2 of m-00000-0
	// true
}
