#include "go_asm.h"
#include "textflag.h"

DATA lowBits<>+0(SB)/8, $0x0f0f0f0f0f0f0f0f
GLOBL lowBits<>(SB), RODATA, $8

// LOOKUP leaves in OUT, for 32 bytes from AT on, the bits that the tables LOW and HIGH have in common. Y6 has the lower four
// bits of each byte set; Y8 and Y9 are scratch.
#define LOOKUP(AT, LOW, HIGH, OUT) \
	VMOVDQU AT, Y8           \
	VPSRLW  $4, Y8, Y9       \
	VPAND   Y6, Y8, Y8       \
	VPAND   Y6, Y9, Y9       \
	VPSHUFB Y8, LOW, Y8      \
	VPSHUFB Y9, HIGH, Y9     \
	VPAND   Y8, Y9, OUT

// func approachAVX2(t *Table, s unsafe.Pointer, n int) int
//
// For each block of 32 places: look up their first, second and third bytes, and go on while no place has a bit in all tables.
TEXT ·approachAVX2(SB), NOSPLIT, $0-32
	MOVQ t+0(FP), DX
	MOVQ s+8(FP), SI
	MOVQ n+16(FP), CX
	VBROADCASTI128 (Table_nibbles+0)(DX), Y0
	VBROADCASTI128 (Table_nibbles+16)(DX), Y1
	VBROADCASTI128 (Table_nibbles+32)(DX), Y2
	VBROADCASTI128 (Table_nibbles+48)(DX), Y3
	VBROADCASTI128 (Table_nibbles+64)(DX), Y4
	VBROADCASTI128 (Table_nibbles+80)(DX), Y5
	VPBROADCASTQ lowBits<>(SB), Y6
	VPXOR Y7, Y7, Y7
	XORQ AX, AX

next:
	LEAQ 32(AX), BX
	CMPQ BX, CX
	JGT  done
	LOOKUP((SI)(AX*1), Y0, Y1, Y10)
	LOOKUP(1(SI)(AX*1), Y2, Y3, Y11)
	LOOKUP(2(SI)(AX*1), Y4, Y5, Y12)
	VPAND Y10, Y11, Y10
	VPAND Y10, Y12, Y10
	VPTEST Y10, Y10
	JNZ  found
	MOVQ BX, AX
	JMP  next

found:
	VPCMPEQB  Y7, Y10, Y10
	VPMOVMSKB Y10, BX
	NOTL BX
	BSFL BX, BX
	ADDQ BX, AX

done:
	VZEROUPPER
	MOVQ AX, ret+24(FP)
	RET
