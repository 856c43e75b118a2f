#include "textflag.h"

// func prefetch(hash *uint64, n int, stride uintptr, cells unsafe.Pointer, size uintptr, shift, mask uint64)
TEXT ·prefetch(SB), NOSPLIT, $0-56
	MOVQ hash+0(FP), SI
	MOVQ n+8(FP), BX
	MOVQ stride+16(FP), DX
	MOVQ cells+24(FP), DI
	MOVQ size+32(FP), R8
	MOVQ shift+40(FP), CX
	MOVQ mask+48(FP), R9
	TESTQ BX, BX
	JLE  done
	MOVQ R8, R10
	SUBQ $8, R10

next:
	MOVQ (SI), AX
	SHRQ CX, AX
	ANDQ R9, AX
	IMULQ R8, AX
	ADDQ DI, AX
	PREFETCHT0 (AX)
	PREFETCHT0 (AX)(R10*1)
	ADDQ DX, SI
	DECQ BX
	JNZ  next

done:
	RET
