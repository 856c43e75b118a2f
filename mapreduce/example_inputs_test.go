package mapreduce_test

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"testing/fstest"

	"github.com/tarry-mr/tarry/mapreduce"
)

// Seq2 is an input whose only map reads a channel while it is filled.
func ExampleSeq2() {
	words := make(chan string)
	go func() {
		defer close(words)
		for _, w := range []string{"tea", "milk"} {
			words <- w
		}
	}()
	printed(mapreduce.Seq2(func(yield func(string, error) bool) {
		for w := range words {
			if !yield(w, nil) {
				return
			}
		}
	}), func(w string) string { return "got " + w })
	// Output:
	// got tea
	// got milk
}

// Units is an input with a map for each unit, here a range of rows.
func ExampleUnits() {
	type rows struct{ from, to int }
	read := func(_ context.Context, r rows) iter.Seq2[int, error] {
		return func(yield func(int, error) bool) {
			for n := r.from; n < r.to; n++ {
				if n == 13 {
					yield(0, fmt.Errorf("row %d is missing", n))
					return
				}
				if !yield(n*n, nil) {
					return
				}
			}
		}
	}
	show := func(n int) string { return fmt.Sprint(n) }
	printed(mapreduce.Units([]rows{{0, 2}, {2, 4}}, read), show)
	printed(mapreduce.Units([]rows{{12, 14}}, read), show)
	// Output:
	// 0
	// 1
	// 4
	// 9
	// m-00000-0: {12 14}: after 1 records: row 13 is missing
}

// FS reads files of any fs.FS, such as an embed.FS or a zip archive.
func ExampleFS() {
	files := fstest.MapFS{"in/a.txt": {Data: []byte("one\n")}, "in/old/b.txt": {Data: []byte("two\n")}}
	sources, err := mapreduce.FS(files, "in/**/*.txt")
	if err != nil {
		fmt.Println(err)
		return
	}
	printed(mapreduce.LineStrings(sources...), func(line string) string { return line })
	// Output:
	// one
	// two
}

// Typed and ReadTyped pass the records of one job to the next one, in binary form.
func ExampleTyped() {
	type visit struct {
		User string
		Ms   int
	}
	temp, _ := os.MkdirTemp("", "typed")
	defer func() { _ = os.RemoveAll(temp) }()
	dir := filepath.Join(temp, "visits")
	first := mapreduce.MapOnly[visit, visit]{Map: func(v visit, emit func(visit)) error {
		emit(v)
		return nil
	}}
	run(first.Bind(mapreduce.Slice([]visit{{"ann", 12}, {"bob", 7}}), mapreduce.Typed[visit](mapreduce.Dir(dir))))
	sources, err := mapreduce.Files(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	printed(mapreduce.ReadTyped[visit](sources...), func(v visit) string { return fmt.Sprint(v.User, " ", v.Ms) })
	// Output:
	// ann 12
	// bob 7
}

// Errors are written to separate files.
func ExampleRouted() {
	temp, _ := os.MkdirTemp("", "routed")
	defer func() { _ = os.RemoveAll(temp) }()
	dir := filepath.Join(temp, "log")
	keep := mapreduce.MapOnly[string, string]{Map: func(line string, emit func(string)) error {
		emit(line)
		return nil
	}}
	out := mapreduce.Routed(mapreduce.Text[string](mapreduce.Dir(dir)), func(line string) string {
		if line[0] == 'E' {
			return "errors"
		}
		return ""
	})
	run(keep.Bind(mapreduce.Slice([]string{"E disk full", "I started"}), out))
	for _, name := range []string{"errors-m-00000", "part-m-00000"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		fmt.Printf("%s: %q %v\n", name, text, err)
	}
	// Output:
	// errors-m-00000: "E disk full\n" <nil>
	// part-m-00000: "I started\n" <nil>
}
