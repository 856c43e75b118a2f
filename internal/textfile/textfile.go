// Package textfile reads the lines of text files, and tells these from files that are not text.
package textfile

import (
	"bytes"
	"unicode/utf8"
)

// ByteOrderMark is what some editors put before UTF-8.
const ByteOrderMark = "\xef\xbb\xbf"

// NotText returns the number, from 1, of the first line with a NUL byte or not in UTF-8, 0 if none.
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
