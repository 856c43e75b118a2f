package kept

import (
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
type printer struct {
	fingerprint
	form   *Form
	digest *xxhash.Digest
	parts  []floatPart // of a record
	floats uint64      // number of floats in parts so far
	buf    []byte
}

func newPrinter(form *Form) *printer {
	return &printer{form: form, digest: xxhash.New(), parts: floatParts(form.value.Type)}
}

// run adds the records in b, as stored, to the fingerprint.
func (p *printer) run(b []byte) error {
	p.bytes += int64(len(b))
	switch {
	case p.parts != nil && p.form.Size > 0:
		p.images(b)
		return nil
	case p.parts != nil:
		return p.framed(b)
	}
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

// framed adds the records in b, which are framed and have floats.
func (p *printer) framed(b []byte) error {
	read, encode, rec := p.form.Reader(), p.form.value.Appender(false), memory.New(p.form.value.Type)
	for len(b) > 0 {
		n, err := read(b, rec)
		if err != nil {
			return err
		}
		p.records++
		p.strip(rec, p.parts)
		p.buf = encode(p.buf[:0], rec)
		_, _ = p.digest.Write(p.buf)
		b = b[n:]
	}
	return nil
}

// imagesAtOnce is the number of bytes of images that are copied and hashed at a time.
const imagesAtOnce = 8 << 10

// images adds the records in b, images with floats, to the fingerprint.
func (p *printer) images(b []byte) {
	for most := max(1, imagesAtOnce/p.form.Size) * p.form.Size; len(b) > 0; {
		n := min(most, len(b))
		p.buf = append(p.buf[:0], b[:n]...)
		for at := 0; at < n; at += p.form.Size {
			p.strip(memory.Of(&p.buf[at]), p.parts)
		}
		_, _ = p.digest.Write(p.buf)
		p.records += int64(n / p.form.Size)
		b = b[n:]
	}
}

// floatWeight returns a factor for float n, from 1 up to 2, by which sums depend on the order.
func floatWeight(n uint64) float64 {
	z := n * 0x9e3779b97f4a7c15
	z ^= z >> 29
	return math.Float64frombits(1023<<52 | z>>12)
}

// add adds a float to the sum. It returns false for a float that is not finite, which must be
// hashed.
func (p *printer) add(x float64) bool {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return false
	}
	p.floats++
	p.sum += x * floatWeight(p.floats)
	p.size += math.Abs(x)
	return true
}

func (p *printer) print() fingerprint {
	p.hash = p.digest.Sum64()
	return p.fingerprint
}

// floatPart is a float in a value, or a slice of values with floats.
type floatPart struct {
	leaf
	kind reflect.Kind
	elem []floatPart // of an element of the slice
}

// floatParts returns the floats of a value of type t, and its slices with floats. Types with their
// own encoding count as without floats.
func floatParts(t reflect.Type) (list []floatPart) {
	for l := range leavesOf(t, codec.Marshals) {
		isFloat, elem := l.Kind() == reflect.Float32 || l.Kind() == reflect.Float64, []floatPart(nil)
		if codec.Marshals(l.Type) {
			continue
		}
		if l.Kind() == reflect.Slice {
			elem = floatParts(l.Elem())
		}
		if isFloat || elem != nil {
			list = append(list, floatPart{l, l.Kind(), elem})
		}
	}
	return list
}

// strip adds the floats of the value at v to the sum, and sets them to 0, in copies of its slices.
func (p *printer) strip(v memory.Pointer, parts []floatPart) {
	for i := range parts {
		f := &parts[i]
		switch at := v.Add(f.at); f.kind {
		case reflect.Float64:
			if x := memory.To[float64](at); p.add(*x) {
				*x = 0
			}
		case reflect.Float32:
			if x := memory.To[float32](at); p.add(float64(*x)) {
				*x = 0
			}
		default:
			was := at.Value(f.Type)
			list := reflect.MakeSlice(f.Type, was.Len(), was.Len())
			reflect.Copy(list, was)
			was.Set(list)
			for i := range list.Len() {
				p.strip(memory.At(list).Index(i, f.Elem().Size()), f.elem)
			}
		}
	}
}
