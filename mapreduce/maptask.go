package mapreduce

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"math"
	"reflect"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/combine"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/kept"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// collector takes what a map attempt emits and ends as segments.
type collector[K, V any] struct {
	emit func(K, V)
	add  func(key, value []byte) // emit for an encoded pair; nil: there is none
	intake
	failed *error // the first failure of emit
	finish func() ([]cluster.Segment, segment.Stats, func(), error)
	close  func()
	gate   *memory.Gate // of emit, shut between calls of the user's
}

// intake is what becomes of the memory of records.
type intake struct {
	pin    func(view []byte, release func()) // nil: views need not outlive their records
	copies bool                              // what is emitted is copied
}

// call runs user code that may emit.
func (c *collector[K, V]) call(code func() error) error {
	c.gate.Open()
	err := code()
	c.gate.Shut()
	return err
}

func (b *boundJob[I, K, V, O]) RunMap(ctx context.Context, p *cluster.Bound, a *cluster.MapAttempt) (*cluster.MapOutput, error) {
	var c counter.Set
	col := b.collector(p, a)
	defer col.close()
	col.gate.Shut()
	k := newSkips(a.MaxSkips, a.LeaveOut...)
	err := p.EachFile(a.Split, func(file cluster.Split) error { return b.mapFile(ctx, p, a, file, &col, &c, k) })
	if err = cmp.Or(err, *col.failed); err != nil {
		return nil, err
	}
	segments, stats, release, err := col.finish()
	if err != nil {
		return nil, err
	}
	for i := range segments {
		segments[i].Map = a.Index
		c.Add(counter.MapOutputMaterializedBytes, segments[i].Bytes)
	}
	c.Add(counter.MapOutputRecords, stats.Records)
	c.Add(counter.MapOutputBytes, stats.Bytes)
	if b.combines() {
		c.Add(counter.CombineInputRecords, stats.Records)
		c.Add(counter.CombineOutputRecords, stats.Output)
	}
	addSpills(&c, stats)
	out := cluster.NewMapOutput(segments, release, k.count(&c))
	a.Report(&c)
	return out, nil
}

// mapFile maps the part of a split that lies in one file.
func (b *boundJob[I, K, V, O]) mapFile(ctx context.Context, p *cluster.Bound, a *cluster.MapAttempt, file cluster.Split, col *collector[K, V],
	c *counter.Set, k *skips,
) error {
	t := &Task{
		ctx: ctx, id: a.ID(), reduces: p.Reduces, name: p.Sources[file.Source].Name(), counters: c,
		budget: a.Budget, log: a.Log,
	}
	if k == nil && b.debug == nil {
		t.add = col.add
	}
	m, err := b.mapper(t)
	if err != nil {
		return err
	}
	err = readFile(t, p, a, file, b.in, k, col.intake, b.mapping(m, col, c, k))
	if err == nil && m.Close != nil {
		err = col.call(func() error { return m.Close(col.emit) })
	}
	return err
}

// mapping is what is done with each record. The usual case is written out: each call less is 2 ns a record.
func (b *boundJob[I, K, V, O]) mapping(m Mapper[I, K, V], col *collector[K, V], c *counter.Set, k *skips) mapCalls[I] {
	gate, failed := col.gate, col.failed
	after := func(err error) error {
		if err != nil {
			return ofMap(err)
		}
		return emitted(*failed)
	}
	if k == nil {
		userMap, emit := m.Map, col.emit
		one := func(rec I) (err error) {
			gate.Open()
			err = userMap(rec, emit)
			gate.Shut()
			if err != nil || *failed != nil {
				return after(err)
			}
			return nil
		}
		return mapCalls[I]{one: one, list: mapList(m, col, after)}
	}
	mapRecord := b.trying(m, col, c)
	return mapCalls[I]{one: func(rec I) error {
		gate.Open()
		err := mapRecord(rec)
		gate.Shut()
		return after(err)
	}}
}

// trying maps a record such that it can be left out if it is bad.
func (b *boundJob[I, K, V, O]) trying(m Mapper[I, K, V], col *collector[K, V], c *counter.Set) func(I) error {
	h := newHeldPairs(b.key, b.value)
	h.gate = col.gate
	return func(rec I) error {
		err := trial(c, func() error { return cmp.Or(m.Map(rec, h.hold), h.read()) }, h.drop)
		if err == nil {
			h.pass(col.emit)
		}
		return err
	}
}

// emitted is the error of what was emitted for a record; one that is too large is its fault.
func emitted(err error) error {
	if errors.Is(err, ErrRecordTooLarge) {
		return ofMap(err)
	}
	return err
}

func addSpills(c *counter.Set, s segment.Stats) {
	c.Add(counter.SpilledRecords, s.SpilledRecords)
	c.Add(counter.FileBytesWritten, s.FileBytes)
	c.Add(counter.FileBytesRead, s.FileBytes)
}

