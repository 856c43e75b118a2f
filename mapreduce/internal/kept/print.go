package kept

import (
	"encoding/binary"
	"math"
	"reflect"

	"github.com/cespare/xxhash/v2"

	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// fingerprint shows whether a recomputed part has the same records. It sums floats instead of
// hashing them: their last bits depend on the order of adding, which a second run may change.
type fingerprint struct {
	records, bytes int64
	hash           uint64  // of everything except floats
	sum, size      float64 // of the floats: sum weighted by position, and sum of magnitudes
}

// floatsWithin is the relative difference up to which sums of floats count as equal.
const floatsWithin = 1e-9

func (f fingerprint) equal(g fingerprint) bool {
	return f.records == g.records && f.bytes == g.bytes && f.hash == g.hash &&
		math.Abs(f.sum-g.sum) <= floatsWithin*max(f.size, g.size)
}

// printer computes the fingerprint of a part while it is written.
type printer[T any] struct {
	fingerprint
	form   Form[T]
	digest *xxhash.Digest
	strip  func(p memory.Pointer, sum func(float64) bool) // nil if there are no floats
	places []uintptr                                      // offsets of the float64s in an image; nil: use strip
	floats uint64                                         // number of floats that strip has found
	encode func(dst []byte, rec T) []byte
	buf    []byte
}

func (f Form[T]) printer() partPrinter { return newPrinter(f) }

func newPrinter[T any](form Form[T]) *printer[T] {
	p := &printer[T]{
		form: form, digest: xxhash.New(), strip: stripFloats(reflect.TypeFor[T]()), encode: form.Codec.Encoder(),
	}
	if places, ok := floatsOf(nil, reflect.TypeFor[T](), 0); ok && form.Size > 0 {
		p.places = places
	}
	return p
}

// maxFloats is the maximum number of floats per record whose offsets floatsOf lists.
const maxFloats = 64

// floatsOf appends the offsets of the float64s of an image of type t at offset `at`; it returns
// false if it has floats that cannot be listed.
func floatsOf(list []uintptr, t reflect.Type, at uintptr) ([]uintptr, bool) {
	ok := true
	switch t.Kind() {
	case reflect.Float64:
		list = append(list, at)
	case reflect.Float32:
		return nil, false
	case reflect.Array:
		for i := 0; ok && i < t.Len() && len(list) <= maxFloats; i++ {
			list, ok = floatsOf(list, t.Elem(), at+uintptr(i)*t.Elem().Size())
		}
	case reflect.Struct:
		for f := range t.Fields() {
			if ok {
				list, ok = floatsOf(list, f.Type, at+f.Offset)
			}
		}
	default:
	}
	return list, ok && len(list) <= maxFloats
}

// imagesAtOnce is the number of bytes of images that are copied and hashed at a time.
const imagesAtOnce = 8 << 10

// images adds to the fingerprint the records in b, images with floats at known offsets.
func (p *printer[T]) images(b []byte) {
	for most := max(1, imagesAtOnce/p.form.Size) * p.form.Size; len(b) > 0; {
		n := min(most, len(b))
		p.buf = append(p.buf[:0], b[:n]...)
		for i, place := range p.places {
			p.addEach(p.buf[place:], p.form.Size, uint64(i)<<48)
		}
		_, _ = p.digest.Write(p.buf)
		p.records += int64(n / p.form.Size)
		b = b[n:]
	}
}

// addEach sums one float of each image, of which the first is at the start of b, and sets those
// floats to 0 before hashing. Floats that are not finite are hashed, since sums cannot represent
// them. Weights depend on the record's number and the position.
func (f *fingerprint) addEach(b []byte, step int, place uint64) {
	sum, size, n := f.sum, f.size, place+uint64(f.records)
	for at := 0; at+8 <= len(b); at += step {
		n++
		word := b[at : at+8]
		if x := math.Float64frombits(binary.NativeEndian.Uint64(word)); x-x == 0 { //nolint:staticcheck // false of what is not finite
			clear(word)
			sum += x * floatWeight(n)
			size += math.Abs(x)
		}
	}
	f.sum, f.size = sum, size
}

// floatWeight returns a factor for float n, from 1 up to 2, by which sums depend on the order.
func floatWeight(n uint64) float64 {
	z := n * 0x9e3779b97f4a7c15
	z ^= z >> 29
	return math.Float64frombits(1023<<52 | z>>12)
}

// run adds the records in b, as stored, to the fingerprint.
func (p *printer[T]) run(b []byte) error {
	p.bytes += int64(len(b))
	if p.strip == nil {
		_, _ = p.digest.Write(b)
		if p.form.Size > 0 {
			p.records += int64(len(b) / p.form.Size)
			return nil
		}
		for ; len(b) > 0; b = b[p.form.Length(b):] {
			p.records++
		}
		return nil
	}
	if p.places != nil {
		p.images(b)
		return nil
	}
	box := new(T)
	return p.form.Each(b, func(rec T, _ []byte) error {
		p.records++
		*box = rec
		p.strip(memory.Of(box), p.add)
		p.buf = p.encode(p.buf[:0], *box)
		_, _ = p.digest.Write(p.buf)
		return nil
	})
}

// add adds a float to the sum. It returns false for a float that is not finite, which must be
// hashed.
func (p *printer[T]) add(x float64) bool {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return false
	}
	p.floats++
	p.sum += x * floatWeight(p.floats)
	p.size += math.Abs(x)
	return true
}

