package approx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/axiomhq/hyperloglog"
)

// Sketch is the state of [CountDistinct] for a key: the hash of one value, the hashes of a few, or
// a HyperLogLog of many.
type Sketch struct {
	one       uint64 // if more is nil: the hash of the only value
	more      *hashes
	precision uint8
}

// hashes are the hashes of two or more values.
//
// Invariant: exactly one of few and many is set; few is sorted, without duplicates.
type hashes struct {
	few  []uint64
	many *hyperloglog.Sketch
}

// maxFew is the number of hashes beyond which a HyperLogLog replaces the list few.
const maxFew = 64

// few returns the hashes in s, or nil if s has a HyperLogLog instead.
func (s *Sketch) few() []uint64 {
	if s.more == nil {
		return []uint64{s.one}
	}
	return s.more.few
}

// merge returns a sketch of the values of a and b. The caller must not use a any more.
func merge(a, b Sketch) Sketch {
	switch {
	case a.more == nil && b.more == nil && a.one == b.one:
		return a
	case a.more == nil && b.more != nil:
		a, b = b, a
	case a.more == nil:
		a.more = &hashes{few: []uint64{a.one}}
	}
	if b.more != nil && b.more.many != nil {
		a.count()
		must(a.more.many.Merge(b.more.many))
		return a
	}
	for _, h := range b.few() {
		a.add(h)
	}
	return a
}

// add adds the hash of a value.
func (s *Sketch) add(hash uint64) {
	if s.more.many != nil {
		s.more.many.InsertHash(hash)
		return
	}
	at, there := slices.BinarySearch(s.more.few, hash)
	if there {
		return
	}
	s.more.few = slices.Insert(s.more.few, at, hash)
	if len(s.more.few) > maxFew {
		s.count()
	}
}

// count converts hashes into a HyperLogLog.
func (s *Sketch) count() {
	if s.more.many != nil {
		return
	}
	all, err := hyperloglog.NewSketch(s.precision, true)
	must(err)
	for _, h := range s.more.few {
		all.InsertHash(h)
	}
	s.more.few, s.more.many = nil, all
}

// must panics on an error that cannot occur, since a job's sketches have the same valid precision.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// Count returns the number of distinct values: exact for up to 64, an estimate for more.
func (s Sketch) Count() int64 {
	if s.more != nil && s.more.many != nil {
		return int64(s.more.many.Estimate())
	}
	return int64(len(s.few()))
}

// manyFlag is set in the first byte of an encoding, which has the precision, if a HyperLogLog
// follows and not hashes.
const manyFlag = 0x80

// MarshalBinary implements encoding.BinaryMarshaler. It returns a byte of precision, then either
// one or more hashes of eight bytes or the library's encoding of a HyperLogLog. Sketches of the
// same values have equal encodings.
func (s Sketch) MarshalBinary() ([]byte, error) {
	if s.more != nil && s.more.many != nil {
		s.more.many.Estimate() // normalizes the sketch
		return s.more.many.AppendBinary([]byte{s.precision | manyFlag})
	}
	b := []byte{s.precision}
	for _, h := range s.few() {
		b = binary.BigEndian.AppendUint64(b, h)
	}
	return b, nil
}

var errSketch = errors.New("approx: malformed sketch")

// UnmarshalBinary implements encoding.BinaryUnmarshaler.
func (s *Sketch) UnmarshalBinary(b []byte) error {
	if len(b) < 9 {
		return errSketch
	}
	*s = Sketch{precision: b[0] &^ manyFlag}
	if b[0]&manyFlag != 0 {
		s.more = &hashes{many: new(hyperloglog.Sketch)}
		if err := s.more.many.UnmarshalBinary(b[1:]); err != nil {
			return fmt.Errorf("%w: %w", errSketch, err)
		}
		return nil
	}
	if b = b[1:]; len(b)%8 != 0 {
		return errSketch
	}
	if s.one = binary.BigEndian.Uint64(b); len(b) > 8 {
		s.more = new(hashes)
		for ; len(b) > 0; b = b[8:] {
			s.more.few = append(s.more.few, binary.BigEndian.Uint64(b))
		}
	}
	return nil
}