// tellEvery is how many records go by until progress is told of them, a multiple of PauseEvery.
const tellEvery = 4096

// readFile calls fn for each record of the part of a split that lies in one file,
// as long as the attempt may go on, and counts records and bytes.
func readFile[I any](t *Task, p *cluster.Bound, a *cluster.MapAttempt, file cluster.Split, in Input[I], k *skips,
	memory intake, calls mapCalls[I],
) error {
	ctx, c := t.ctx, t.counters
	w, stop := cluster.NewWatch(ctx, &a.Resources)
	defer stop()
	r := &splitReader{
		ctx: ctx, windows: usualWindows(), source: p.Sources[file.Source], split: file,
		watch: w, progress: a.Progress, read: c.Get(counter.InputBytesRead), budget: a.Budget, pool: a.Pool, pin: memory.pin, copied: memory.copies,
		skips: k, task: t, part: p.Inputs[file.Source].Cut != nil,
	}
	t.reader = r
	if a.Progress != nil {
		a.Progress.Open(p.Sources[file.Source].Name())
	}
	if k != nil {
		calls.one = knowing(r, calls.one)
	}
	kind := &p.Inputs[file.Source]
	before, l := c.Get(kind.Counter()), &recordLoop{reader: r, watch: w}
	exited := true
	defer func() {
		if exited && a.Progress != nil {
			a.Progress.Exit(r.recordError(&mapFault{fault.Exited()}, l.records))
		}
	}()
	l.tell = func() {
		if a.Progress != nil && !kind.Chunks {
			a.Progress.Records.Store(before + l.records)
		}
	}
	err := calls.all(in, l)
	exited = false
	err = r.placed(err, l.records)
	l.tell()
	c.Add(kind.Counter(), l.records)
	c.Add(counter.InputBytesRead, r.read-c.Get(counter.InputBytesRead))
	if a.Progress != nil {
		a.Progress.Bytes.Store(r.read)
	}
	if err == nil {
		err = context.Cause(ctx)
	}
	return err
}

func (b *boundJob[I, K, V, O]) collector(p *cluster.Bound, a *cluster.MapAttempt) collector[K, V] {
	if b.combines() {
		return b.combining(p, a)
	}
	return b.sorting(p, a)
}

// sorting collects into a segment.Sorter.
func (b *boundJob[I, K, V, O]) sorting(p *cluster.Bound, a *cluster.MapAttempt) collector[K, V] {
	s := segment.NewSorter(segment.Config{
		Partitions: p.Reduces, Budget: a.Budget, Pool: a.Pool, Files: a.Spills, SpillDir: a.SpillDir,
		Largest: b.largest(a.Budget), Stored: a.Stored, Scattered: b.scattered.Load(),
	})
	var failed error
	var add func(key, value []byte)
	if b.job.Partition == nil && b.prefix == nil {
		add = emitRaw(s, b.rangeOf(p.Reduces), p.Reduces, &failed)
	}
	return collector[K, V]{
		emit:   b.emitSorted(s, p.Reduces, &failed),
		add:    add,
		intake: intake{pin: s.Pin, copies: true},
		failed: &failed,
		finish: func() ([]cluster.Segment, segment.Stats, func(), error) {
			list, stats, err := s.Finish()
			if stats.Scattered {
				b.scattered.Store(true)
			}
			return segmentsOf(list), stats, releaseAll(list), err
		},
		close: s.Close,
		gate:  s.Gate(),
	}
}

// A map of so many bytes, before any map of its job has ended, begins with a table for so
// many keys: 2 MiB for a count, one huge page instead of hundreds of small ones that grow
// into each other.
const (
	largeSplit    = 8 << 20
	largeDistinct = 1 << 15
)

// found is how many keys a split of so many bytes had.
type found struct{ keys, length int64 }

