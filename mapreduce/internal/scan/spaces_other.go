//go:build !amd64

package scan

import "unsafe"

const loadsBeyond = false

func spaces(p unsafe.Pointer) uint64 { return plainSpaces((*[block]byte)(p)) }
