package index

// Slab holds a value for each small index. Values never move, so that pointers to them stay good, and
// those of neighboring indexes lie side by side. The zero value is ready.
type Slab[T any] struct{ blocks []*[slabBlock]T }

const slabBlock = 64

// Reset makes room for an index and clears its value.
func (s *Slab[T]) Reset(i int32) {
	for int(i) >= slabBlock*len(s.blocks) {
		s.blocks = append(s.blocks, new([slabBlock]T))
	}
	*s.At(i) = *new(T)
}

// At is the value of an index that Reset has made room for.
func (s *Slab[T]) At(i int32) *T { return &s.blocks[uint32(i)/slabBlock][uint32(i)%slabBlock] }