// within is how many keys a split of so many bytes may have: in one that is smaller, such as a piece of
// the last blocks, their number goes by the root of its size, about, and a table for all would be
// twice too large where memory is fullest.
func (f *found) within(length int64) int {
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

// combining collects into a combine.Table.
func (b *boundJob[I, K, V, O]) combining(p *cluster.Bound, a *cluster.MapAttempt) collector[K, V] {
	cfg := b.combineConfig(&a.Resources)
	cfg.Partitions, cfg.Stored = p.Reduces, a.Stored
	cfg.Distinct = b.distinct.Load().within(a.Split.Length)
	cfg.Expected = kept.Expected(p.Sources[a.Split.Source])
	if b.job.Partition != nil || b.job.TotalOrder || b.prefix != nil {
		cfg.Partition = b.partitioner(p.Reduces)
	}
	t := combine.NewTable(cfg)
	return collector[K, V]{
		emit:   b.emitCombined(t),
		intake: intake{copies: !t.Weighs()},
		failed: t.Failure(),
		finish: func() ([]cluster.Segment, segment.Stats, func(), error) {
			list, stats, err := t.Finish()
			b.distinct.Store(&found{keys: stats.Output, length: a.Split.Length})
			return segmentsOf(list), stats, releaseAll(list), err
		},
		close: t.Close,
		gate:  t.Gate(),
	}
}

// stored is a segment of either kind.
type stored interface {
	comparable
	Bytes() int64
	Records() int64
	Release()
}

func segmentsOf[S stored](list []S) []cluster.Segment {
	out := make([]cluster.Segment, len(list))
	var none S
	for i, x := range list {
		if x != none {
			out[i] = cluster.Segment{Bytes: x.Bytes(), Records: x.Records(), Data: x}
		}
	}
	return out
}

func releaseAll[S stored](list []S) func() {
	return func() {
		var none S
		for _, x := range list {
			if x != none {
				x.Release()
			}
		}
	}
}

func (b *boundJob[I, K, V, O]) combineConfig(r *cluster.Resources) combine.Config[V] {
	decode := b.value.Decoder()
	if codec.SharesBytes(reflect.TypeFor[V]()) {
		alias := decode
		decode = func(x []byte) (V, error) { return alias(slices.Clip(bytes.Clone(x))) }
	}
	return combine.Config[V]{
		Combine: b.job.Combine,
		Sum:     b.job.Sum && combine.CanSum[V](),
		Width:   b.numberWidth(),
		Append:  b.value.Encoder(),
		Decode:  decode,
		Budget:  r.Budget, Pool: r.Pool, Files: r.Spills, SpillDir: r.SpillDir,
	}
}

// runMap of a map-only job writes its part.
func (b *boundMapOnly[I, O]) RunMap(ctx context.Context, p *cluster.Bound, a *cluster.MapAttempt) (*cluster.MapOutput, error) {
	return b.runMapSkipping(ctx, p, a, newSkips(a.MaxSkips, a.LeaveOut...))
}

func (b *boundMapOnly[I, O]) runMapSkipping(ctx context.Context, p *cluster.Bound, a *cluster.MapAttempt, k *skips) (_ *cluster.MapOutput, err error) {
	var c counter.Set
	t := &Task{ctx: ctx, id: a.ID(), counters: &c, budget: a.Budget, log: a.Log}
	w, err := newRecordWriter(p, t, a.Host, &b.out.outputForm)
	if err != nil {
		return nil, err
	}
	closed := false
	defer func() {
		if !closed {
			_ = w.close(ErrExited) // after a panic
		}
	}()
	err = p.EachFile(a.Split, func(file cluster.Split) error { return b.filterFile(ctx, p, a, file, w, &c, k) })
	closed = true
	if err = w.close(err); err != nil {
		return nil, err
	}
	c.Add(counter.MapOutputRecords, w.records)
	c.Add(counter.MapOutputBytes, w.part.Bytes)
	c.Add(counter.OutputBytesWritten, w.part.Bytes)
	out := cluster.NewMapOutput(nil, nil, k.count(&c))
	a.Report(&c)
	return out, nil
}

// filterFile maps the part of a split that lies in one file.
func (b *boundMapOnly[I, O]) filterFile(ctx context.Context, p *cluster.Bound, a *cluster.MapAttempt, file cluster.Split, w *recordWriter,
	c *counter.Set, k *skips,
) error {
	t := &Task{ctx: ctx, id: a.ID(), name: p.Sources[file.Source].Name(), counters: c, budget: a.Budget, log: a.Log}
	f, err := b.filter(t)
	if err != nil {
		return err
	}
	after := func(err error) error {
		w.gate.Shut()
		if err != nil {
			return ofMap(err)
		}
		return w.err()
	}
	emit := emitTo[O](w)
	mapRecord := func(rec I) error { return f.Map(rec, emit) }
	switch {
	case k != nil:
		mapRecord = tryingFilter(f, w, c)
	case f.abreast != nil && b.in.stays:
		take, flush := f.abreast(emit)
		mapRecord, t.flush = take, func() error {
			w.gate.Open()
			return after(flush())
		}
	}
	err = readFile(t, p, a, file, b.in, k, intake{}, mapCalls[I]{one: func(rec I) error {
		w.gate.Open()
		return after(mapRecord(rec))
	}})
	if err == nil && f.Close != nil {
		w.gate.Open()
		err = f.Close(emit)
		w.gate.Shut()
	}
	return err
}

// tryingFilter is the map of a job without reduces whose bad records are left out.
func tryingFilter[I, O any](f Filter[I, O], w *recordWriter, c *counter.Set) func(I) error {
	keep, drop := w.holding()
	emit := emitTo[O](w)
	return func(rec I) error {
		err := trial(c, func() error {
			if err := f.Map(rec, emit); err != nil {
				return err
			}
			return w.failed
		}, drop)
		if err == nil {
			keep()
		}
		return err
	}
}

func (b *boundMapOnly[I, O]) RunReduce(context.Context, *cluster.Bound, *cluster.ReduceAttempt) error {
	return errors.New("mapreduce: a map-only plan has no reduces")
}
