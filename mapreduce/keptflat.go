package mapreduce

import (
	"encoding/binary"
	"reflect"
	"unsafe"
)

// flatField is a part of a record that is kept as bytes, one after the other: some of its own memory,
// or what a string or slice in it points to, after its length. Unlike the encoding of values, whose
// bytes order as the values do, this is copied as it is.
type flatField struct {
	at   uintptr // in the record
	kind flatKind
	size uintptr // of the memory, or of an element of a slice
}

type flatKind uint8

const (
	flatMemory flatKind = iota
	flatString
	flatBytes // []byte, which aliases what it is read from
	flatSlice // of what is memory, which does not
)

// flatOf lists the fields of a type whose values begin at a byte of a record; false if they do not
// lie so.
func flatOf(list []flatField, t reflect.Type, at uintptr) ([]flatField, bool) {
	if _, own := reflect.TypeAssert[selfCoded](reflect.Zero(t)); own || marshals(t) ||
		reflect.PointerTo(t).Implements(marshalerType) {
		return nil, false
	}
	switch {
	case isImage(t):
		from := at
		for _, g := range gapsOf(nil, t, at) {
			list = appendMemory(list, from, g.from)
			from = g.to
		}
		return appendMemory(list, from, at+t.Size()), true
	case t.Kind() == reflect.String:
		return append(list, flatField{at, flatString, 1}), true
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		return append(list, flatField{at, flatBytes, 1}), true
	case t.Kind() == reflect.Slice && isImage(t.Elem()) && t.Elem().Size() > 0 && gapsOf(nil, t.Elem(), 0) == nil:
		return append(list, flatField{at, flatSlice, t.Elem().Size()}), true
	case t.Kind() == reflect.Struct:
		ok := true
		for f := range t.Fields() {
			if ok = ok && f.Name != "_"; ok {
				list, ok = flatOf(list, f.Type, at+f.Offset)
			}
		}
		return list, ok
	}
	return nil, false
}

// appendMemory appends the memory from one byte to another, to the last field if that ends there.
func appendMemory(list []flatField, from, to uintptr) []flatField {
	if n := len(list); n > 0 && list[n-1].kind == flatMemory && list[n-1].at+list[n-1].size == from {
		list[n-1].size += to - from
		return list
	}
	if from == to {
		return list
	}
	return append(list, flatField{from, flatMemory, to - from})
}

// appendFlat appends the fields of the record at p.
func appendFlat(dst []byte, fields []flatField, p unsafe.Pointer) []byte {
	for i := range fields {
		f := &fields[i]
		at := unsafe.Add(p, f.at)
		if f.kind == flatMemory {
			dst = append(dst, unsafe.Slice((*byte)(at), f.size)...)
			continue
		}
		data, n := unsafe.Pointer(unsafe.StringData(*(*string)(at))), len(*(*string)(at)) // a slice begins as a string does
		dst = binary.AppendUvarint(dst, uint64(n))
		dst = append(dst, unsafe.Slice((*byte)(data), uintptr(n)*f.size)...)
	}
	return dst
}

// flatReader reads records of one goroutine. Short slices are cut from pieces of memory, since most
// records have one or two of some elements, each of which would be an allocation.
type flatReader struct {
	fields []flatField
	piece  []uint64
}

const (
	flatPiece = 512 // words
	flatLarge = 64  // words from which a slice has memory of its own
)

// read reads all of b into the record at p.
func (r *flatReader) read(b []byte, p unsafe.Pointer) error {
	for i := range r.fields {
		f := &r.fields[i]
		at := unsafe.Add(p, f.at)
		if f.kind == flatMemory {
			if uintptr(len(b)) < f.size {
				return errEncoding
			}
			switch f.size { // as most are
			case 4:
				*(*uint32)(at) = binary.NativeEndian.Uint32(b)
			case 8:
				*(*uint64)(at) = binary.NativeEndian.Uint64(b)
			default:
				copy(unsafe.Slice((*byte)(at), f.size), b)
			}
			b = b[f.size:]
			continue
		}
		n, k := binary.Uvarint(b)
		if k <= 0 || n > uint64(len(b)-k)/uint64(f.size) {
			return errEncoding
		}
		size := int(n) * int(f.size)
		data := b[k : k+size : k+size]
		b = b[k+size:]
		switch f.kind {
		case flatString:
			*(*string)(at) = string(data)
		case flatBytes:
			*(*[]byte)(at) = data
		default:
			*(*[]byte)(at) = r.slice(data, int(n)) // of another type, whose header this is
		}
	}
	if len(b) > 0 {
		return errEncoding
	}
	return nil
}

// slice copies data, which is n elements, and returns it with n for its length.
func (r *flatReader) slice(data []byte, n int) []byte {
	words := (len(data) + 7) / 8
	if words == 0 {
		return nil
	}
	var to []uint64
	if words >= flatLarge {
		to = make([]uint64, words)
	} else {
		if words > len(r.piece) {
			r.piece = make([]uint64, flatPiece)
		}
		to, r.piece = r.piece[:words:words], r.piece[words:]
	}
	first := (*byte)(unsafe.Pointer(unsafe.SliceData(to)))
	copy(unsafe.Slice(first, len(data)), data)
	return unsafe.Slice(first, n)
}
