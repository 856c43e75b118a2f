package mapreduce_test

import (
	"archive/zip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tarry-mr/tarry/mapreduce"
)

// printed runs a job that writes text(rec), for each record of in, to standard output.
func printed[I any](in mapreduce.Input[I], text func(I) string) {
	job := mapreduce.MapOnly[I, string]{Map: func(rec I, emit func(string)) error {
		emit(text(rec))
		return nil
	}}
	show(job.Over(in))
}

// Separated reads records that end with any text: names of find -print0 end with a NUL byte.
func ExampleSeparated() {
	names := mapreduce.Bytes("names", []byte("a file\x00another\nfile\x00"))
	printed(mapreduce.Separated("\x00", names), func(name []byte) string { return fmt.Sprintf("%q", name) })
	// Output:
	// "a file"
	// "another\nfile"
}

// Quoted fields may contain line feeds.
func ExampleCSV() {
	file := mapreduce.Bytes("poems.csv", []byte("basho,\"old pond\nfrog jumps in\"\nissa,\"climb, snail\"\n"))
	printed(mapreduce.CSV(mapreduce.CSVOptions{}, file), func(r mapreduce.CSVRecord) string {
		return fmt.Sprintf("%s: %q", r.Fields[0], r.Fields[1])
	})
	// Output:
	// basho: "old pond\nfrog jumps in"
	// issa: "climb, snail"
}

// One JSON value per line.
func ExampleJSONLines() {
	type visit struct {
		User string `json:"user"`
		Ms   int    `json:"ms"`
	}
	file := mapreduce.Bytes("log.jsonl", []byte(`{"user":"ann","ms":12,"agent":"curl"}
{"user":"bob","ms":7}
{"user":`))
	printed(mapreduce.JSONLines[visit](file), func(v visit) string { return fmt.Sprintf("%s took %d ms", v.User, v.Ms) })
	// Output: m-00000-0: log.jsonl: at byte 60, "{\"user\":": at its byte 8: unexpected end of JSON input
}

// Filter and FlatMap convert an input: here the words of lines that are no comments.
func ExampleFlatMap() {
	file := mapreduce.Bytes("rhyme", []byte("tarry a while\n# by nobody\nsaid slow\n"))
	lines := mapreduce.Lines(file).Filter(func(line []byte) bool { return line[0] != '#' })
	words := mapreduce.FlatMap(lines, func(line []byte, emit func(string)) error {
		for word := range mapreduce.Fields(line) {
			emit(string(word))
		}
		return nil
	})
	printed(words, strings.ToUpper)
	// Output:
	// TARRY
	// A
	// WHILE
	// SAID
	// SLOW
}

// A custom format: decode returns one record.
func ExampleDecoded() {
	type setting struct{ key, value string }
	file := mapreduce.Bytes("app.conf", []byte("# the port\nport = 80\n\nname = tea\n"))
	settings := mapreduce.Decoded(mapreduce.Lines(file), func(line []byte) (setting, error) {
		text, _, _ := strings.Cut(string(line), "#")
		key, value, found := strings.Cut(text, "=")
		switch {
		case strings.TrimSpace(text) == "":
			return setting{}, mapreduce.ErrNoRecord
		case !found:
			return setting{}, fmt.Errorf("no = after %q", key)
		}
		return setting{strings.TrimSpace(key), strings.TrimSpace(value)}, nil
	})
	printed(settings, func(s setting) string { return s.key + " is " + s.value })
	// Output:
	// port is 80
	// name is tea
}

// jsonArray is a PartWriter that writes a part's numbers as one JSON array.
type jsonArray struct {
	to      *mapreduce.PartFile
	written bool
}

func (a *jsonArray) Write(n int) error {
	before := ", "
	if !a.written {
		before, a.written = "[", true
	}
	_, err := fmt.Fprint(a.to, before, n)
	return err
}

func (a *jsonArray) Close() error {
	_, err := fmt.Fprintln(a.to, "]")
	return err
}

func (a *jsonArray) Abort() error { return nil }

// Parts writes each part in a format that needs a text before and after the records.
func ExampleParts() {
	dir, _ := os.MkdirTemp("", "parts")
	defer func() { _ = os.RemoveAll(dir) }()
	to := mapreduce.Dir(filepath.Join(dir, "out")).Extension(".json")
	out := mapreduce.Parts(to, func(_ *mapreduce.Task, file *mapreduce.PartFile) (mapreduce.PartWriter[int], error) {
		return &jsonArray{to: file}, nil
	})
	run(mapreduce.SortBy(func(n int) int { return n }).Bind(mapreduce.Slice([]int{3, 1, 2}), out))
	text, err := os.ReadFile(filepath.Join(dir, "out", "part-r-00000.json"))
	fmt.Print(string(text), err)
	// Output:
	// [1, 2, 3]
	// <nil>
}

// Path gives code that opens files by name, such as a database, the path of a part.
func ExamplePartFile_Path() {
	dir, _ := os.MkdirTemp("", "parts")
	defer func() { _ = os.RemoveAll(dir) }()
	to := mapreduce.Dir(filepath.Join(dir, "out")).Extension(".zip")
	out := mapreduce.Parts(to, func(_ *mapreduce.Task, file *mapreduce.PartFile) (mapreduce.PartWriter[string], error) {
		path, err := file.Path()
		if err != nil {
			return nil, err
		}
		f, err := os.Create(path)
		return &archive{f, zip.NewWriter(f)}, err
	})
	names := mapreduce.LineStrings(mapreduce.Bytes("names", []byte("ann\nbob\n")))
	run(mapreduce.Distinct[string]().Bind(names, out))
	r, err := zip.OpenReader(filepath.Join(dir, "out", "part-r-00000.zip"))
	defer func() { _ = r.Close() }()
	for _, f := range r.File {
		fmt.Println(f.Name)
	}
	fmt.Println(err)
	// Output:
	// ann
	// bob
	// <nil>
}

// archive is a PartWriter that writes a zip archive with an empty file for each name.
type archive struct {
	file *os.File
	zip  *zip.Writer
}

func (a *archive) Write(name string) error {
	_, err := a.zip.Create(name)
	return err
}

func (a *archive) Close() error { return errors.Join(a.zip.Close(), a.file.Close()) }
func (a *archive) Abort() error { return a.file.Close() }
