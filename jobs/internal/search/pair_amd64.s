#include "go_asm.h"
#include "textflag.h"

// func skipAVX2(p *pair, x, y unsafe.Pointer, n int) int
//
// For each block of 32 places: set the bits that do not matter, compare the bytes at x with the pair's first and those at y
// with its second, and go on while no place has both.
TEXT ·skipAVX2(SB), NOSPLIT, $0-40
	MOVQ p+0(FP), DX
	MOVQ x+8(FP), SI
	MOVQ y+16(FP), DI
	MOVQ n+24(FP), CX
	VPBROADCASTQ pair_first(DX), Y0
	VPBROADCASTQ pair_second(DX), Y1
	VPBROADCASTQ pair_anyFirst(DX), Y2
	VPBROADCASTQ pair_anySecond(DX), Y3
	XORQ AX, AX

next:
	LEAQ 32(AX), BX
	CMPQ BX, CX
	JGT  done
	VPOR (SI)(AX*1), Y2, Y4
	VPOR (DI)(AX*1), Y3, Y5
	VPCMPEQB Y0, Y4, Y4
	VPCMPEQB Y1, Y5, Y5
	VPTEST Y4, Y5
	JNZ  done
	MOVQ BX, AX
	JMP  next

done:
	VZEROUPPER
	MOVQ AX, ret+32(FP)
	RET
