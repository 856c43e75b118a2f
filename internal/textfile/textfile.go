// Package textfile tells files of text from others.
package textfile

import (
	"bytes"
	"unicode/utf8"
)

// ByteOrderMark is what some editors put before UTF-8.
const ByteOrderMark = "\xef\xbb\xbf"

// NotText gives the first line, from 1, that holds a NUL byte or is not UTF-8; 0 if none does.
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
