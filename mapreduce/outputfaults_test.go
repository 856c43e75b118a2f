package mapreduce_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/dfs/stores"
	"github.com/tarry-mr/tarry/dfs/stores/storetest"
	. "github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/internal/attempt"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
)

// errDisk is the error that these tests inject.
var errDisk = errors.New("the disk is on fire")

// faults makes one call of user code fail: number `at`, from 0.
type faults struct {
	way    string // error, short, panic, goexit, cancel; empty: not at all
	at     int
	calls  int
	cancel func()
}

// call begins each call and fails in call `at`; if short, the caller must silently write only half.
func (f *faults) call() (short bool, err error) {
	f.calls++
	if f.calls-1 != f.at {
		return false, nil
	}
	return f.way == "short", f.fail(f.way)
}

func (f *faults) fail(way string) error {
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

// cause returns what the error of a job wraps whose user code has failed in this way.
func cause(way string) error {
	switch way {
	case "cancel":
		return context.Canceled
	case "goexit":
		return fault.ErrExited
	}
	return errDisk
}

// plain is call for methods that write nothing; where a write would be short, it returns an error.
func (f *faults) plain() error {
	short, err := f.call()
	if short {
		return errDisk
	}
	return err
}

// frailOutput is a store and a writer, of which one call may fail.
type frailOutput struct {
	storetest.Dir
	faults
	sent []byte // to a Writer
}

// newFrail returns an empty frailOutput that fails as f says.
func newFrail(t *testing.T, f faults) *frailOutput {
	o := &frailOutput{faults: f}
	o.Root = t.TempDir()
	o.Lost = func(op, _ string) error {
		if op == "write" {
			return nil // frailPart.Write is called before
		}
		return o.plain()
	}
	return o
}

// soundOutput returns an empty frailOutput that does not fail.
func soundOutput(t *testing.T) *frailOutput { return newFrail(t, faults{at: -1}) }

// write writes p to w, or only half of it in a short call.
func (f *frailOutput) write(w io.Writer, p []byte) (int, error) {
	short, err := f.call()
	if err != nil {
		return 0, err
	}
	if short {
		p = p[:len(p)/2]
	}
	return w.Write(p)
}

func (f *frailOutput) Write(p []byte) (int, error) {
	var b bytes.Buffer
	n, err := f.write(&b, p)
	f.sent = append(f.sent, b.Bytes()...)
	return n, err
}

func (f *frailOutput) Begin(name, attempt string) (stores.Part, error) {
	p, err := f.Dir.Begin(name, attempt)
	return frailPart{p, f}, err
}

type frailPart struct {
	stores.Part
	f *frailOutput
}

func (p frailPart) Write(b []byte) (int, error) { return p.f.write(p.Part, b) }

// Close drops the written bytes if it fails, as a file system may.
func (p frailPart) Close() error {
	err := p.Part.Close()
	if err != nil {
		file, _ := filepath.Glob(p.f.Root + "/*/" + p.Receipt())
		err = errors.Join(err, os.Truncate(file[0], 0))
	}
	return err
}

// abortStore is a store that counts the parts that are aborted.
type abortStore struct {
	*storetest.Dir
	aborts *int
}

func (s abortStore) Begin(name, attempt string) (stores.Part, error) {
	p, err := s.Dir.Begin(name, attempt)
	return abortPart{p, s.aborts}, err
}

type abortPart struct {
	stores.Part
	aborts *int
}

func (p abortPart) Abort() error { *p.aborts++; return p.Part.Abort() }

// A store aborts the part of an attempt once, and never that of a committed one.
func TestPartsAreAbortedOnce(t *testing.T) {
	s := abortStore{&storetest.Dir{Root: t.TempDir()}, new(int)}
	c, lost, id := output.NewCommitter(storeDir(s)), attempt.ID{Kind: attempt.Reduce}, attempt.ID{Kind: attempt.Reduce, Try: 1}
	require.NoError(t, c.SetupJob())
	for _, a := range []attempt.ID{lost, id} {
		require.NoError(t, must(c.Open(a))(t).Close())
	}
	require.NoError(t, c.AbortTask(lost))
	require.NoError(t, c.CommitTask(id))
	for _, a := range []attempt.ID{lost, id} {
		require.NoError(t, c.AbortTask(a))
	}
	require.NoError(t, c.CommitJob())
	require.Equal(t, 1, *s.aborts)
}

var registered atomic.Int64 // number of stores of storeURL

// storeURL returns a URL of the whole store.
func storeURL(s stores.Store) string {
	scheme := fmt.Sprint("frail", registered.Add(1))
	stores.Register(scheme, func(string) (stores.Store, error) { return s, nil })
	return scheme + "://store"
}

// storeDir returns the directory out of a store.
func storeDir(s stores.Store) Destination { return Dir(storeURL(s) + "/out") }

// manyLines exceed a part's buffer; hugeLine exceeds what a waiting part has in memory.
var (
	manyLines = slices.Repeat([]byte(strings.Repeat("a long line ", 100)+"\n"), 230)
	hugeLine  = make([]byte, 1<<20+1)
)

// frailJobs are jobs, by name, that write in each way in which the engine writes.
func frailJobs() map[string]func(Destination) (*Plan, error) {
	few := Lines(Bytes("few", []byte("to be or\nnot to be\n")), Bytes("more", []byte("that is the question\n")))
	return map[string]func(Destination) (*Plan, error){
		"map only": func(d Destination) (*Plan, error) {
			return keepLines().Bind(Lines(Bytes("many", manyLines), Bytes("large", hugeLine[:2*output.DirectSize])),
				Text[[]byte](d))
		},
		"held": func(d Destination) (*Plan, error) {
			return keepLines().Bind(Lines(Bytes("huge", hugeLine)), Text[[]byte](d))
		},
		"reduce":   func(d Destination) (*Plan, error) { return wordCount(false).Bind(few, Text[Pair[string, int64]](d)) },
		"combined": func(d Destination) (*Plan, error) { return wordCount(true).Bind(few, Text[Pair[string, int64]](d)) },
		"no reduce": func(d Destination) (*Plan, error) {
			return Job[[]byte, []byte, []byte, Pair[[]byte, []byte]]{
				Map: func(line []byte, emit func([]byte, []byte)) error { emit(line, line); return nil },
			}.Bind(few, Text[Pair[[]byte, []byte]](d))
		},
	}
}

// frailRun runs a job over output f, which fails in call f.at, if there is one.
func frailRun(t *testing.T, job string, engine, fsys bool, c Compression, f *frailOutput) error {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	f.cancel = cancel
	to := Writer("w", f)
	if fsys {
		to = storeDir(f)
	}
	p := must(frailJobs()[job](to.Compressed(c)))(t)
	return runApart(ctx, p, engine)
}

// runApart runs a job in a goroutine of its own, which user code may exit.
func runApart(ctx context.Context, p *Plan, engine bool) error {
	done := make(chan error, 1)
	go func() {
		err := fault.ErrExited
		defer func() { done <- err }()
		if engine {
			err = (&engineRun{reduces: 2, tries: 2}).run(ctx, p)
		} else {
			_, err = RunLocal(ctx, p, LocalOptions{Reduces: 2})
		}
	}()
	return <-done
}

// Any call of an output may fail once, in any way. The job then succeeds with its whole output, or
// fails with the cause and leaves no output.
func TestEveryFaultOfAnOutput(t *testing.T) {
	runs := 0
	for job := range frailJobs() {
		for _, engine := range []bool{false, true} {
			for _, to := range []string{"fs", "fs gzip", "fs zstd", "fs s2", "writer", "writer gzip"} {
				kind, packed, _ := strings.Cut(to, " ")
				usual := job == "reduce" && engine || packed == "" && (engine || job != "map only") &&
					(kind == "writer" || job != "held")
				if !usual && os.Getenv("LONG_TESTS") == "" {
					continue
				}
				fsys := kind == "fs"
				c := NoCompression
				if packed != "" {
					require.NoError(t, c.UnmarshalText([]byte(packed)))
				}
				good := soundOutput(t)
				require.NoError(t, frailRun(t, job, engine, fsys, c, good))
				for _, way := range []string{"error", "short", "panic", "goexit", "cancel"} {
					for at := range good.calls {
						runs++
						f := newFrail(t, faults{way: way, at: at})
						err := frailRun(t, job, engine, fsys, c, f)
						checkFrail(t, fmt.Sprintf("%s, engine %t, to %s: %s in call %d", job, engine, to, way, at), f,
							good, err)
					}
				}
			}
		}
	}
	t.Logf("%d runs", runs)
	require.Greater(t, runs, 800)
}

func checkFrail(t *testing.T, what string, f, good *frailOutput, err error) {
	t.Helper()
	if err == nil {
		require.Equal(t, inside(t, os.DirFS(good.Root), "out"), inside(t, os.DirFS(f.Root), "out"), what)
		require.Equal(t, string(good.sent), string(f.sent), what)
		return
	}
	if f.way != "short" || !errors.Is(err, io.ErrShortWrite) {
		require.ErrorIs(t, err, cause(f.way), what)
	}
	left := slices.DeleteFunc(slices.Collect(maps.Keys(inside(t, os.DirFS(f.Root), "."))),
		func(name string) bool { return path.Base(name) == "setup" })
	require.Empty(t, left, what)
	require.True(t, strings.HasPrefix(string(good.sent), string(f.sent)),
		"%s: sent %d of %d bytes, of which some are others", what, len(f.sent), len(good.sent))
}
