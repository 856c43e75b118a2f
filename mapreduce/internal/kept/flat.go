package kept

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// flatField is a part of a record that is stored as plain bytes: some of the record's own memory,
// or the content of a string or slice after its length. Unlike the encoding of values, these bytes
// are copied unchanged and do not preserve order.
type flatField struct {
	at   uintptr // offset in the record
	kind flatKind
	size uintptr // of the memory, or of a slice's element
	step uintptr // alignment of the elements of a string or slice: 1, 2, 4 or 8
}

type flatKind uint8

const (
	flatMemory flatKind = iota
	flatString
	flatBytes // []byte, which aliases the block it is read from
	flatSlice // slice of plain memory, which aliases the block as well
)

// flatOf returns the fields of a value of type t. It returns false if t cannot be stored flat.
func flatOf(t reflect.Type) (list []flatField, ok bool) {
	for l := range leavesOf(t, codec.IsMarshaler) {
		switch {
		case isNumber(l.Type):
			list = appendMemory(list, l.at, l.at+l.Size())
		case codec.IsMarshaler(l.Type):
			return nil, false
		case l.Kind() == reflect.String:
			list = append(list, flatField{l.at, flatString, 1, 1})
		case l.Kind() == reflect.Slice && l.Elem().Kind() == reflect.Uint8:
			list = append(list, flatField{l.at, flatBytes, 1, 1})
		case l.Kind() == reflect.Slice && IsPlain(l.Elem()):
			list = append(list, flatField{l.at, flatSlice, l.Elem().Size(), uintptr(l.Elem().Align())})
		default:
			return nil, false
		}
	}
	return list, true
}

// appendMemory appends a field for bytes from..to, or extends the last one if they are adjacent.
func appendMemory(list []flatField, from, to uintptr) []flatField {
	if n := len(list); n > 0 && list[n-1].kind == flatMemory && list[n-1].at+list[n-1].size == from {
		list[n-1].size += to - from
		return list
	}
	return append(list, flatField{at: from, kind: flatMemory, size: to - from})
}

// FlatWord is the unit of size and alignment of records with slices of numbers, which are thus read
// in place.
const FlatWord = 8

// isAligned reports whether records with these fields must be aligned: some are slices of numbers.
func isAligned(fields []flatField) bool {
	return slices.ContainsFunc(fields, func(f flatField) bool { return f.kind == flatSlice })
}

// elements returns the number of elements of the string or slice at p, and its bytes.
func (f *flatField) elements(p memory.Pointer) (int, []byte) {
	n, first := p.List()
	return n, first.Memory(uintptr(n) * f.size)
}

var zeros [FlatWord]byte

// Pad appends zeros until the length of dst after begin, a record's start, is a multiple of step.
func Pad(dst []byte, begin int, step uintptr) []byte {
	return append(dst, zeros[:-uintptr(len(dst)-begin)&(step-1)]...)
}

// appendAligned appends an aligned record to dst: its length, the record at p by appendFlat, and
// zeros as padding.
func appendAligned(dst []byte, fields []flatField, p memory.Pointer) ([]byte, error) {
	begin := len(dst)
	dst = Pad(appendFlat(append(dst, zeros[:4]...), begin, fields, p, true), begin, FlatWord)
	if n := len(dst) - begin; n > math.MaxInt32 {
		return dst[:begin], fault.Permanent(fmt.Errorf("%w: a record of %d bytes is to be kept, of at most 2 GiB", memory.ErrRecordTooLarge, n))
	}
	binary.NativeEndian.PutUint32(dst[begin:], uint32(len(dst)-begin))
	return dst, nil
}

// alignedLength returns the length of the aligned record at the start of b, or 0 if b does not
// contain all of it.
func alignedLength(b []byte) int {
	if len(b) < FlatWord {
		return 0
	}
	n := int(binary.NativeEndian.Uint32(b))
	if n < FlatWord || n > len(b) || n%FlatWord != 0 {
		return 0
	}
	return n
}

// appendFlat appends the fields of the record at p; strings and slices follow their lengths. In an
// aligned record, which starts at dst[begin], slices of numbers are aligned.
func appendFlat(dst []byte, begin int, fields []flatField, p memory.Pointer, aligned bool) []byte {
	for i := range fields {
		f := &fields[i]
		at := p.Add(f.at)
		if f.kind == flatMemory {
			dst = append(dst, at.Memory(f.size)...)
			continue
		}
		n, elements := f.elements(at)
		if aligned {
			dst = Pad(binary.NativeEndian.AppendUint32(dst, uint32(n)), begin, f.step)
		} else {
			dst = binary.AppendUvarint(dst, uint64(n))
		}
		dst = append(dst, elements...)
	}
	return dst
}

// flatReader decodes flat records. Slices in the results alias the bytes that it reads.
type flatReader struct {
	fields  []flatField
	aligned bool
}

// set sets the string or slice at `at` to n elements with the bytes data; a slice aliases data.
func (f *flatField) set(at memory.Pointer, data []byte, n int) {
	switch {
	case f.kind == flatString:
		*memory.To[string](at) = string(data)
	case n == 0 && f.kind == flatSlice:
		*memory.To[[]byte](at) = nil
	default: // a slice of another type has the same header
		at.SetSlice(data, n)
	}
}

// read sets the record at p from b, which is one flat record.
func (r *flatReader) read(b []byte, p memory.Pointer) error {
	all, pos, slack := uintptr(len(b)), uintptr(0), uintptr(0)
	if r.aligned {
		pos, slack = 4, FlatWord-1
	}
	for i := range r.fields {
		f := &r.fields[i]
		at := p.Add(f.at)
		if f.kind == flatMemory {
			if all < pos+f.size {
				return codec.ErrMalformed
			}
			switch f.size { // the usual sizes
			case 4:
				*memory.To[uint32](at) = binary.NativeEndian.Uint32(b[pos:])
			case 8:
				*memory.To[uint64](at) = binary.NativeEndian.Uint64(b[pos:])
			default:
				copy(at.Memory(f.size), b[pos:])
			}
			pos += f.size
			continue
		}
		var n uintptr
		if r.aligned {
			if all < pos+4 {
				return codec.ErrMalformed
			}
			n = uintptr(binary.NativeEndian.Uint32(b[pos:]))
			pos = (pos + 4 + f.step - 1) &^ (f.step - 1)
		} else {
			x, k := binary.Uvarint(b[pos:])
			if k <= 0 || x > uint64(all) {
				return codec.ErrMalformed
			}
			n, pos = uintptr(x), pos+uintptr(k)
		}
		end := pos + n*f.size
		if end > all {
			return codec.ErrMalformed
		}
		f.set(at, b[pos:end], int(n))
		pos = end
	}
	if all > pos+slack {
		return codec.ErrMalformed
	}
	return nil
}
