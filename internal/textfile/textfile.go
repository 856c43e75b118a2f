// Package textfile reads the lines of text files and detects files that are not text.
package textfile

import (
	"bytes"
	"unicode/utf8"
)

// ByteOrderMark is the mark with which some editors begin a UTF-8 file.
const ByteOrderMark = "\xef\xbb\xbf"

// NotText returns the number, from 1, of the first line with a NUL byte or invalid UTF-8; 0: none.
func NotText(text []byte) int {
	line := 1
	for len(text) > 0 {
		one, rest, _ := bytes.Cut(text, []byte{'\n'})
		if !utf8.Valid(one) || bytes.IndexByte(one, 0) >= 0 {
			return line
		}
		text, line = rest, line+1
	}
	return 0
}
