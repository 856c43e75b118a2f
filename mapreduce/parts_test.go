package mapreduce_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/dfs"
	. "github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
)

// ends is a PartWriter that writes a first line, the records, and a last line.
type ends struct {
	to   io.Writer
	file *os.File // the file of PartFile.Path; nil if to is the part
}

func (e *ends) Write(line string) error {
	_, err := io.WriteString(e.to, line+"\n")
	return err
}

func (e *ends) Close() error {
	err := e.Write("end")
	if e.file != nil {
		err = errors.Join(err, e.file.Close())
	}
	return err
}

func (e *ends) Abort() error {
	if e.file != nil {
		return e.file.Close()
	}
	return nil
}

// openEnds returns an open function for Parts.
func openEnds(byName bool) func(*Task, *PartFile) (PartWriter[string], error) {
	return func(_ *Task, file *PartFile) (PartWriter[string], error) {
		e := &ends{to: file}
		if byName {
			path, err := file.Path()
			if err != nil {
				return nil, err
			}
			if err := os.WriteFile(path+"-journal", []byte("beside"), 0o666); err != nil {
				return nil, err
			}
			if e.file, err = os.Create(path); err != nil {
				return nil, err
			}
			e.to = e.file
		}
		return e, e.Write("begin")
	}
}

// Parts are written by reduces, too, and compressed as the destination says.
// TestAttemptsLeaveNoFiles has those of maps and of a dfs.
func TestPartsAreWritten(t *testing.T) {
	for name, to := range map[string]func(dir string) Destination{
		"part-r-00000.end": Dir, "part-r-00000.end.gz": func(dir string) Destination { return ReplacedDir(dir).Compressed(Gzip) },
	} {
		for _, local := range []bool{true, false} {
			dir := filepath.Join(t.TempDir(), "out")
			sorted := SortBy(func(s string) string { return s })
			p := must(sorted.Bind(LineStrings(textOf("b\na\n")), Parts(to(dir).Extension(".end"), openEnds(false))))(t)
			skipping(t, p, local, 0)
			require.Equal(t, map[string]string{output.Success: "", name: "begin\na\nb\nend\n"}, contents(t, dir))
		}
	}
}

// partFaults opens part writers of which one call fails. The Abort that follows may fail, too.
type partFaults struct {
	faults
	t       *testing.T
	byName  bool
	abort   string // as way
	writers []*frailWriter
}

type frailWriter struct {
	PartWriter[string]
	f                       *partFaults
	closed, aborted, failed bool
}

func (f *partFaults) open(t *Task, file *PartFile) (PartWriter[string], error) {
	if err := f.plain(); err != nil {
		return nil, err
	}
	w, err := openEnds(f.byName)(t, file)
	if err != nil {
		return nil, err
	}
	f.writers = append(f.writers, &frailWriter{PartWriter: w, f: f})
	return f.writers[len(f.writers)-1], nil
}

func (w *frailWriter) Write(rec string) error {
	require.False(w.f.t, w.failed || w.closed || w.aborted, "written after an error or its end")
	w.failed = true
	if err := w.f.plain(); err != nil {
		return err
	}
	w.failed = false
	return w.PartWriter.Write(rec)
}

func (w *frailWriter) Close() error {
	require.False(w.f.t, w.failed || w.closed || w.aborted)
	if err := w.f.plain(); err != nil {
		return err
	}
	w.closed = true
	return w.PartWriter.Close()
}

func (w *frailWriter) Abort() error {
	require.False(w.f.t, w.closed || w.aborted)
	w.aborted = true
	return errors.Join(w.PartWriter.Abort(), w.f.fail(w.f.abort))
}

