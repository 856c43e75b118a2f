package textfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ErrNotText is the error for bytes that are not text.
var ErrNotText = errors.New("not text: a NUL byte, or not UTF-8")

// EachLine calls read with each line of r that is not blank, and its number from 1. The line comes
// without its end and without a byte order mark. EachLine stops at an error, also one of read. It
// returns the number of the last line or, with an error, of the line with the error. A line of
// maxBytes or more is an error.
func EachLine(r io.Reader, maxBytes int, read func(n int, line string) error) (n int, err error) {
	scan := bufio.NewScanner(r)
	scan.Buffer(nil, maxBytes)
	for scan.Scan() {
		n++
		if NotText(scan.Bytes()) > 0 {
			return n, ErrNotText
		}
		line := strings.TrimRight(scan.Text(), "\r")
		if n == 1 {
			line = strings.TrimPrefix(line, ByteOrderMark)
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		if err := read(n, line); err != nil {
			return n, err
		}
	}
	switch err := scan.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return n + 1, fmt.Errorf("a line of more than %d bytes", maxBytes)
	case err != nil:
		return n + 1, err
	}
	return n, nil
}