func (p *printer[T]) print() fingerprint {
	p.hash = p.digest.Sum64()
	return p.fingerprint
}

// stripFloats returns a function that passes each float of a value to sum and zeroes those for
// which sum returns true, or nil if the type has no floats. It copies slices with floats. Types
// with their own encoding count as without floats.
func stripFloats(t reflect.Type) func(p memory.Pointer, sum func(float64) bool) {
	if codec.Marshals(t) {
		return nil
	}
	switch t.Kind() {
	case reflect.Float64:
		return func(p memory.Pointer, sum func(float64) bool) {
			if x := memory.To[float64](p); sum(*x) {
				*x = 0
			}
		}
	case reflect.Float32:
		return func(p memory.Pointer, sum func(float64) bool) {
			if x := memory.To[float32](p); sum(float64(*x)) {
				*x = 0
			}
		}
	case reflect.Array:
		return stripEach(t.Elem(), func(p memory.Pointer) (memory.Pointer, int) { return p, t.Len() })
	case reflect.Slice:
		return stripEach(t.Elem(), func(p memory.Pointer) (memory.Pointer, int) {
			v := p.Value(t)
			list := reflect.MakeSlice(t, v.Len(), v.Len())
			reflect.Copy(list, v)
			v.Set(list)
			return memory.At(list), list.Len()
		})
	case reflect.Struct:
		return stripFields(t)
	default:
		return nil
	}
}

// stripEach is like stripFloats, for adjacent values; first returns the first one and their number.
func stripEach(elem reflect.Type, first func(p memory.Pointer) (memory.Pointer, int)) func(memory.Pointer, func(float64) bool) {
	strip := stripFloats(elem)
	if strip == nil {
		return nil
	}
	return func(p memory.Pointer, sum func(float64) bool) {
		at, n := first(p)
		for i := range n {
			strip(at.Index(i, elem.Size()), sum)
		}
	}
}

func stripFields(t reflect.Type) func(memory.Pointer, func(float64) bool) {
	type field struct {
		at    uintptr
		strip func(memory.Pointer, func(float64) bool)
	}
	var fields []field
	for f := range t.Fields() {
		if strip := stripFloats(f.Type); strip != nil && f.Name != "_" {
			fields = append(fields, field{f.Offset, strip})
		}
	}
	if fields == nil {
		return nil
	}
	return func(p memory.Pointer, sum func(float64) bool) {
		for _, f := range fields {
			f.strip(p.Add(f.at), sum)
		}
	}
}
