package dfa

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// approach is how many bytes of s may be passed over: a match may begin behind them, or fewer than
// prefixBytes are left.
func (p *prefix) approach(s []byte) int {
	i, places := 0, len(s)-prefixBytes+1
	if cpu.X86.HasAVX2 {
		if i = approachAVX2(p, unsafe.Pointer(unsafe.SliceData(s)), places); i+approachBlock <= places {
			return i
		}
	}
	return i + p.approachPortable(s[i:])
}

// approachBlock is at how many places approachAVX2 looks in one step.
const approachBlock = 32

// approachAVX2 is the first of n places where the tables by four bits let a match begin, or the first
// that is not in a whole block. The place i has its bytes at s[i:i+prefixBytes].
//
//go:noescape
func approachAVX2(p *prefix, s unsafe.Pointer, n int) int
