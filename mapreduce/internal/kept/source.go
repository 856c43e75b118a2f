package kept

import (
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/internal/input"
)

// source is a dfs.Source without bytes that stands for a part that is kept, or for parts that
// are read together.
type source struct{ of []Ref }

// Ref is one part of a store.
type Ref struct {
	parts *Store
	index int
}

// Open returns the records of the part, to be dropped.
func (r Ref) Open() (*Data, error) { return r.parts.Open(r.index) }

// Damaged is [Store.Damaged] of the part.
func (r Ref) Damaged(data *Data, err error) error { return r.parts.Damaged(r.index, data, err) }

// RefsOf are the parts that a source stands for; nil if it is no kept one.
func RefsOf(s input.Source) []Ref {
	k, ok := s.Data.(*source)
	if !ok {
		return nil
	}
	return k.of
}

// Sources are the parts of k, once its job has succeeded.
func (k *Store) Sources() (list []input.Source) {
	for i := range k.Parts() {
		list = append(list, input.Of(&source{of: []Ref{{k, i}}}, k.partName(i)))
	}
	return list
}

// Beside is a source that stands for two parts, which are read together.
func Beside(left, right input.Source) input.Source {
	of := append(RefsOf(left)[:1:1], RefsOf(right)...)
	return input.Of(&source{of: of}, left.Name()+", and of "+of[1].parts.Name())
}

// Name implements dfs.Source.
func (s *source) Name() string { return s.of[0].parts.partName(s.of[0].index) }

// Size implements dfs.Source.
func (s *source) Size() (n int64) {
	for _, r := range s.of {
		size, _ := r.parts.sizeOf(r.index)
		n += size
	}
	return n
}

// ReadAt implements dfs.Source.
func (*source) ReadAt([]byte, int64) (int, error) { return 0, input.ErrNoBytes }

// View implements dfs.Source.
func (*source) View(int64, int) ([]byte, func(), error) { return nil, nil, input.ErrNoBytes }

// Close implements dfs.Source.
func (*source) Close() error { return nil }

// KeptOn lists the nodes on which the records lie.
func (s *source) KeptOn() (hosts []string) {
	for _, r := range s.of {
		if _, host := r.parts.sizeOf(r.index); host != "" && !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	return hosts
}

// Expected is how many records a source belongs to, so that there may be as many keys; 0 if
// unknown.
func Expected(s input.Source) int {
	for _, r := range RefsOf(s) {
		n, _, _ := r.parts.Size()
		return int(n)
	}
	return 0
}

// ReadBy are the kept parts that sources are of, each once.
func ReadBy(list []*Store, sources []input.Source) []*Store {
	for _, s := range sources {
		for _, r := range RefsOf(s) {
			if !slices.Contains(list, r.parts) {
				list = append(list, r.parts)
			}
		}
	}
	return list
}
