package mapreduce

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
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

// A part of Parts has the records that Text writes there, for all destinations and splits.
func TestPartsIsItsRecords(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		lines := rapid.SliceOfN(rapid.StringMatching(`[a-d]{0,2}`), 0, 12).Draw(rt, "lines")
		block := rapid.Int64Range(1, 40).Draw(rt, "block")
		reduces, onEngine := rapid.IntRange(0, 3).Draw(rt, "reduces"), rapid.Bool().Draw(rt, "engine")
		kind := rapid.SampledFrom([]string{"path", "bytes", "gzip", "dfs"}).Draw(rt, "kind")
		bind := func(out Output[string]) *Plan {
			in := LineStrings(Bytes("lines", []byte(strings.Join(append(lines, ""), "\n"))))
			p, err := passOn[string]().Bind(in, out)
			if reduces > 0 {
				p, err = SortBy(func(s string) string { return s }).Bind(in, out)
			}
			require.NoError(rt, err)
			return p
		}
		run := func(p *Plan) {
			if onEngine {
				engine(t, p, reduces, p.BlocksOf(block), cluster.Resources{Budget: cluster.NewMemory(1 << 20).Sub()})
				return
			}
			must(RunLocal(t.Context(), p, LocalOptions{Reduces: reduces, Blocks: p.BlocksOf(block)}))(rt)
		}
		dir := t.TempDir()
		run(bind(Text[string](Dir(filepath.Join(dir, "plain")))))
		want := map[string]string{output.Success: ""}
		for name, text := range contents(t, filepath.Join(dir, "plain")) {
			if name == output.Success {
				continue
			}
			if name += ".end"; kind == "gzip" {
				name += ".gz"
			}
			want[name] = "begin\n" + text + "end\n"
		}
		fsys := must(dfs.New(dfs.Config{Nodes: []dfs.Node{{ID: "a"}}}))(rt)
		to := map[string]Destination{
			"path": Dir(filepath.Join(dir, "own")), "bytes": ReplacedDir(filepath.Join(dir, "own")),
			"gzip": Dir(filepath.Join(dir, "own")).Compressed(Gzip), "dfs": InDFS(fsys, "own"),
		}[kind]
		run(bind(Parts(to.Extension(".end"), openEnds(kind == "path"))))
		if kind != "dfs" {
			require.Equal(rt, want, contents(t, filepath.Join(dir, "own")))
			return
		}
		for name, text := range want {
			require.Equal(rt, text, string(must(fs.ReadFile(fsys, "own/"+name))(rt)))
		}
	})
}

// partFaults opens part writers of which one call fails: number `at`, from 0. The Abort that
// follows may fail, too.
type partFaults struct {
	t       *testing.T
	byName  bool
	way     string // error, panic, goexit, cancel
	at      int
	abort   string // as way
	calls   int
	cancel  func()
	writers []*frailWriter
}

type frailWriter struct {
	PartWriter[string]
	f                       *partFaults
	closed, aborted, failed bool
}

func (f *partFaults) fault(way string) error {
	switch way {
	case "panic":
		panic(errDisk)
	case "goexit":
		runtime.Goexit()
	case "cancel":
		f.cancel()
	case "error":
		return errDisk
	}
	return nil
}

func (f *partFaults) call() error {
	f.calls++
	if f.calls-1 != f.at {
		return nil
	}
	return f.fault(f.way)
}

