#include "textflag.h"

DATA ·noSums+0(SB)/8, $0x8000000000000000
DATA ·noSums+8(SB)/8, $0x8000000000000000
GLOBL ·noSums(SB), RODATA|NOPTR, $16

// FOUR has all bits of the four parts of TO set where a number at off(SI) is noSum: where both halves of
// it are those of noSum.
#define FOUR(off, TO) \
	MOVOU  off(SI), TO    \
	MOVOU  off+16(SI), X5 \
	PCMPEQL X7, TO        \
	PCMPEQL X7, X5        \
	MOVO   TO, X6         \
	SHUFPS $0x88, X5, TO  \
	SHUFPS $0xDD, X5, X6  \
	PAND   X6, TO

// SIXTEEN sets the low 16 bits of R where the numbers at off(SI) are noSum.
#define SIXTEEN(off, R) \
	FOUR(off, X0)     \
	FOUR(off+32, X1)  \
	FOUR(off+64, X2)  \
	FOUR(off+96, X3)  \
	PACKSSLW X1, X0   \
	PACKSSLW X3, X2   \
	PACKSSWB X2, X0   \
	PMOVMSKB X0, R

// func taken(sums *[64]uint64) uint64
TEXT ·taken(SB), NOSPLIT, $0-16
	MOVQ sums+0(FP), SI
	MOVOU ·noSums(SB), X7
	SIXTEEN(0, AX)
	SIXTEEN(128, BX)
	SIXTEEN(256, CX)
	SIXTEEN(384, DX)
	SHLQ $16, BX
	SHLQ $32, CX
	SHLQ $48, DX
	ORQ  BX, AX
	ORQ  DX, CX
	ORQ  CX, AX
	NOTQ AX
	MOVQ AX, ret+8(FP)
	RET
