package combine

// addsOf are the codes of functions that return the sum of two integers of 4 or 8 bytes: Go passes
// them in AX and BX and returns AX. Those that are made of a generic function may begin with a NOP.
var addsOf = [9][][]byte{
	4: {{0x01, 0xd8, 0xc3}, {0x90, 0x01, 0xd8, 0xc3}},             // ADDL BX, AX; RET
	8: {{0x48, 0x01, 0xd8, 0xc3}, {0x90, 0x48, 0x01, 0xd8, 0xc3}}, // ADDQ BX, AX; RET
}