func (f *partFaults) open(t *Task, file *PartFile) (PartWriter[string], error) {
	if err := f.call(); err != nil {
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
	if err := w.f.call(); err != nil {
		return err
	}
	w.failed = false
	return w.PartWriter.Write(rec)
}

func (w *frailWriter) Close() error {
	require.False(w.f.t, w.failed || w.closed || w.aborted)
	if err := w.f.call(); err != nil {
		return err
	}
	w.closed = true
	return w.PartWriter.Close()
}

func (w *frailWriter) Abort() error {
	require.False(w.f.t, w.closed || w.aborted)
	w.aborted = true
	return errors.Join(w.PartWriter.Abort(), w.f.fault(w.f.abort))
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
		good := &partFaults{t: t, byName: byName, at: -1}
		want := must(good.run(engine, reduce))(t)
		require.Len(t, want, 3)
		for _, way := range []string{"error", "panic", "goexit", "cancel"} {
			for at := range good.calls {
				for _, abort := range []string{"", "error", "panic", "goexit"} {
					f := &partFaults{t: t, byName: byName, way: way, at: at, abort: abort}
					got, err := f.run(engine, reduce)
					what := fmt.Sprintf("engine %t, reduce %t, by name %t: %s in call %d, then %s", engine, reduce, byName, way, at, abort)
					switch {
					case err == nil:
						require.Equal(t, want, got, what)
					case way == "goexit" || abort == "goexit" && f.writers[len(f.writers)-1].aborted: // or open has failed
						require.ErrorIs(t, err, fault.ErrExited, what)
					case way == "cancel":
						require.ErrorIs(t, err, context.Canceled, what)
					default:
						require.ErrorIs(t, err, errDisk, what)
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

// Attempts that are stopped, fail or lose the commit leave no files of their parts.
func TestPartsOfAttempts(t *testing.T) {
	for _, byName := range []bool{false, true} {
		dir := filepath.Join(t.TempDir(), "out")
		hold, held := make(chan struct{}), make(chan struct{})
		open := func(task *Task, file *PartFile) (PartWriter[string], error) {
			w, err := openEnds(byName)(task, file)
			if task.ID().Try == 1 {
				held <- struct{}{}
				<-hold
			}
			return w, err
		}
		p := must(passOn[string]().Bind(LineStrings(textOf("a\nb\n")), Parts(Dir(dir), open)))(t)
		begun(t, p, nil)
		run := func(try int) error {
			_, err := p.RunMap(t.Context(), &cluster.MapAttempt{Try: try, Split: cluster.Split{Length: 4}})
			return err
		}
		late := make(chan error)
		go func() { late <- run(1) }()
		<-held // the attempt hangs from here on, and is abandoned
		require.NoError(t, p.AbortTask(AttemptID{Try: 1}))
		require.NoError(t, run(2))
		require.NoError(t, run(3)) // a speculative attempt, which is first
		require.NoError(t, p.CommitTask(AttemptID{Try: 3}))
		require.ErrorIs(t, p.CommitTask(AttemptID{Try: 2}), cluster.ErrCommitted)
		require.NoError(t, p.AbortTask(AttemptID{Try: 2}))
		temp := must(os.ReadDir(filepath.Join(dir, output.Temporary)))(t)
		require.Len(t, temp, 1, "_SUCCESS to be")
		require.NoError(t, p.CommitJob())
		close(hold)
		require.Error(t, <-late, "the job has ended")
		require.Equal(t, map[string]string{"_SUCCESS": "", "part-m-00000": "begin\na\nb\nend\n"}, contents(t, dir))
	}
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

// TestPartsAreResumed: parts of committed tasks remain.
func TestPartsAreResumed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	bind := func() *Plan {
		p := must(passOn[string]().Bind(LineStrings(textOf("a\nb\n")),
			Parts(Dir(dir).Extension(".end").Resumable("mine"), openEnds(true))))(t)
		begun(t, p, nil)
		return p
	}
	p := bind()
	for i := range 2 {
		must(p.RunMap(t.Context(), &cluster.MapAttempt{Index: i, Split: cluster.Split{Offset: int64(2 * i), Length: 2}}))(t)
	}
	require.NoError(t, p.CommitTask(AttemptID{Index: 0}))
	require.NoError(t, p.LeaveJob())
	p = bind()
	require.Equal(t, []AttemptID{{Index: 0}}, p.Committed())
	must(p.RunMap(t.Context(), &cluster.MapAttempt{Index: 1, Try: 1, Split: cluster.Split{Offset: 2, Length: 2}}))(t)
	require.NoError(t, p.CommitTask(AttemptID{Index: 1, Try: 1}))
	require.NoError(t, p.CommitJob())
	require.NoError(t, p.ForgetJob())
	require.Equal(t, map[string]string{
		"_SUCCESS": "", "part-m-00000.end": "begin\na\nend\n", "part-m-00001.end": "begin\nb\nend\n",
	}, contents(t, dir))
}

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