// run runs a job of two tasks, and returns its output files and its error.
func (f *partFaults) run(engine, reduce bool) (map[string]string, error) {
	ctx, cancel := context.WithCancel(f.t.Context())
	defer cancel()
	f.cancel, f.writers = cancel, []*frailWriter{{}}
	dir := filepath.Join(f.t.TempDir(), "out")
	in := LineStrings(Bytes("one", []byte("a\nb\n")), Bytes("two", []byte("c\nd\n")))
	out := Parts(Dir(dir), f.open)
	p, err := passOn[string]().Bind(in, out)
	if reduce {
		p, err = SortBy(func(s string) string { return s }).Bind(in, out)
	}
	require.NoError(f.t, err)
	if err := runApart(ctx, p, engine); err != nil {
		require.NoDirExists(f.t, dir)
		return nil, err
	}
	return contents(f.t, dir), nil
}

// Any call of a part's writer may fail, in any way, and Abort after it. The job then succeeds with
// its whole output, or fails with the cause and leaves none. Each opened writer is closed or
// aborted once.
func TestEveryFaultOfAPart(t *testing.T) {
	for kind := range 8 {
		engine, reduce, byName := kind&1 > 0, kind&2 > 0, kind&4 > 0
		good := &partFaults{faults: faults{at: -1}, t: t, byName: byName}
		want := must(good.run(engine, reduce))(t)
		require.Len(t, want, 3)
		for _, way := range []string{"error", "panic", "goexit", "cancel"} {
			for at := range good.calls {
				for _, abort := range []string{"", "error", "panic", "goexit"} {
					f := &partFaults{faults: faults{way: way, at: at}, t: t, byName: byName, abort: abort}
					got, err := f.run(engine, reduce)
					what := fmt.Sprintf("engine %t, reduce %t, by name %t: %s in call %d, then %s", engine, reduce, byName, way, at, abort)
					switch {
					case err == nil:
						require.Equal(t, want, got, what)
					case abort == "goexit" && f.writers[len(f.writers)-1].aborted: // or open has failed
						require.ErrorIs(t, err, fault.ErrExited, what)
					default:
						require.ErrorIs(t, err, cause(way), what)
					}
					if engine && way != "cancel" {
						require.NoError(t, err, what)
					}
					for _, w := range f.writers[1:] {
						require.True(t, w.closed != w.aborted, what)
					}
				}
			}
		}
	}
}

// inPieces writes each record to its part in many small pieces.
type inPieces struct {
	t    *testing.T
	file *PartFile
	most int // of bytes that the file has held
}

func (w *inPieces) Write(rec string) error {
	for range 10_000 {
		if _, err := io.WriteString(w.file, rec); err != nil {
			return err
		}
		w.most = max(w.most, len(output.WriterOf(w.file).Buf))
	}
	return nil
}

func (w *inPieces) Abort() error { return nil }

func (w *inPieces) Close() error {
	require.Greater(w.t, w.most, output.FlushSize/2)
	require.LessOrEqual(w.t, w.most, output.FlushSize)
	return nil
}

// A part that is written in small pieces holds few of them in memory.
func TestPartsHoldLittle(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	out := Parts(Dir(dir), func(_ *Task, file *PartFile) (PartWriter[string], error) {
		return &inPieces{t: t, file: file}, nil
	})
	p := must(passOn[string]().Bind(LineStrings(textOf(strings.Repeat("a", 100))), out))(t)
	must(RunLocal(t.Context(), p, LocalOptions{}))(t)
	require.Equal(t, map[string]string{output.Success: "", "part-m-00000": strings.Repeat("a", 1_000_000)}, contents(t, dir))
}

