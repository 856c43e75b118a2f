package worker

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tarry-mr/tarry/internal/scratch"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// maxProcesses is the maximum N of the engine processes:N.
const maxProcesses = 1024

// processes is the engine that runs each task in a new process of this program, at most n at once.
// Maps pass their frames to reduces in files of a shared directory.
//
//  1. Each map writes its frames to a file, which is then indexed by reduce.
//  2. When all maps have ended, each reduce reads its part of every file, in the order of the maps.
//  3. A worker that fails is restarted, unless its error is permanent.
type processes int

func (n processes) width() int { return int(n) }

// shuffle holds the frames of all maps, for the reduces.
type shuffle struct {
	dir   string
	files []*os.File
	ends  [][]int64 // by map: the offsets where the frames of reduce 0, 1, … end
}

func (n processes) run(ctx context.Context, j *job) (reports []report, err error) {
	dir, err := scratch.Dir(j.o.SpillDir, "tarry-shuffle-")
	if err != nil {
		return nil, err
	}
	maps := len(j.layout.Splits)
	s := &shuffle{dir: dir.Name(), files: make([]*os.File, maps), ends: make([][]int64, maps)}
	defer func() { err = errors.Join(err, s.close(), dir.Remove()) }()
	l := j.launcher(int64(n))
	l.dir = s.dir
	if j.mapOnly {
		return l.all(ctx, int(n), maps, func(ctx context.Context, i int) ([]byte, error) {
			return l.attempts(ctx, mapTask, i, func() io.Reader { return nil })
		})
	}
	_, err = l.all(ctx, int(n), maps, func(ctx context.Context, i int) ([]byte, error) {
		f, ends, err := l.runMap(ctx, s.dir, i)
		s.files[i], s.ends[i] = f, ends
		return nil, err
	})
	if err != nil {
		return nil, err
	}
	return l.all(ctx, int(n), j.layout.Reduces, func(ctx context.Context, i int) ([]byte, error) {
		return l.attempts(ctx, reduceTask, i, func() io.Reader { return s.reader(i) })
	})
}

// launcher starts a worker process for each attempt of a task, and retries failed ones.
type launcher struct {
	task        task   // the fields that all tasks share
	reduces     int    // number of the job's reduces
	dir         string // directory for heartbeat files
	first       int    // number of a task's first attempt
	maxAttempts int    // maximum attempts of a task
	logf        func(format string, args ...any)
	// note is called when an attempt begins, with errRunning, and ends; it returns the task's
	// error.
	note func(id mapreduce.AttemptID, how error) error
}

// launcher returns a launcher for the job's workers, of which width run at once.
func (j *job) launcher(width int64) *launcher {
	t := j.task("", 0, 0)
	t.Memory = j.o.Memory / width
	return &launcher{task: t, reduces: j.layout.Reduces, maxAttempts: j.maxAttempts(), logf: j.logf, note: t.noteAttempt}
}

