package mapreduce

import (
	"fmt"
	"unsafe"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

const (
	groupsAtOnce = 256      // groups that are handed on as one list, and records of a window
	windowBytes  = 64 << 10 // of records, from which a window has enough of them
)

// groupLists is the input of [Grouped] for keys that are numbers, many groups at a time.
type groupLists[K, A, B any] struct {
	left   *groupWindow[K, A]
	right  *groupWindow[K, B]
	groups []Group[K, A, B]
}

// readGroups yields the groups of parts of the same number.
func (m mergeJoin[K, A, B]) readGroups(s *splitReader, yield func(list []Group[K, A, B]) (int, error)) error {
	refs := s.source.Data.(*keptSource).of
	g := &groupLists[K, A, B]{
		left: newGroupWindow(m.left, refs[0].index, s), right: newGroupWindow(m.right, refs[1].index, s),
		groups: make([]Group[K, A, B], 0, groupsAtOnce),
	}
	defer g.left.close()
	defer g.right.close()
	return s.whole(nil, func() error {
		for {
			more, err := g.form()
			if err != nil {
				return fault(err)
			}
			if len(g.groups) > 0 {
				if _, err := yield(g.groups); err != nil {
					return s.refused(nil, nil, err)
				}
			}
			if !more {
				return s.tick(0)
			}
		}
	})
}

// form makes groups of what the windows have, which it fills first if there is no whole group; false if
// there are none after these.
func (g *groupLists[K, A, B]) form() (more bool, err error) {
	g.groups = g.groups[:0]
	l, r := g.left, g.right
	for len(g.groups) == 0 {
		if err := l.fill(); err != nil {
			return false, err
		}
		if err := r.fill(); err != nil {
			return false, err
		}
		if l.from == len(l.recs) && r.from == len(r.recs) {
			return false, nil
		}
		g.merge()
		if l.held+r.held > l.most {
			if err := g.check(); err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

// merge appends the groups that are whole.
func (g *groupLists[K, A, B]) merge() {
	l, r := g.left, g.right
	lefts, rights := l.keys, r.keys
	for len(g.groups) < groupsAtOnce {
		g.pairs()
		var key uint64
		switch {
		case l.from < len(lefts) && (r.from == len(rights) || lefts[l.from] <= rights[r.from]):
			key = lefts[l.from]
		case r.from < len(rights):
			key = rights[r.from]
		default:
			return
		}
		i, j := l.from, r.from
		for i < len(lefts) && lefts[i] == key {
			i++
		}
		for j < len(rights) && rights[j] == key {
			j++
		}
		if i == len(lefts) && !l.ended || j == len(rights) && !r.ended { // more may follow
			return
		}
		g.groups = append(g.groups, Group[K, A, B]{Left: l.recs[l.from:i:i], Right: r.recs[r.from:j:j]})
		setBits(&g.groups[len(g.groups)-1].Key, key^l.flip)
		l.from, r.from = i, j
	}
}

// pairs appends groups of one record of each side, as most are, as long as they come.
func (g *groupLists[K, A, B]) pairs() {
	l, r, groups := g.left, g.right, g.groups
	most := min(cap(groups)-len(groups), len(l.keys)-l.from-1, len(r.keys)-r.from-1)
	if most <= 0 {
		return
	}
	lefts, rights := l.keys[l.from:][:most+1], r.keys[r.from:][:most+1]
	ofLeft, ofRight, to := l.recs[l.from:][:most], r.recs[r.from:][:most], groups[len(groups):][:most]
	n := 0
	for ; n < most; n++ {
		key := lefts[n]
		if rights[n] != key || lefts[n+1] == key || rights[n+1] == key {
			break
		}
		x := &to[n]
		x.Left, x.Right = ofLeft[n:n+1:n+1], ofRight[n:n+1:n+1]
		setBits(&x.Key, key^l.flip)
	}
	g.groups = groups[:len(groups)+n]
	l.from, r.from = l.from+n, r.from+n
}

// check is an error if a group that is whole, or that waits for more, takes more than it may.
func (g *groupLists[K, A, B]) check() error {
	l, r := g.left, g.right
	for i := range g.groups {
		x := &g.groups[i]
		if l.bytesOf(x.Left)+r.bytesOf(x.Right) > l.most {
			return errLargeGroup(x.Key, l.most)
		}
	}
	var next Group[K, A, B]
	rest, others := l.recs[l.from:], r.recs[r.from:]
	switch {
	case len(rest) > 0 && (len(others) == 0 || l.keys[l.from] <= r.keys[r.from]):
		setBits(&next.Key, l.keys[l.from]^l.flip)
	case len(others) > 0:
		setBits(&next.Key, r.keys[r.from]^r.flip)
	}
	key := bitsOf(&next.Key) ^ l.flip
	if l.bytesOf(rest[:l.countOf(key)])+r.bytesOf(others[:r.countOf(key)]) > l.most {
		return errLargeGroup(next.Key, l.most)
	}
	return nil
}

// errLargeGroup is the error of a group that is too large.
func errLargeGroup[K any](key K, most int64) error {
	return Permanent(fmt.Errorf("%w: key %s has more than %d bytes of records, which Grouped holds in memory: use Join",
		ErrRecordTooLarge, keyText(key), most))
}

// groupWindow is some records of a part in a row, with their keys as numbers.
type groupWindow[K, T any] struct {
	k       *KeptBy[K, T]
	part    int
	index   indexWindow[T]
	s       *splitReader
	data    *keptData
	decode  func(run []byte, recs []T, sizes []int32) (n, used int, err error)
	keep    func(T) T // before the block goes that a record lies in; nil if it has all of itself
	flip    uint64
	most    int64
	block   int    // that comes next
	run     []byte // the rest of the block at hand
	release func() // of that block
	spilled bool   // it is not in memory for longer

	recs  []T
	keys  []uint64
	sizes []int32 // in bytes, as they are kept
	held  int64   // their sum, with that of the records themselves
	from  int     // the first record that is in no group
	ended bool    // none come after these
}

func newGroupWindow[K, T any](k *KeptBy[K, T], index int, s *splitReader) *groupWindow[K, T] {
	return &groupWindow[K, T]{
		k: k, part: index, s: s, decode: k.form.many(), keep: k.form.keeper(), flip: numberFlip[K](), most: s.largest(),
		release: func() {},
	}
}

// fill reads on, if there may be no whole group.
func (w *groupWindow[K, T]) fill() error {
	n := len(w.recs)
	if w.ended || w.from < n && w.keys[w.from] != w.keys[n-1] {
		return nil
	}
	w.drop()
	if w.data == nil {
		if err := w.open(); err != nil {
			return err
		}
	}
	if w.index.whole {
		return w.fromIndex()
	}
	if len(w.run) == 0 {
		if err := w.nextBlock(); err != nil || w.ended {
			return err
		}
	}
	n = len(w.recs)
	w.grow(n + groupsAtOnce)
	read, used, err := w.decode(w.run, w.recs[n:n+groupsAtOnce], w.sizes[n:n+groupsAtOnce])
	if err != nil {
		return err
	}
	w.run = w.run[used:]
	w.held += int64(used) + int64(read)*int64(unsafe.Sizeof(*new(T)))
	w.recs, w.keys, w.sizes = w.recs[:n+read], w.keys[:n+read], w.sizes[:n+read]
	recs, keys, key, flip := w.recs[n:], w.keys[n:], w.k.key, w.flip
	for i := range keys {
		k := key(recs[i])
		keys[i] = bitsOf(&k) ^ flip
	}
	if w.index.mine {
		w.toIndex(n)
	}
	return nil
}

func (w *groupWindow[K, T]) open() (err error) {
	if w.data, err = w.k.open(w.part); err == nil {
		w.openIndex()
	}
	return err
}

// drop forgets the records that are in groups.
func (w *groupWindow[K, T]) drop() {
	if w.from == 0 {
		return
	}
	if rest := w.sizes[w.from:]; len(rest) < w.from {
		w.held = int64(len(rest)) * int64(unsafe.Sizeof(*new(T)))
		for _, size := range rest {
			w.held += int64(size)
		}
	} else {
		for _, size := range w.sizes[:w.from] {
			w.held -= int64(size) + int64(unsafe.Sizeof(*new(T)))
		}
	}
	n := copy(w.recs, w.recs[w.from:])
	copy(w.keys, w.keys[w.from:])
	copy(w.sizes, w.sizes[w.from:])
	w.recs, w.keys, w.sizes, w.from = w.recs[:n], w.keys[:n], w.sizes[:n], 0
}

// grow makes room for n records.
func (w *groupWindow[K, T]) grow(n int) {
	if cap(w.recs) >= n {
		return
	}
	n += len(w.recs)
	w.recs = append(make([]T, 0, n), w.recs...)
	w.keys = append(make([]uint64, 0, n), w.keys...)
	w.sizes = append(make([]int32, 0, n), w.sizes...)
}

// nextBlock goes to the next block that has records, or to the end. The records of the one before that
// are still to come must not lie in it any more.
func (w *groupWindow[K, T]) nextBlock() (err error) {
	if w.spilled && w.keep != nil {
		for i := range w.recs {
			w.recs[i] = w.keep(w.recs[i])
		}
	}
	for len(w.run) == 0 {
		if w.ended = w.block == len(w.data.blocks); w.ended {
			return nil
		}
		w.release()
		w.spilled = w.data.blocks[w.block].slab.Bytes == nil
		if w.run, w.release, err = w.data.view(w.block, w.s.budget); err != nil {
			w.release = func() {}
			return w.k.damaged(w.part, w.data, err)
		}
		w.block++
		if err := w.s.tick(int64(len(w.run))); err != nil {
			return err
		}
	}
	return nil
}

func (w *groupWindow[K, T]) close() {
	w.release()
	w.closeIndex()
	w.data.drop()
}

// bytesOf is what records of the window take.
func (w *groupWindow[K, T]) bytesOf(list []T) (n int64) {
	if len(list) == 0 {
		return 0
	}
	size := unsafe.Sizeof(list[0])
	first := uintptr(0)
	if size > 0 {
		first = (uintptr(unsafe.Pointer(&list[0])) - uintptr(unsafe.Pointer(unsafe.SliceData(w.recs)))) / size
	}
	for _, bytes := range w.sizes[first : first+uintptr(len(list))] {
		n += int64(bytes) + int64(size)
	}
	return n
}

// countOf is how many of the records that are in no group have a key, the first of them.
func (w *groupWindow[K, T]) countOf(key uint64) (n int) {
	for _, k := range w.keys[w.from:] {
		if k != key {
			break
		}
		n++
	}
	return n
}

// many returns the function of one goroutine that reads records that a run begins with, as many as
// there is room for or are enough, and their sizes in the run.
func (f keptForm[T]) many() func(run []byte, recs []T, sizes []int32) (n, used int, err error) {
	if f.size > 0 {
		return func(run []byte, recs []T, sizes []int32) (n, used int, err error) {
			n = copy(recs, memory.Cast[T](run))
			for i := range sizes[:n] {
				sizes[i] = int32(f.size)
			}
			return n, n * f.size, nil
		}
	}
	if f.aligned {
		r := &flatReader{fields: f.flat, aligned: true, lent: f.lent}
		return func(run []byte, recs []T, sizes []int32) (n, used int, err error) {
			return r.many(run, unsafe.Pointer(unsafe.SliceData(recs)), unsafe.Sizeof(*new(T)), sizes)
		}
	}
	read := f.reader()
	return func(run []byte, recs []T, sizes []int32) (n, used int, err error) {
		for n < len(recs) && used < len(run) && used < windowBytes {
			b, size := f.framed(run[used:])
			if size == 0 {
				return n, used, errEncoding
			}
			if recs[n], err = read(b); err != nil {
				return n, used, err
			}
			sizes[n] = int32(size)
			used += size
			n++
		}
		return n, used, nil
	}
}