// A part has no output of a skipped record. A record that the map overwrites after the emit is
// written as it was emitted.
func TestPartsWithoutBadRecords(t *testing.T) {
	type named struct {
		Names [][]byte
		None  []byte
		Two   [2]struct{ B []byte }
	}
	job := MapOnly[[]byte, named]{Map: func(line []byte, emit func(named)) error {
		b := bytes.Clone(line)
		emit(named{Names: [][]byte{b}, Two: [2]struct{ B []byte }{{b}, {}}})
		clear(b)
		if line[0] == 'b' {
			return errDisk
		}
		return nil
	}}
	var got []named
	open := func(*Task, *PartFile) (PartWriter[named], error) { return collector2[named]{&got}, nil }
	p := must(job.Bind(Lines(textOf("a\nb\nc\n")), Parts(Dir(filepath.Join(t.TempDir(), "out")), open)))(t)
	must(RunLocal(t.Context(), p, LocalOptions{MaxSkips: 1}))(t)
	of := func(s string) named {
		return named{Names: [][]byte{[]byte(s)}, Two: [2]struct{ B []byte }{{[]byte(s)}, {}}}
	}
	require.Equal(t, []named{of("a"), of("c")}, got)
}

// collector2 gathers the records of a part.
type collector2[O any] struct{ list *[]O }

func (c collector2[O]) Write(rec O) error { *c.list = append(*c.list, rec); return nil }
func (collector2[O]) Close() error        { return nil }
func (collector2[O]) Abort() error        { return nil }

// Invalid uses of Parts, and of Path where parts have none, are errors.
func TestPartsAreChecked(t *testing.T) {
	run := func(to Destination, open func(*Task, *PartFile) (PartWriter[string], error)) error {
		return ran(passOn[string]().Bind(LineStrings(textOf("a\n")), Parts(to, open)))
	}
	dir := func() Destination { return Dir(filepath.Join(t.TempDir(), "out")) }
	require.ErrorContains(t, run(dir(), nil), "Parts without an open function")
	for _, ext := range []string{"csv", ".", "..", ".a/b", ".a.b", ".a\n"} {
		require.ErrorContains(t, run(dir().Extension(ext), openEnds(false)), "the extension")
	}
	_, err := passOn[string]().Bind(LineStrings(Bytes("text", nil)), Routed(Parts(dir(), openEnds(false)), firstWord))
	require.ErrorContains(t, err, "Routed of Parts")

	fsys := must(dfs.New(dfs.Config{Nodes: []dfs.Node{{ID: "a"}}}))(t)
	for _, to := range []Destination{InDFS(fsys, "out"), dir().Compressed(Zstd), Writer("w", io.Discard)} {
		err := run(to, openEnds(true))
		require.ErrorContains(t, err, "part-m-00000")
		require.ErrorContains(t, err, "has no path")
		require.True(t, fault.IsPermanent(err))
	}
	require.ErrorContains(t, run(dir(), func(*Task, *PartFile) (PartWriter[string], error) { return nil, nil }),
		"part-m-00000: open returned no writer")
	var kept *PartFile
	at := func(make func(path string) error) func(*Task, *PartFile) (PartWriter[string], error) {
		return func(_ *Task, file *PartFile) (PartWriter[string], error) {
			kept = file
			path, err := file.Path()
			again, _ := file.Path()
			require.Equal(t, path, again)
			return collector2[string]{new([]string)}, errors.Join(err, make(path))
		}
	}
	require.ErrorContains(t, run(dir(), at(func(string) error { return nil })), "part-m-00000: the writer has made no file at its Path")
	require.ErrorContains(t, run(dir(), at(func(p string) error { return os.Mkdir(p, 0o777) })), "is no file")
	require.ErrorContains(t, run(dir(), at(func(p string) error { return os.Symlink("/", p) })), "is no file")
	require.ErrorIs(t, errorOf(kept.Write(nil)), output.ErrPartEnded)
	_, err = kept.Path()
	require.ErrorIs(t, err, output.ErrPartEnded)
	both := func(_ *Task, file *PartFile) (PartWriter[string], error) {
		_, err := io.WriteString(file, "x")
		_, errPath := file.Path()
		require.ErrorIs(t, errPath, output.ErrBothWays)
		return collector2[string]{new([]string)}, err
	}
	require.NoError(t, run(dir(), both))
}