// all calls run for tasks 0 to count-1, at most width at once, and returns their reports.
func (l *launcher) all(ctx context.Context, width, count int, run func(ctx context.Context, i int) ([]byte, error)) ([]report, error) {
	ctx, stop := context.WithCancelCause(ctx) // stopped by the first error
	defer stop(nil)
	var mu sync.Mutex
	var reports []report
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(width, count) {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(count) && ctx.Err() == nil; i = next.Add(1) - 1 {
				out, err := run(ctx, int(i))
				var list []report
				if err == nil {
					list, err = parseReports(out)
				}
				if err != nil {
					stop(err)
				}
				mu.Lock()
				reports = append(reports, list...)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return reports, context.Cause(ctx)
}

// attempts runs a task until an attempt succeeds, and returns that attempt's standard output.
func (l *launcher) attempts(ctx context.Context, kind string, index int, stdin func() io.Reader) ([]byte, error) {
	var out bytes.Buffer
	err := l.retry(ctx, kind, index, func(t task) error {
		out.Reset()
		return l.start(ctx, t, stdin(), &out)
	})
	return out.Bytes(), err
}

// runMap runs a map that writes its frames to a file, and returns the offset at which each reduce's
// frames end. The file has no name and vanishes when it is closed.
func (l *launcher) runMap(ctx context.Context, dir string, index int) (f *os.File, ends []int64, err error) {
	err = l.retry(ctx, mapTask, index, func(t task) (err error) {
		if f, err = os.CreateTemp(dir, fmt.Sprintf("tarry-m-%05d-%d-*", t.Index, t.Attempt)); err != nil {
			return err
		}
		_ = os.Remove(f.Name()) // the open descriptor suffices
		if err = l.start(ctx, t, nil, f); err == nil {
			ends, err = indexFrames(f, index, l.reduces)
		}
		if err != nil {
			err = errors.Join(err, f.Close())
			f = nil
		}
		return err
	})
	return f, ends, err
}

// retry calls the function once for each attempt of a task, until it succeeds. If all attempts
// fail, it returns the first one's error: later errors may only follow from that.
func (l *launcher) retry(ctx context.Context, kind string, index int, once func(t task) error) (err error) {
	for n := 1; ; n++ {
		t := l.task
		t.Kind, t.Index, t.Attempt = kind, index, l.first+n-1
		_ = l.note(t.id(), errRunning)
		how := once(t)
		if how != nil && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		bad := l.note(t.id(), how)
		if bad == nil || cluster.IsPermanent(bad) {
			return bad
		}
		err = cmp.Or(err, bad)
		switch {
		case n < l.maxAttempts:
			l.logf("tried again: %v", bad)
		case n == 1:
			return err
		default:
			return fmt.Errorf("a %s failed %d times: %w", kind, n, err)
		}
	}
}

// start runs attempt t in a worker process and waits for its exit.
func (l *launcher) start(ctx context.Context, t task, stdin io.Reader, stdout io.Writer) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if t.Timeout > 0 {
		remove, err := t.heartbeatFile(l.dir)
		if err != nil {
			return err
		}
		defer remove()
		go t.awaitSilence(ctx, cancel)
	}
	t.Inner = true
	words := &lastWords{to: os.Stderr}
	cmd := exec.CommandContext(ctx, exe)
	cmd.Env = append(environ(), taskVariable+"="+t.env())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, words
	cmd.WaitDelay = time.Second // for what the user's code has started, which may hold standard error
	killWithParent(cmd)
	err = cmd.Run()
	if stopped := context.Cause(ctx); err != nil && errors.Is(stopped, errStopped) {
		return stopped
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	return words.explain(err)
}

// environ returns this process's environment without TARRY_ON and TARRY_TASK.
func environ() (list []string) {
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, OnVariable+"=") && !strings.HasPrefix(v, taskVariable+"=") {
			list = append(list, v)
		}
	}
	return list
}

// indexFrames returns the offsets in a map's file where the frames of each reduce end. It returns
// an error if the frames are incomplete.
func indexFrames(f *os.File, index, reduces int) ([]int64, error) {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	ends := make([]int64, reduces)
	reported := false
	last := frame{}
	for at := int64(0); at < size; {
		r := bufio.NewReaderSize(io.NewSectionReader(f, at, size-at), 4+keyBytes+4)
		x, n, err := readHead(r)
		at += 4 + keyBytes + 4 + int64(n)
		if err != nil || at > size || int(x.index) != index || int64(x.partition) >= int64(reduces) || x.partition < last.partition {
			return nil, errors.Join(fmt.Errorf("%w: frame of map %d for reduce %d", errFrames, x.index, x.partition), err)
		}
		ends[x.partition], last = at, x
		reported = reported || x.chunk == reportChunk
	}
	if !reported || int(last.partition) != reduces-1 {
		return nil, fmt.Errorf("%w: the last are missing", errFrames)
	}
	return ends, nil
}

// reader returns a reader of the frames of all maps for a reduce, in the order of the maps.
func (s *shuffle) reader(reduce int) io.Reader {
	list := make([]io.Reader, len(s.files))
	for i, f := range s.files {
		from := int64(0)
		if reduce > 0 {
			from = s.ends[i][reduce-1]
		}
		list[i] = io.NewSectionReader(f, from, s.ends[i][reduce]-from)
	}
	return io.MultiReader(list...)
}

func (s *shuffle) close() (err error) {
	for _, f := range s.files {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
	}
	return err
}
