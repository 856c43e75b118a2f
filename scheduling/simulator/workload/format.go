package workload

import (
	"errors"
	"fmt"
	"strconv"
)

// ErrFormat is wrapped by every error about a file; the message starts with file and line.
var ErrFormat = errors.New("bad workload")

// refuse returns an error that wraps ErrFormat and begins with the file's name and the line.
func refuse(name string, line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w: %s", name, line, ErrFormat, fmt.Sprintf(format, args...))
}

// wholeNumber parses an integer from 0 to top; what names it in the error.
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
