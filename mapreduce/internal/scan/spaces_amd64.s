#include "textflag.h"

DATA ·blanks+0(SB)/8, $0x2020202020202020
DATA ·blanks+8(SB)/8, $0x2020202020202020
GLOBL ·blanks(SB), RODATA|NOPTR, $16

DATA ·tabs+0(SB)/8, $0x0909090909090909
DATA ·tabs+8(SB)/8, $0x0909090909090909
GLOBL ·tabs(SB), RODATA|NOPTR, $16

DATA ·fours+0(SB)/8, $0x0404040404040404
DATA ·fours+8(SB)/8, $0x0404040404040404
GLOBL ·fours(SB), RODATA|NOPTR, $16

// SPACES sets the low 16 bits of R where the bytes at off(SI) are white space: a byte is if it is a
// space or, less nine, at most four.
#define SPACES(off, R) \
	MOVOU   off(SI), X3 \
	MOVO    X3, X4      \
	PSUBB   X1, X3      \
	MOVO    X3, X5      \
	PMINUB  X2, X5      \
	PCMPEQB X3, X5      \
	PCMPEQB X0, X4      \
	POR     X4, X5      \
	PMOVMSKB X5, R

// func spaces(p unsafe.Pointer) uint64
TEXT ·spaces(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), SI
	MOVOU ·blanks(SB), X0
	MOVOU ·tabs(SB), X1
	MOVOU ·fours(SB), X2
	SPACES(0, AX)
	SPACES(16, BX)
	SPACES(32, CX)
	SPACES(48, DX)
	SHLQ $16, BX
	SHLQ $32, CX
	SHLQ $48, DX
	ORQ  BX, AX
	ORQ  DX, CX
	ORQ  CX, AX
	MOVQ AX, ret+8(FP)
	RET
