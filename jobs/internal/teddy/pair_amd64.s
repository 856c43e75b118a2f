#include "go_asm.h"
#include "textflag.h"

// func findAVX2(p *Pair, s unsafe.Pointer, n int) int
//
// For each block of 32 places: set the bits that do not matter, compare the bytes at SI with the pair's first and those at
// DI with its second, and go on while no place has both.
TEXT ·findAVX2(SB), NOSPLIT, $0-32
	MOVQ p+0(FP), DX
	MOVQ s+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ Pair_Distance(DX), DI
	ADDQ SI, DI
	VPBROADCASTB Pair_First(DX), Y0
	VPBROADCASTB Pair_Second(DX), Y1
	VPBROADCASTB Pair_AnyFirst(DX), Y2
	VPBROADCASTB Pair_AnySecond(DX), Y3
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
	JNZ  found
	MOVQ BX, AX
	JMP  next

found:
	VPAND     Y4, Y5, Y4
	VPMOVMSKB Y4, BX
	BSFL BX, BX
	ADDQ BX, AX

done:
	VZEROUPPER
	MOVQ AX, ret+24(FP)
	RET
