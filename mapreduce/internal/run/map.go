package run

import (
	"cmp"
	"context"
	"errors"
	"math"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/mapreduce/internal/combine"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/kept"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/read"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
	"github.com/tarry-mr/tarry/mapreduce/internal/task"
	"github.com/tarry-mr/tarry/mapreduce/internal/write"
)

// collector takes what a map attempt emits, and converts it into segments or writes it to a part.
type collector struct {
	emit any // a func(K, V); not used for a part
	intake
	failed *error // first error of emit
	finish func() ([]cluster.Segment, segment.Stats, error)
	close  func()
	gate   *memory.Gate // lets emit be called only within user code
	// trying prepares for an attempt that may skip records.
	trying func() trial
}

// trial holds back what a map emits for a record until the map has succeeded.
type trial struct {
	emit  any          // in place of collector.emit
	check func() error // returns an error if something emitted cannot be kept
	keep  func() error
	drop  func()
}

// intake tells a reader how long a collector needs the memory of records.
type intake struct {
	pin    func(view []byte, release func()) // keeps a view until release; nil: views end with their records
	copies bool                              // the collector copies what is emitted
}

// RunMap implements cluster.Tasks.
func (b *Job) RunMap(ctx context.Context, p *cluster.Bound, a *cluster.MapAttempt) (*cluster.MapOutput, error) {
	var c counter.Set
	collector := b.sorting
	if b.Combines {
		collector = b.combining
	}
	col := collector(p, a)
	defer col.close()
	col.gate.Shut()
	m := &mapRun{ctx, p, a, &c, read.NewSkips(a.MaxSkips, a.LeaveOut...), col, b.Typed.StartMap}
	err := p.EachFile(a.Split, m.file)
	if err = cmp.Or(err, *col.failed); err != nil {
		return nil, err
	}
	segments, stats, err := col.finish()
	if err != nil {
		return nil, err
	}
	for i := range segments {
		segments[i].Map = a.Index
		c.Add(counter.MapOutputMaterializedBytes, segments[i].Bytes)
	}
	c.Add(counter.MapOutputRecords, stats.Records)
	c.Add(counter.MapOutputBytes, stats.Bytes)
	if b.Combines {
		c.Add(counter.CombineInputRecords, stats.Records)
		c.Add(counter.CombineOutputRecords, stats.Output)
	}
	addSpills(&c, stats)
	out := cluster.NewMapOutput(segments, m.skips.Count(&c))
	a.Report(&c)
	return out, nil
}

// mapRun maps the files of a split, or several splits, for a collector.
type mapRun struct {
	ctx   context.Context
	p     *cluster.Bound
	a     *cluster.MapAttempt
	c     *counter.Set
	skips *read.Skips
	col   *collector
	start func(t *task.Task, emit any) (MapCode, error) // starts the user's Map for a file
}

// file maps the part of a split that is in one file.
func (m *mapRun) file(file cluster.Split) error {
	t := &task.Task{
		Ctx: m.ctx, ID: m.a.ID(), Reduces: m.p.Reduces, Input: m.p.Sources[file.Source].Name(), Source: file.Source,
		Counters: m.c, Budget: m.a.Budget, Log: m.a.Log,
	}
	col, emit, tried := m.col, m.col.emit, trial{}
	if m.skips != nil {
		tried = col.trying()
		emit = tried.emit
	}
	code, err := m.start(t, emit)
	if err != nil {
		return err
	}
	err = m.read(t, file, func(l *recordLoop) error {
		if m.skips == nil {
			return code.run(l, nil)
		}
		return code.run(l, read.SkippingKnown(l.reader, func(mapRecord func() error) error {
			return tried.record(m.c, mapRecord)
		}))
	})
	if err == nil && code.close != nil {
		col.gate.Open()
		if err = code.close(); err == nil && m.skips != nil {
			err = tried.keep()
		}
		col.gate.Shut()
	}
	return err
}

// after converts the error of a Map, or of its emits: a pair that is too large is an error of the
// record.
func (c *collector) after(err error) error {
	if err == nil && !errors.Is(*c.failed, memory.ErrRecordTooLarge) {
		return *c.failed
	}
	return read.MapError(cmp.Or(err, *c.failed))
}

func addSpills(c *counter.Set, s segment.Stats) {
	c.Add(counter.SpilledRecords, s.SpilledRecords)
	c.Add(counter.FileBytesWritten, s.FileBytes)
	c.Add(counter.FileBytesRead, s.FileBytes)
}

// reportEvery is the number of records between two progress reports, a multiple of PauseEvery.
const reportEvery = 4096

// read makes loop map each record of the part of a split that is in one file, and counts records
// and bytes.
func (m *mapRun) read(t *task.Task, file cluster.Split, loop func(l *recordLoop) error) error {
	ctx, p, a, c := m.ctx, m.p, m.a, m.c
	w, stop := cluster.NewWatch(ctx, &a.Resources)
	defer stop()
	r := &read.Reader{
		Ctx: ctx, Windows: read.UsualWindows(), Source: p.Sources[file.Source], Split: file,
		Watch: w, Progress: a.Progress, BytesRead: c.Get(counter.InputBytesRead), Budget: a.Budget, Pool: a.Pool,
		Pin: m.col.pin, Copied: m.col.copies, Skips: m.skips, Copies: t.Records, Part: p.Inputs[file.Source].Cut != nil,
	}
	t.Reader = r
	if a.Progress != nil {
		a.Progress.Open(p.Sources[file.Source].Name())
	}
	kind := &p.Inputs[file.Source]
	before, l := c.Get(kind.Counter()), &recordLoop{reader: r, watch: w, gate: m.col.gate, failed: m.col.failed, after: m.col.after}
	exited := true
	defer func() {
		if exited && a.Progress != nil {
			a.Progress.Exit(r.RecordError(fault.Exited()))
		}
	}()
	l.report = func() {
		if a.Progress != nil && !kind.Chunks {
			a.Progress.Records.Store(before + r.Mapped)
		}
	}
	err := loop(l)
	exited = false
	err = r.LocateError(err)
	l.report()
	c.Add(kind.Counter(), r.Mapped)
	c.Add(counter.InputBytesRead, r.BytesRead-c.Get(counter.InputBytesRead))
	if a.Progress != nil {
		a.Progress.Bytes.Store(r.BytesRead)
	}
	if err == nil {
		err = context.Cause(ctx)
	}
	return err
}

