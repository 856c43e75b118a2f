package dfa

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// approach returns how many bytes of s to skip: after them a match may begin, or fewer than
// prefixBytes remain.
func (p *prefix) approach(s []byte) int {
	i, places := 0, len(s)-prefixBytes+1
	if cpu.X86.HasAVX2 {
		if i = approachAVX2(p, unsafe.Pointer(unsafe.SliceData(s)), places); i+approachBlock <= places {
			return i
		}
	}
	return i + p.approachPortable(s[i:])
}

// approachBlock is the number of positions that approachAVX2 examines per step.
const approachBlock = 32

// approachAVX2 returns the first of n positions at which the nibble tables allow a match, or the
// first one outside of a whole block. Position i covers s[i:i+prefixBytes].
//
//go:noescape
func approachAVX2(p *prefix, s unsafe.Pointer, n int) int
