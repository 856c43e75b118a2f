package mapreduce

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/kept"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/read"
	"github.com/tarry-mr/tarry/mapreduce/internal/watch"
)

// errNotKeyed is the error of Grouped if a feed is not that of a KeyedDataset.
var errNotKeyed = errors.New("its records are not kept by key: make the feed with KeyedDataset.Feed, or use CoGroup")

// checkCoPartitioned returns an error unless two feeds are co-partitioned: parts of the same number
// have the same keys.
func checkCoPartitioned[K, A, B any](left Feed[K, A], right Feed[K, B]) error {
	var errs []error
	if left.keyed == nil {
		errs = append(errs, fmt.Errorf("left feed: %w", errNotKeyed))
	}
	if right.keyed == nil {
		errs = append(errs, fmt.Errorf("right feed: %w", errNotKeyed))
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	if err := errors.Join(left.keyed.Input().plan.Wrong, right.keyed.Input().plan.Wrong); err != nil {
		return err
	}
	if a, b := left.keyed.Parts(), right.keyed.Parts(); a != b {
		return fmt.Errorf("the left feed has %d parts and the right one %d: "+
			"make both with as many Reducers, or use CoGroup", a, b)
	}
	for _, in := range []cluster.InputPlan{left.plans[0], right.plans[0]} {
		if in.Size != 0 {
			return errors.New("SplitSize has no effect on Grouped: a map reads a part of each side")
		}
	}
	return nil
}

// Group is a key with the records of two feeds that have it, in their order. Left and Right are
// valid until the map returns. So are slices of bytes and of numbers in their records, which must
// not be changed.
type Group[K, A, B any] struct {
	Key   K
	Left  []A
	Right []B
}

// Grouped yields one group for each key of either feed, in key order within a part. The feeds must
// be kept by key (see [KeyedDataset.Feed]) and have the same number of parts: each map reads one
// part of both, without a shuffle. Other feeds are an error of Bind; use [CoGroup] for them. If a
// group exceeds [Task.LargestRecord] bytes, the error wraps ErrRecordTooLarge.
func Grouped[K, A, B any](left Feed[K, A], right Feed[K, B]) Input[Group[K, A, B]] {
	in := Input[Group[K, A, B]]{plan: cluster.InputPlan{Whole: true, Apart: true, Wrong: checkCoPartitioned(left, right)}}
	for i := 0; in.plan.Wrong == nil && i < len(left.sources); i++ {
		in.sources = append(in.sources, kept.Beside(left.sources[i], right.sources[i]))
	}
	in.read = func(s *read.Reader, yield func([]Group[K, A, B]) error) error {
		refs := kept.RefsOf(s.Source)
		m := mergeJoin[K, A, B]{
			decodeKey: left.keyed.codec.Decoder(),
			left:      newKeptCursor(left.keyed, refs[0], s), right: newKeptCursor(right.keyed, refs[1], s),
		}
		defer m.left.close()
		defer m.right.close()
		s.Ordinal, s.Step = true, 1
		return m.run(s, yield)
	}
	return in
}

// errLargeGroup returns the error for a group of more than most bytes.
func errLargeGroup[K any](key K, most int64) error {
	return Permanent(fmt.Errorf("%w: key %s has more than %d bytes of records, which Grouped holds in memory: use Join",
		ErrRecordTooLarge, fault.ValueText(key), most))
}

// takeGroup appends the records of a group to list and their bytes to *held. They stay in memory
// until the cursor leaves the group.
func takeGroup[K, T any](list []T, c *keptCursor[K, T], group *groupKey, held *int64) ([]T, error) {
	for ; c.at(group); c.next() {
		if *held += int64(c.size) + int64(memory.SizeOf[T]()); *held > c.maxGroup {
			return list, ErrRecordTooLarge
		}
		list = append(list, c.rec)
		if c.copyOf != nil {
			list[len(list)-1] = c.copyOf(c.rec)
		}
	}
	return list, nil
}

// groupKey is a key in comparable form: a number if keys are numbers, otherwise its encoding.
type groupKey struct {
	number uint64
	bytes  []byte
}

// mergeJoin groups a part of the left dataset with the part of the right one that has its keys.
type mergeJoin[K, A, B any] struct {
	group     groupKey // the key of the current group
	decodeKey func([]byte) (K, error)
	left      *keptCursor[K, A]
	right     *keptCursor[K, B]
}

// groupsBytes is the size of a batch's groups at which it ends, so that they are still in the cache
// when the map gets them.
const groupsBytes = 16 << 10

// run yields a group for each key of either part, in key order.
func (m *mergeJoin[K, A, B]) run(s *read.Reader, yield func([]Group[K, A, B]) error) (err error) {
	err = fault.ErrExited
	defer s.PlacePanic(&err)
	batch := make([]Group[K, A, B], read.BatchRecords)
	if s.Copies != nil { // copies that it lends are valid until the map returns
		batch = batch[:1]
	}
	m.left.begin()
	m.right.begin()
	for m.left.ok || m.right.ok {
		n, held := 0, int64(0)
		var err error
		for n < len(batch) && held < groupsBytes && err == nil && (m.left.ok || m.right.ok) {
			s.Now = n
			if err = m.take(&batch[n], &held); err == nil {
				n++
			}
		}
		if err := yield(batch[:n]); err != nil {
			return err
		}
		s.At += int64(n)
		if err != nil {
			s.Now = 0
			if err := s.RecordFailed(err); err != nil {
				return err
			}
			m.left.leave(&m.group)
			m.right.leave(&m.group)
			s.At++
		}
		m.left.drop()
		m.right.drop()
	}
	if err := m.failed(); err != nil {
		return err
	}
	return s.Tick(0)
}

// take sets g to the next group and adds its bytes to *held.
func (m *mergeJoin[K, A, B]) take(g *Group[K, A, B], held *int64) (err error) {
	left, right := m.left, m.right
	if left.width > 0 {
		if m.group.number = left.number; !left.ok || right.ok && right.number < left.number {
			m.group.number = right.number
		}
		codec.SetBits(&g.Key, m.group.number^left.flip)
	} else {
		smaller := left.key
		if !left.ok || right.ok && bytes.Compare(right.key, left.key) < 0 {
			smaller = right.key
		}
		m.group.bytes = append(m.group.bytes[:0], smaller...)
		if g.Key, err = m.decodeKey(m.group.bytes); err != nil {
			return err
		}
	}
	size := int64(0)
	if g.Left, err = takeGroup(g.Left[:0], left, &m.group, &size); err == nil {
		g.Right, err = takeGroup(g.Right[:0], right, &m.group, &size)
	}
	if err != nil {
		return read.MapError(errLargeGroup(g.Key, left.maxGroup))
	}
	*held += size
	return m.failed()
}

// failed returns the first error of the cursors.
func (m *mergeJoin[K, A, B]) failed() error {
	if m.left.err != nil {
		return m.left.err
	}
	return m.right.err
}

// keptCursor iterates over the records of a part. It ends at the first error, err.
type keptCursor[K, T any] struct {
	part     kept.Ref
	keyOf    func(rec T) K
	s        *read.Reader
	data     *kept.Data
	read     func(run []byte, rec memory.Pointer) (int, error)
	encode   func(dst []byte, key K) []byte
	block    int      // index of the next block
	run      []byte   // the unread part of the current block
	release  func()   // releases the current block
	releases []func() // release the blocks before it that the current batch has records in

	image    int       // size of a record that is stored as in memory; 0: encoded
	width    int       // size of an integer key; 0: other keys
	flip     uint64    // codec.IntegerFlip of the key
	maxGroup int64     // maximum size of a group in bytes
	copyOf   func(T) T // copies a record of a watched job; otherwise nil

	ok     bool // a current record exists: rec, its key (number or key) and its size in bytes
	rec    T
	number uint64
	key    []byte
	size   int
	err    error
}

func newKeptCursor[K, T any](k *KeyedDataset[K, T], part kept.Ref, s *read.Reader) *keptCursor[K, T] {
	c := &keptCursor[K, T]{
		part: part, keyOf: k.key, s: s, read: k.form.Reader(), encode: k.codec.Encoder(), release: func() {},
		maxGroup: s.Largest(), image: k.form.Size, width: codec.IntegerWidth(k.codec.Type), flip: codec.IntegerFlip(k.codec.Type),
	}
	if s.Copies != nil {
		c.copyOf = watch.Copier[T](s.Copies, watch.Views)
	}
	return c
}

// begin advances to the first record.
func (c *keptCursor[K, T]) begin() {
	if c.data, c.err = c.part.Open(); c.err == nil {
		c.next()
	}
}

// at reports whether the current record has the given key.
func (c *keptCursor[K, T]) at(key *groupKey) bool {
	if c.width > 0 {
		return c.ok && c.number == key.number
	}
	return c.ok && bytes.Equal(c.key, key.bytes)
}

// next advances to the next record; ok is false after the last one, and if err is set.
func (c *keptCursor[K, T]) next() {
	if c.ok = len(c.run) > 0 || c.open(); !c.ok {
		return
	}
	if c.image > 0 {
		c.rec, c.size = memory.Cast[T](c.run)[0], c.image
	} else if c.size, c.err = c.read(c.run, memory.Of(&c.rec)); c.err != nil {
		c.ok = false
		return
	}
	c.run = c.run[c.size:]
	key := c.keyOf(c.rec)
	if c.width > 0 {
		c.number = codec.BitsOf(&key) ^ c.flip
	} else {
		c.key = c.encode(c.key[:0], key)
	}
}

// open sets run to the next block; it returns false after the last one, and if err is set.
func (c *keptCursor[K, T]) open() bool {
	for len(c.run) == 0 && c.err == nil && c.block < c.data.Len() {
		c.releases = append(c.releases, c.release)
		if c.run, c.release, c.err = c.data.View(c.block, c.s.Budget); c.err != nil {
			c.release, c.err = func() {}, c.part.Damaged(c.data, c.err)
			return false
		}
		c.block++
		c.err = c.s.Tick(int64(len(c.run)))
	}
	return len(c.run) > 0 && c.err == nil
}

// leave moves beyond the records of a group.
func (c *keptCursor[K, T]) leave(group *groupKey) {
	for c.at(group) {
		c.next()
		c.drop()
	}
}

// drop releases all blocks before the current one.
func (c *keptCursor[K, T]) drop() {
	for _, release := range c.releases {
		release()
	}
	c.releases = c.releases[:0]
}

func (c *keptCursor[K, T]) close() {
	c.drop()
	c.release()
	c.data.Drop()
}