// sorting returns a collector without combiner: it sorts pairs by key.
func (b *Job) sorting(p *cluster.Bound, a *cluster.MapAttempt) *collector {
	s := segment.NewSorter(segment.Config{
		Resources: a.Storage(), Partitions: p.Reduces, Largest: b.largest(a.Budget), Stored: a.Stored,
	})
	var failed error
	emit := b.sortedEmit(s, p.Reduces, &failed)
	return &collector{
		emit:   emit,
		intake: intake{pin: s.Pin, copies: true},
		failed: &failed,
		trying: func() trial { return b.trial(emit, s.Gate()) },
		finish: func() ([]cluster.Segment, segment.Stats, error) {
			list, stats, err := s.Finish()
			return segmentsOf(list), stats, err
		},
		close: s.Close,
		gate:  s.Gate(),
	}
}

// The first maps of a job do not know how many keys to expect. For a split of largeSplit bytes, a
// table starts with largeDistinct keys: 2 MiB of counts, one huge page instead of hundreds of small
// ones.
const (
	largeSplit    = 8 << 20
	largeDistinct = 1 << 15
)

// distinctKeys is the number of distinct keys of a split of length bytes.
type distinctKeys struct{ keys, length int64 }

// expect estimates the number of distinct keys of a split of length bytes. For a smaller split,
// such as a piece of a final block, it grows with the square root of the length: a table for all
// keys would be twice too large, at the time of peak memory use.
func (f *distinctKeys) expect(length int64) int {
	switch {
	case f == nil || f.keys == 0:
		if length >= largeSplit {
			return largeDistinct
		}
		return 0
	case length >= f.length:
		return int(f.keys)
	}
	return int(float64(f.keys) * math.Sqrt(float64(max(length, 1))/float64(f.length)))
}

// combining returns a collector that combines the values of equal keys in a table.
func (b *Job) combining(p *cluster.Bound, a *cluster.MapAttempt) *collector {
	o := b.tableOptions(&a.Resources)
	o.Partitions, o.Stored = p.Reduces, a.Stored
	o.Distinct = b.distinct.Load().expect(a.Split.Length)
	o.Expected = kept.Expected(p.Sources[a.Split.Source])
	if b.Partitions || b.Ordered || b.prefix != nil {
		o.Partition = b.partitioner(p.Reduces)
	}
	t := combine.NewTable(o, b.values())
	emit := b.tableEmit(t)
	return &collector{
		emit:   emit,
		intake: intake{copies: !t.Weighs()},
		failed: t.Failure(),
		trying: func() trial { return b.trial(emit, t.Gate()) },
		finish: func() ([]cluster.Segment, segment.Stats, error) {
			list, stats, err := t.Finish()
			b.distinct.Store(&distinctKeys{keys: stats.Output, length: a.Split.Length})
			return segmentsOf(list), stats, err
		},
		close: t.Close,
		gate:  t.Gate(),
	}
}

func (b *Job) tableOptions(r *cluster.Resources) combine.Options {
	return combine.Options{
		Resources: r.Storage(), Sum: b.Sums && combine.CanSum(b.valueType), Width: b.numberWidth(),
	}
}

// segmentsOf returns the segments of a map's output, by partition; an empty one has no Data.
func segmentsOf[T any, S interface {
	*T
	cluster.SegmentData
}](list []S) []cluster.Segment {
	out := make([]cluster.Segment, len(list))
	for i, x := range list {
		if x != nil {
			out[i] = cluster.Segment{Bytes: x.Bytes(), Records: x.Records(), Data: x}
		}
	}
	return out
}

// RunMap of a map-only job writes what Map emits to the map's part of the output.
func (b *MapOnly) RunMap(ctx context.Context, p *cluster.Bound, a *cluster.MapAttempt) (*cluster.MapOutput, error) {
	return b.runMap(ctx, p, a, read.NewSkips(a.MaxSkips, a.LeaveOut...))
}

func (b *MapOnly) runMap(ctx context.Context, p *cluster.Bound, a *cluster.MapAttempt, k *read.Skips) (*cluster.MapOutput, error) {
	var c counter.Set
	t := &task.Task{Ctx: ctx, ID: a.ID(), Counters: &c, Budget: a.Budget, Log: a.Log}
	records, bytes, err := write.ToPart(p, t, a.Host, b.Out, func(w *write.Writer) error {
		trying := func() trial {
			check, keep, drop := w.Hold()
			return trial{check: check, keep: keep, drop: drop}
		}
		col := &collector{failed: &w.Failed, gate: &w.Gate, trying: trying}
		start := func(t *task.Task, _ any) (MapCode, error) { return b.Start(t, w) }
		m := &mapRun{ctx, p, a, &c, k, col, start}
		return p.EachFile(a.Split, m.file)
	})
	if err != nil {
		return nil, err
	}
	c.Add(counter.MapOutputRecords, records)
	c.Add(counter.MapOutputBytes, bytes)
	c.Add(counter.OutputBytesWritten, bytes)
	out := cluster.NewMapOutput(nil, k.Count(&c))
	a.Report(&c)
	return out, nil
}
