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
		if in.Sized {
			return errors.New("SplitSize has no effect on Grouped: a map reads a part of each side")
		}
	}
	return nil
}

// Group is a key with the records of two feeds that have it, in their order. Slices of bytes and of
// numbers in it are valid until the map returns and must not be changed.
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
	in.read = func(s *read.Reader, yield func([]Group[K, A, B]) (int, error)) error {
		refs := kept.RefsOf(s.Source)
		m := mergeJoin[K, A, B]{left: newKeptCursor(left.keyed, refs[0], s), right: newKeptCursor(right.keyed, refs[1], s)}
		defer m.left.close()
		defer m.right.close()
		s.Ordinal = true
		return s.MapOne(nil, func() error { return m.run(s, left.keyed.codec.Decoder(), yield) })
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
	key   K        // of the current group
	group groupKey // the same
	left  *keptCursor[K, A]
	right *keptCursor[K, B]
}

// run yields a group for each key of either part, in key order.
func (m *mergeJoin[K, A, B]) run(s *read.Reader, decodeKey func([]byte) (K, error), yield func([]Group[K, A, B]) (int, error)) error {
	left, right := m.left, m.right
	one := make([]Group[K, A, B], 1)
	left.next()
	right.next()
	for s.At = 0; left.ok || right.ok; s.At++ {
		if left.width > 0 {
			if m.group.number = left.number; !left.ok || right.ok && right.number < left.number {
				m.group.number = right.number
			}
			codec.SetBits(&m.key, m.group.number^left.flip)
		} else {
			smaller := left.key
			if !left.ok || right.ok && bytes.Compare(right.key, left.key) < 0 {
				smaller = right.key
			}
			m.group.bytes = append(m.group.bytes[:0], smaller...)
			var err error
			if m.key, err = decodeKey(m.group.bytes); err != nil {
				return err
			}
		}
		err := m.take(s, &one[0])
		if err == nil {
			_, err = yield(one)
		}
		if err != nil {
			if err = s.RecordFailed(err); err != nil {
				return err
			}
		}
		left.leave(&m.group)
		right.leave(&m.group)
	}
	return s.Tick(0)
}

// take reads the records of the current group.
func (m *mergeJoin[K, A, B]) take(s *read.Reader, g *Group[K, A, B]) (err error) {
	held := int64(0)
	g.Key = m.key
	if g.Left, err = takeGroup(g.Left[:0], m.left, &m.group, &held); err == nil {
		g.Right, err = takeGroup(g.Right[:0], m.right, &m.group, &held)
	}
	if err != nil {
		return read.MapError(errLargeGroup(m.key, s.Largest()))
	}
	return nil
}

// keptCursor iterates over the records of a part. It panics with fault.Throw on errors, because
// they may occur within a sequence that user code ranges over.
type keptCursor[K, T any] struct {
	part     kept.Ref
	keyOf    func(rec T) K
	s        *read.Reader
	data     *kept.Data
	decode   func(run []byte) (T, int, error)
	encode   func(dst []byte, key K) []byte
	block    int      // index of the next block
	run      []byte   // the unread part of the current block
	release  func()   // releases the current block
	releases []func() // release the blocks before it that the current group has records in

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
}

func newKeptCursor[K, T any](k *KeyedDataset[K, T], part kept.Ref, s *read.Reader) *keptCursor[K, T] {
	c := &keptCursor[K, T]{
		part: part, keyOf: k.key, s: s, decode: k.form.Decoder(), encode: k.codec.Encoder(), release: func() {},
		maxGroup: s.Largest(), image: k.form.Size, width: codec.IntegerWidth(k.codec.Type), flip: codec.IntegerFlip(k.codec.Type),
	}
	if s.Copies != nil {
		c.copyOf = watch.Copier[T](s.Copies, watch.Views)
	}
	return c
}

// at reports whether the current record has the given key.
func (c *keptCursor[K, T]) at(key *groupKey) bool {
	if c.width > 0 {
		return c.ok && c.number == key.number
	}
	return c.ok && bytes.Equal(c.key, key.bytes)
}

// next advances to the next record; ok is false after the last one.
func (c *keptCursor[K, T]) next() {
	err := c.advance()
	if err != nil {
		c.ok = false
		fault.Throw(err)
	}
}

func (c *keptCursor[K, T]) advance() (err error) {
	if c.data == nil {
		if c.data, err = c.part.Open(); err != nil {
			return err
		}
	}
	for len(c.run) == 0 {
		if c.ok = c.block < c.data.Len(); !c.ok {
			return nil
		}
		c.releases = append(c.releases, c.release)
		if c.run, c.release, err = c.data.View(c.block, c.s.Budget); err != nil {
			c.release = func() {}
			return c.part.Damaged(c.data, err)
		}
		c.block++
		if err := c.s.Tick(int64(len(c.run))); err != nil {
			return err
		}
	}
	if c.image > 0 {
		c.rec, c.size = memory.Cast[T](c.run)[0], c.image
	} else if c.rec, c.size, err = c.decode(c.run); err != nil {
		return err
	}
	c.run, c.ok = c.run[c.size:], true
	key := c.keyOf(c.rec)
	if c.width > 0 {
		c.number = codec.BitsOf(&key) ^ c.flip
	} else {
		c.key = c.encode(c.key[:0], key)
	}
	return nil
}

// leave moves beyond the records of a group, and releases all blocks before the current one.
func (c *keptCursor[K, T]) leave(group *groupKey) {
	for c.at(group) {
		c.next()
		c.drop()
	}
	c.drop()
}

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
