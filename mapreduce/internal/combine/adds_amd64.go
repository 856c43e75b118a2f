package combine

// addsOf are the codes of functions that return the sum of two integers of 4 or 8 bytes: Go passes
// them in AX and BX and returns AX. Those that are made of a generic function may begin with a NOP.
var addsOf = [9][][]byte{
	4: {{0x01, 0xd8, 0xc3}, {0x90, 0x01, 0xd8, 0xc3}},             // ADDL BX, AX; RET
	8: {{0x48, 0x01, 0xd8, 0xc3}, {0x90, 0x48, 0x01, 0xd8, 0xc3}}, // ADDQ BX, AX; RET
}

// addsOfFloats are those that return the sum of two float64s: Go passes them in X0 and X1 and returns X0.
var addsOfFloats = [][]byte{
	{0xf2, 0x0f, 0x58, 0xc1, 0xc3},                         // ADDSD X1, X0; RET
	{0x90, 0xf2, 0x0f, 0x58, 0xc1, 0xc3},                   // NOP; ADDSD X1, X0; RET
	{0xf2, 0x0f, 0x58, 0xc8, 0x0f, 0x10, 0xc1, 0xc3},       // ADDSD X0, X1; MOVUPS X1, X0; RET
	{0x90, 0xf2, 0x0f, 0x58, 0xc8, 0x0f, 0x10, 0xc1, 0xc3}, // NOP; ADDSD X0, X1; MOVUPS X1, X0; RET
}
