package worker

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
)

// Engine runs all tasks of a job on an engine of another module, which starts Go workers itself. on
// is Options.On. The error must be one line.
type Engine func(ctx context.Context, on string, t *Tasks) error

var registered sync.Map // an Engine by its name

// Register registers an engine under its name, such as prism, or under the prefix of its names,
// such as beam://. Call it in init functions; it replaces an engine of the same name.
func Register(name string, e Engine) { registered.Store(name, e) }

// brought returns the engine that is registered for a name, or a zero value.
func brought(on string) (none engine, err error) {
	name := on
	if scheme, host, ok := strings.Cut(on, "://"); ok {
		if name = scheme + "://"; host == "" {
			return none, fmt.Errorf("%q: want %sHOST:PORT", on, name)
		}
	}
	if e, ok := registered.Load(name); ok {
		e := e.(Engine)
		return engine{width: cap(slots), run: func(ctx context.Context, j *job) error { return e.run(ctx, on, j) }}, nil
	}
	if name == "prism" || name == "beam://" {
		return none, fmt.Errorf(`%s: this program was built without Beam: build tarry by "make build BEAM=1", or import `+
			`_ "github.com/tarry-mr/tarry/contrib/beam" in a program of your own`, on)
	}
	return none, nil
}

// slots limits how many workers Tasks runs at once in this process.
var slots = make(chan struct{}, runtime.GOMAXPROCS(0))

// run runs a job on an engine that another module has registered.
func (e Engine) run(ctx context.Context, on string, j *job) error {
	base := j.task("", 0, 0)
	base.Memory = j.o.Memory / int64(cap(slots))
	t := &Tasks{
		Name: j.layout.Name, Maps: len(j.layout.Splits), Reduces: j.layout.Reduces, Task: base.env(),
		Attempts: j.maxAttempts(), Tell: j.o.Log != nil,
	}
	err := e(ctx, on, t)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return cmp.Or(j.failed(nil), fmt.Errorf("%s: %w", on, err))
	}
	return nil
}

// Tasks are the tasks of a job as plain values that an engine can send to the place where they run.
// The same program must exist there, at any path, and have access to the output's directory or
// store. Tasks is safe for concurrent use: at most as many workers as the process has processors
// run at once, and others wait.
type Tasks struct {
	Name     string // name of the job
	Maps     int    // at least 1
	Reduces  int    // 0: the job has no reduces
	Task     string // the value of TARRY_TASK that all tasks share
	Attempts int    // maximum attempts of a task, at least 1
	Tell     bool   // log retried attempts on standard error
}

// start waits for a slot. It returns a launcher for one task and a temporary file without a name,
// which vanishes when end closes it. end also frees the slot.
func (t *Tasks) start(ctx context.Context) (l *launcher, f *os.File, end func(), err error) {
	base, err := parseTask(t.Task)
	if err != nil {
		return nil, nil, nil, err
	}
	l = &launcher{task: *base, maxAttempts: t.Attempts, first: int(rand.Int32N(1 << 30))}
	if t.Tell {
		l.log = os.Stderr
	}
	select {
	case slots <- struct{}{}:
	case <-ctx.Done():
		return nil, nil, nil, context.Cause(ctx)
	}
	if f, err = os.CreateTemp(base.Spills, "tarry-frames-*"); err != nil {
		<-slots
		return nil, nil, nil, err
	}
	_ = os.Remove(f.Name()) // the open descriptor suffices
	return l, f, func() {
		_ = f.Close() // what was written has been read
		<-slots
	}, nil
}

// Map runs a map in its own process until an attempt succeeds, and then calls emit with its frames:
// at most 1 MiB each and at least one for each reduce; none if the job has no reduces. emit owns
// the bytes.
func (t *Tasks) Map(ctx context.Context, index int, emit func(reduce int, frame []byte)) error {
	l, f, end, err := t.start(ctx)
	if err != nil {
		return err
	}
	defer end()
	err = l.retry(ctx, mapTask, index, func(t task) error {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return err
		}
		return errors.Join(f.Truncate(0), l.start(ctx, t, nil, f))
	})
	if err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	for r := bufio.NewReaderSize(f, 256<<10); ; {
		x, err := readFrame(r, nil)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		emit(int(x.partition), append(x.appendHead(nil, t.Reduces), x.data...))
	}
}

// Reduce runs a reduce in its own process until an attempt succeeds. frames are all frames that
// maps emitted for it, in any order. They are read once, into a temporary file.
func (t *Tasks) Reduce(ctx context.Context, index int, frames iter.Seq[[]byte]) error {
	l, f, end, err := t.start(ctx)
	if err != nil {
		return err
	}
	defer end()
	size := int64(0)
	for frame := range frames {
		n, err := f.Write(frame)
		if size += int64(n); err != nil {
			return err
		}
	}
	return l.retry(ctx, reduceTask, index, func(t task) error {
		return l.start(ctx, t, io.NewSectionReader(f, 0, size), nil)
	})
}
