package actors

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// Dataset is the result of a job that stays in the memory of the cluster, part by part, each on the
// node whose attempt has written it: the input of further jobs, without text or files between. Make
// it with [Keep].
//
// It counts toward Config.Memory, of which all that is kept takes at most half; what finds no room
// lies in spill files. It stays until Release, the end of its Pipeline or the Close of its Cluster,
// and does not outlive the process, with a Config.State neither.
//
// Parts that lay on a node that dies are made again before the next job reads them: the function
// that has bound the job is called once more, and the job runs again; so does, before that, what it
// read. All parts are then compared with what they were, by number and hash of their records, and
// by their sums where they have floats, which depend on the order of adding: what a variable that
// has changed since would alter is an error that wraps [cluster.ErrOtherData]. All methods are
// safe for concurrent use.
type Dataset[T any] struct {
	kept    *mapreduce.Kept[T]
	lineage *lineage
}

// Runner is where jobs run: a [*Cluster], or a [*Pipeline] on it, which releases their datasets.
type Runner interface {
	home() *Cluster
	adopt(l *lineage)
}

func (c *Cluster) home() *Cluster { return c }

func (c *Cluster) adopt(*lineage) {}

// AnyDataset is a dataset, whatever its records.
type AnyDataset interface {
	Release()
	Size() DatasetSize
	Hosts() []string

	origin() *lineage
}

func (d *Dataset[T]) origin() *lineage { return d.lineage }

// Keep runs a job whose result stays in the cluster's memory. bind ties the job to the output that
// it is given, as for [Collect]; it is called again where the job has to run again, so it must bind
// the same job each time: variables that its functions look at must not change as long as the
// dataset, or one that was made of it, lives. T must be a type that a value of a job may have.
//
// If ctx ends first, the job is killed; see [JobHandle.WaitOrKill].
func Keep[T any](ctx context.Context, on Runner, bind func(out mapreduce.Output[T]) (*mapreduce.Plan, error)) (*Dataset[T], error) {
	l := newLineage(on.home())
	d := &Dataset[T]{kept: mapreduce.NewKept[T](l.options()), lineage: l}
	if err := keep(ctx, d, bind); err != nil {
		return nil, err
	}
	on.adopt(l)
	return d, nil
}

// keep fills a dataset.
func keep[T any](ctx context.Context, d *Dataset[T], bind func(out mapreduce.Output[T]) (*mapreduce.Plan, error)) error {
	l := d.lineage
	l.kept = d.kept.Store
	l.again = func() (*mapreduce.Plan, error) { return bind(d.kept.Again()) }
	return l.fill(ctx, func() (*mapreduce.Plan, error) { return bind(d.kept.Output()) })
}

// Input yields the records, part by part, in maps that are best placed where their part is. Byte
// slices in a record are valid until the map returns. A job reads a dataset from its Submit to its
// end, also if it is released meanwhile; the Submit of one that would read released data is an
// error that wraps [mapreduce.ErrReleased].
func (d *Dataset[T]) Input() mapreduce.Input[T] { return d.kept.Input() }

// Aligned is Input with one map for each part: what a job without reduces makes of it has the same
// parts.
func (d *Dataset[T]) Aligned() mapreduce.Input[T] { return d.kept.Aligned() }

// Collect returns all records, part by part, decoded outside of Config.Memory; they are the
// caller's. Lost parts are made again first.
func (d *Dataset[T]) Collect(ctx context.Context) (list []T, err error) {
	for try := 1; ; try++ {
		if err := d.lineage.restore(ctx); err != nil {
			return nil, err
		}
		list, err := d.kept.Records()
		if !errors.Is(err, mapreduce.ErrPartLost) || try == d.lineage.cluster.env.cfg.MaxAttempts {
			return list, err
		}
	}
}

// Release gives the memory and the spill files back, once no job reads them any more. What is made
// of the dataset stays; should that be lost, this is made again for a moment. A second Release does
// nothing.
func (d *Dataset[T]) Release() { d.lineage.release() }

// DatasetSize is how large a dataset is.
type DatasetSize struct {
	Parts   int
	Records int64
	Bytes   int64 // as they are kept
	Spilled int64 // those of Bytes that lie in spill files
}

// Size counts what the dataset has, or had before it was released.
func (d *Dataset[T]) Size() DatasetSize {
	s := DatasetSize{Parts: d.kept.Parts()}
	s.Records, s.Bytes, s.Spilled = d.kept.Size()
	return s
}

// Hosts names for each part the node that it lies on; empty if it is lost or released.
func (d *Dataset[T]) Hosts() []string { return d.kept.Hosts() }

// Keyed is a [Dataset] of records with keys that lies as reduces leave it: each record in the part
// where the default partition puts its key, in the order of the keys. Two with as many parts join
// where they lie; see [mapreduce.Joined.NoShuffle]. Make it with [KeepBy].
type Keyed[K, T any] struct {
	Dataset[T]
	by *mapreduce.KeptBy[K, T]
}

// KeepBy is [Keep] for records that key gives their keys. Each is looked at while it is written:
// one that lies elsewhere than its key asks for fails the job, with the key and where it belongs.
// What lies right is what reduces without Partition, TotalOrder and Descending emit under the key
// that they reduce, and what a job without reduces over the [Dataset.Aligned] input of such data
// does.
func KeepBy[K, T any](ctx context.Context, on Runner, key func(rec T) K, bind func(out mapreduce.Output[T]) (*mapreduce.Plan, error)) (*Keyed[K, T], error) {
	l := newLineage(on.home())
	by := mapreduce.NewKeptBy(l.options(), key)
	d := &Keyed[K, T]{Dataset: Dataset[T]{kept: &by.Kept, lineage: l}, by: by}
	if err := keep(ctx, &d.Dataset, bind); err != nil {
		return nil, err
	}
	on.adopt(l)
	return d, nil
}

