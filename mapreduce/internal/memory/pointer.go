package memory

import (
	"encoding/binary"
	"reflect"
	"unsafe"
)

// Pointer is the address of a value whose type its holder need not know: a key, a value, a record
// or a field. Untyped code passes it on, moves it within its array or struct, and copies the memory
// there; only [To] reads it as a type.
//
// The caller of To, Index and Memory must know the type of the value, which nothing here can check.
// Cast, for memory without pointers, checks the size.
type Pointer struct{ p unsafe.Pointer }

// Of returns v as a Pointer.
func Of[T any](v *T) Pointer { return Pointer{unsafe.Pointer(v)} }

// To returns p as an address of a T. The memory there must be a T, or a type with the same layout.
func To[T any](p Pointer) *T { return (*T)(p.p) }

// Raw returns the address p. Generic code that is compiled for each job uses it and p.Raw, because
// each instance of Of or To would be one more function of the job.
func Raw(p unsafe.Pointer) Pointer { return Pointer{p} }

// Raw returns p as an ordinary pointer.
func (p Pointer) Raw() unsafe.Pointer { return p.p }

// First returns the address of the first byte of b.
func First(b []byte) Pointer { return Pointer{unsafe.Pointer(unsafe.SliceData(b))} }

// New returns the address of a new zero value of type t on the Go heap.
func New(t reflect.Type) Pointer { return Pointer{reflect.New(t).UnsafePointer()} }

// NewArray returns the address of n adjacent zero values of type t on the Go heap.
func NewArray(t reflect.Type, n int) Pointer {
	return At(reflect.MakeSlice(reflect.SliceOf(t), n, n))
}

// At returns the address that v, a pointer or a slice, refers to.
func At(v reflect.Value) Pointer { return Pointer{v.UnsafePointer()} }

// Value returns the variable of type t at p.
func (p Pointer) Value(t reflect.Type) reflect.Value { return reflect.NewAt(t, p.p).Elem() }

// IsNil reports whether p is the zero Pointer.
func (p Pointer) IsNil() bool { return p.p == nil }

// Add returns the address n bytes after p, such as that of a field at offset n.
func (p Pointer) Add(n uintptr) Pointer { return Pointer{unsafe.Add(p.p, n)} }

// Index returns the address of element i of an array at p whose elements have size bytes.
func (p Pointer) Index(i int, size uintptr) Pointer { return p.Add(uintptr(i) * size) }

// Memory returns the n bytes at p. The caller may write to them only if they hold no pointers.
func (p Pointer) Memory(n uintptr) []byte { return unsafe.Slice((*byte)(p.p), n) }

const pageSize = 4096

// InPage reports whether the n bytes from p on are in one page of 4 KiB. If the first of them is
// readable, all are, because memory is mapped in whole pages: loading them cannot fault, although
// some may belong to nobody or to another goroutine. The caller must ignore the value of those.
// Therefore checkptr and the race detector must be off in the functions that load them.
func (p Pointer) InPage(n uintptr) bool { return uintptr(p.p)%pageSize <= pageSize-n }

// Load returns the 8 bytes i bytes after p as a word in native byte order; see InPage. Those bytes
// may lie beyond the value at p, where p.Add(i) must not point.
//
//go:nocheckptr
//go:norace
func (p Pointer) Load(i uintptr) uint64 {
	return binary.NativeEndian.Uint64((*[8]byte)(unsafe.Add(p.p, i))[:])
}

// List returns the length and the address of the first element of the string or slice at p.
func (p Pointer) List() (n int, first Pointer) {
	s := *(*string)(p.p) // the headers of slices of all types and of strings begin alike
	return len(s), Pointer{unsafe.Pointer(unsafe.StringData(s))}
}

// SetSlice sets the slice at p to n elements in the memory of b, which must suffice for them and be
// aligned.
func (p Pointer) SetSlice(b []byte, n int) { *(*[]byte)(p.p) = unsafe.Slice(unsafe.SliceData(b), n) }

// SizeOf returns the bytes of a T.
func SizeOf[T any]() uintptr {
	var t T
	return unsafe.Sizeof(t)
}

// BytesOf returns the bytes of s without a copy. They must not be changed.
func BytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
