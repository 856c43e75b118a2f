package kept

import (
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/internal/input"
)

// source is a dfs.Source without bytes that makes one or two parts of datasets an input.
type source struct {
	input.Made
	of []Ref
}

// Ref names one part of a dataset: the Store of the dataset and the part's index in it.
type Ref struct {
	parts *Store
	index int
}

// Open returns the records of the part, which the caller must drop.
func (r Ref) Open() (*Data, error) { return r.parts.Open(r.index) }

// Damaged marks the part as lost, as [Store.Damaged] does.
func (r Ref) Damaged(data *Data, err error) error { return r.parts.Damaged(r.index, data, err) }

// RefsOf returns the parts of datasets that s stands for; nil if it is another kind of source.
func RefsOf(s input.Source) []Ref {
	k, ok := s.Data.(*source)
	if !ok {
		return nil
	}
	return k.of
}

// Sources returns one source per part of k, for a job to read; none before k's job has succeeded.
func (k *Store) Sources() (list []input.Source) {
	for i := range k.Parts() {
		list = append(list, input.Of(&source{of: []Ref{{k, i}}}, k.partName(i)))
	}
	return list
}

// Beside returns a source from which one map reads two parts, of co-partitioned datasets.
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

// KeptOn returns the nodes that hold the source's records.
func (s *source) KeptOn() (hosts []string) {
	for _, r := range s.of {
		if _, host := r.parts.sizeOf(r.index); host != "" && !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	return hosts
}

// Expected returns the record count of the store behind s, an estimate of its distinct keys, or 0
// if unknown.
func Expected(s input.Source) int {
	for _, r := range RefsOf(s) {
		n, _, _ := r.parts.Size()
		return int(n)
	}
	return 0
}

// ReadBy appends to list the stores of the sources that are kept parts, each store once.
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