// Feed is a feed of the records, each under its key, for joins.
func (d *Keyed[K, T]) Feed() mapreduce.Feed[K, T] { return d.by.Feed() }

// Load keeps the records of an input as they are: what many jobs read, or is slow to read, is then
// read once.
func Load[T any](ctx context.Context, on Runner, in mapreduce.Input[T]) (*Dataset[T], error) {
	load := mapreduce.Each(func(rec T) T { return rec })
	load.Name = "load"
	return Keep(ctx, on, load.On(in))
}

// LoadBy is Load by key, which takes a shuffle: the records come to lie in so many parts, 0 for as
// many as a job over the input has reduces. Those with the same key are in the order of the input.
func LoadBy[K, T any](ctx context.Context, on Runner, key func(rec T) K, parts int, in mapreduce.Input[T]) (*Keyed[K, T], error) {
	return KeepBy(ctx, on, key, mapreduce.Job[T, K, T, T]{
		Name: "load", Reducers: parts,
		Map: func(rec T, emit func(K, T)) error {
			emit(key(rec), rec)
			return nil
		},
		Reduce: func(_ K, recs iter.Seq[T], emit func(T)) error {
			for rec := range recs {
				emit(rec)
			}
			return nil
		},
	}.On(in))
}

// lineage is a dataset whatever its type, with what it takes to make it again.
type lineage struct {
	cluster *Cluster
	kept    *cluster.KeptParts
	again   func() (*mapreduce.Plan, error) // binds the job to fill what is lost
	turn    chan struct{}                   // has a token while somebody restores it
}

func newLineage(c *Cluster) *lineage { return &lineage{cluster: c, turn: make(chan struct{}, 1)} }

func (l *lineage) options() cluster.KeptOptions {
	e := l.cluster.env
	return cluster.KeptOptions{
		Name: fmt.Sprintf("dataset %d", e.datasets.number()), Owner: l,
		Pool: e.buffers, Spills: e.spills, SpillDir: e.cfg.SpillDir,
	}
}

// fill runs the job for the first time. After an error nothing is left.
func (l *lineage) fill(ctx context.Context, bind func() (*mapreduce.Plan, error)) error {
	err := l.cluster.env.datasets.add(l)
	if err == nil {
		err = l.cluster.runBound(ctx, bind, false)
	}
	if err == nil {
		err = l.restore(ctx) // of nodes that died meanwhile
	}
	if err != nil {
		l.release()
	}
	return err
}

// restore makes lost parts again.
func (l *lineage) restore(ctx context.Context) error {
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return ending(ctx)
	}
	defer func() { <-l.turn }()
	for try := 1; ; try++ {
		lost := l.kept.Lost()
		if len(lost) == 0 {
			return nil
		}
		err := l.cluster.runBound(ctx, l.again, true)
		if err == nil && try == l.cluster.env.cfg.MaxAttempts {
			err = fmt.Errorf("%w, each time it was made again", mapreduce.ErrPartLost)
		}
		if err != nil {
			return fmt.Errorf("actors: %s: part %d is to be made again: %w", l.kept.Name(), lost[0], err)
		}
	}
}

func (l *lineage) release() {
	l.cluster.env.datasets.remove(l)
	l.kept.Release()
}

// datasets are those of a cluster that are not released.
type datasets struct {
	mu     sync.Mutex
	made   int
	live   map[*lineage]bool
	closed bool
}

func (s *datasets) number() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made++
	return s.made
}

func (s *datasets) add(l *lineage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	if s.live == nil {
		s.live = map[*lineage]bool{}
	}
	s.live[l] = true
	return nil
}

func (s *datasets) remove(l *lineage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.live, l)
}

// lose gives up what lay on a node.
func (s *datasets) lose(node string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for l := range s.live {
		l.kept.Lose(node)
	}
}

// close releases all.
func (s *datasets) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for l := range s.live {
		l.kept.Release()
	}
	clear(s.live)
}

// runBound binds a job and runs it to its end, and does so again if parts of what it reads were
// lost meanwhile. With revive set it may read what is released.
func (c *Cluster) runBound(ctx context.Context, bind func() (*mapreduce.Plan, error), revive bool) error {
	for try := 1; ; try++ {
		if ctx.Err() != nil {
			return ending(ctx)
		}
		plan, err := bind()
		if err != nil {
			return err
		}
		job, err := c.submitHolding(ctx, plan, SubmitOptions{}, revive)
		if err == nil {
			_, err = job.WaitOrKill(ctx)
		}
		if !errors.Is(err, mapreduce.ErrPartLost) || ctx.Err() != nil || try == c.env.cfg.MaxAttempts {
			return err
		}
	}
}

// holdInput has the datasets that a plan reads stay until its job ends, with all their parts.
func (c *Cluster) holdInput(ctx context.Context, p *mapreduce.Plan, revive bool) error {
	for _, k := range p.Kept() {
		if l, ok := k.Owner().(*lineage); ok && l.cluster != c {
			return fmt.Errorf("actors: job %q reads %s, which is of another cluster", p.Name(), k.Name())
		}
	}
	if err := p.Hold(revive); err != nil {
		return fmt.Errorf("actors: job %q: %w", p.Name(), err)
	}
	for _, k := range p.Kept() {
		if l, ok := k.Owner().(*lineage); ok {
			if err := l.restore(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}
