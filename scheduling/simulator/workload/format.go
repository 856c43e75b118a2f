package workload

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// ErrFormat is wrapped by every refusal of a file; the message starts with file and line.
var ErrFormat = errors.New("bad workload")

// refuse makes the error for a line of a file.
func refuse(name string, line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w: %s", name, line, ErrFormat, fmt.Sprintf(format, args...))
}

// byteOrderMark is what some editors put before UTF-8.
const byteOrderMark = "\xef\xbb\xbf"

// notText gives the first line, from 1, that holds a NUL byte or is not UTF-8; 0 if none does.
func notText(text []byte) int {
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

// wholeNumber reads a number from 0 to top; what names it in the error.
func wholeNumber(what, word string, top int64) (int64, error) {
	n, err := strconv.ParseInt(word, 10, 64)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%s %.40q is not a whole number", what, word)
	case n < 0:
		return 0, fmt.Errorf("%s %d is negative", what, n)
	case n > top:
		return 0, fmt.Errorf("%s %d is above %d", what, n, top)
	}
	return n, nil
}
