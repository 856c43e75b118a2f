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

// Lines reads a text line by line and skips blank lines.
type Lines struct {
	N    int    // number of the current line, from 1; after an error, of the line with the error
	Text string // the line, without its end and without a byte order mark
	scan *bufio.Scanner
	max  int
	err  error
}

// NewLines returns a reader of r's lines. A line of maxBytes or more is an error.
func NewLines(r io.Reader, maxBytes int) *Lines {
	l := &Lines{scan: bufio.NewScanner(r), max: maxBytes}
	l.scan.Buffer(nil, maxBytes)
	return l
}

// Next reads the next line that is not blank into Text. It returns false at the end or an error.
func (l *Lines) Next() bool {
	for l.err == nil && l.scan.Scan() {
		l.N++
		if NotText(l.scan.Bytes()) > 0 {
			l.err = ErrNotText
			return false
		}
		l.Text = strings.TrimRight(l.scan.Text(), "\r")
		if l.N == 1 {
			l.Text = strings.TrimPrefix(l.Text, ByteOrderMark)
		}
		if strings.TrimSpace(l.Text) != "" {
			return true
		}
	}
	if err := l.scan.Err(); l.err == nil && err != nil {
		l.N++
		if l.err = err; errors.Is(err, bufio.ErrTooLong) {
			l.err = fmt.Errorf("a line of more than %d bytes", l.max)
		}
	}
	return false
}

// Err returns the error that ended the reading; nil if it was the end of the text.
func (l *Lines) Err() error { return l.err }
