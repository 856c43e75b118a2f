package mapreduce

import (
	"bytes"
	"errors"
	"iter"
	"maps"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// TopPerKey returns a job that emits, per key, the n largest records by compare, in descending
// order. compare is as for slices.SortFunc. Records that compare equal are ordered by their encoded
// bytes, ascending, whatever the splits. With n below 1 the output is empty. T must be valid as a
// value type of a job. The shuffle holds a list of up to n records per key.
//
// A map keeps the lists of the first keys that it meets in up to 2 MiB, in addition to the memory
// budget, so most records cost only a comparison with the last of a list.
func TopPerKey[T, K any](n int, key func(rec T) K, compare func(a, b T) int) Job[T, K, []T, T] {
	values, err := codec.Value[T]()
	keys, errK := codec.Key[K](false)
	err = errors.Join(err, errK)
	top := func(a, b T) int { // negative if a precedes b in the output
		if c := compare(b, a); c != 0 {
			return c
		}
		return bytes.Compare(values.Encoder()(nil, a), values.Encoder()(nil, b))
	}
	return Job[T, K, []T, T]{
		Name: "top",
		MapTask: func(*Task) (Mapper[T, K, []T], error) {
			if err != nil {
				return Mapper[T, K, []T]{}, err
			}
			m := newTopMap(n, top, keys, values)
			return Mapper[T, K, []T]{Map: func(rec T, emit func(K, []T)) error {
				if n > 0 {
					m.take(key(rec), rec, emit)
				}
				return nil
			}, Close: m.close}, nil
		},
		Combine: func(a, b []T) []T { return mergeTop(a, b, n, top) },
		Reduce: func(_ K, lists iter.Seq[[]T], emit func(T)) error {
			for list := range lists { // Combine leaves one
				for _, rec := range list {
					emit(rec)
				}
			}
			return nil
		},
	}
}

// topMap is one map attempt of TopPerKey: it keeps lists of the first records of some keys.
type topMap[T, K any] struct {
	n      int
	top    func(a, b T) int
	encode func(dst []byte, key K) []byte
	decode func(b []byte) (K, error)
	clone  func(rec memory.Pointer) // nil: records share no memory
	size   func(rec T) int
	lists  map[string]*[]T // sorted records, by encoded key
	left   int             // remaining bytes for lists
	key    []byte
	one    []T
}

// maxTopBytes limits the memory of a map's lists, in bytes.
const maxTopBytes = 2 << 20

func newTopMap[T, K any](n int, top func(a, b T) int, keys codec.Typed[K], recs codec.Typed[T]) *topMap[T, K] {
	m := &topMap[T, K]{
		n: n, top: top, encode: keys.Encoder(), decode: keys.Decoder(), clone: recs.Cloner(),
		lists: map[string]*[]T{}, left: maxTopBytes, one: make([]T, 1), // emit keeps no reference
	}
	own := int(memory.SizeOf[T]())
	m.size = func(T) int { return own }
	if m.clone != nil {
		encode := recs.Encoder()
		var buf []byte
		m.size = func(rec T) int {
			buf = encode(buf[:0], rec)
			return own + len(buf)
		}
	}
	return m
}

// take adds a record to the list of its key, or emits it if memory is short.
func (m *topMap[T, K]) take(key K, rec T, emit func(K, []T)) {
	m.key = m.encode(m.key[:0], key)
	list, known := m.lists[string(m.key)]
	if known && len(*list) >= m.n && m.top(rec, (*list)[len(*list)-1]) >= 0 {
		return
	}
	const ofList = 128 // a list without records
	need := m.size(rec)
	if !known {
		need += ofList + 2*len(m.key)
	}
	m.one[0] = rec
	if m.left < need {
		emit(key, m.one)
		return
	}
	if m.left -= need; !known {
		list = new([]T)
		m.lists[string(m.key)] = list
	}
	if m.clone != nil {
		m.clone(memory.Of(&m.one[0]))
	}
	if len(*list) == m.n {
		m.left += m.size((*list)[m.n-1])
	}
	*list = mergeTop(*list, m.one, m.n, m.top)
}

func (m *topMap[T, K]) close(emit func(K, []T)) error {
	for _, encoded := range slices.Sorted(maps.Keys(m.lists)) {
		key, err := m.decode([]byte(encoded))
		if err != nil {
			return err
		}
		emit(key, *m.lists[encoded])
	}
	return nil
}

// mergeTop merges b into a, both sorted by top, and returns the first n.
func mergeTop[T any](a, b []T, n int, top func(a, b T) int) []T {
	for _, rec := range b {
		if len(a) >= n && top(rec, a[len(a)-1]) >= 0 {
			break
		}
		at, _ := slices.BinarySearchFunc(a, rec, top)
		a = slices.Insert(a, at, rec)
		a = a[:min(len(a), n)]
	}
	return a
}
