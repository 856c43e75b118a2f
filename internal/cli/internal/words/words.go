// Package words formats text from users and files for messages: short, in one line, safe for a
// terminal.
package words

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
)

// most is the maximum length of a value in messages, in bytes.
const most = 60

// Count returns a number of things as text: 1 record, 12,345 records.
func Count[N ~int | ~int64 | ~uint64](n N, thing string) string {
	return humanize.Comma(int64(n)) + " " + english.PluralWord(int(n), thing, "")
}

// Shown returns a value for messages: quoted if it has unusual characters, and shortened if it is
// long.
func Shown(s string) string {
	plain := s != "" && len(s) <= most && utf8.ValidString(s)
	for _, r := range s {
		plain = plain && unicode.IsGraphic(r) && !unicode.IsSpace(r) && !strings.ContainsRune(`"'\`, r)
	}
	if plain {
		return s
	}
	return Quoted(s)
}

// Quoted returns a value in quotes, shortened if it is long.
func Quoted(s string) string {
	if len(s) <= most {
		return strconv.Quote(s)
	}
	return fmt.Sprintf("%s… (%d bytes)", strconv.Quote(strings.ToValidUTF8(s[:most], "")), len(s))
}

// Printable returns text for a terminal: it escapes control characters and bytes that are not
// UTF-8.
func Printable(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if one := text[i : i+n]; r == utf8.RuneError && n == 1 || !unicode.IsGraphic(r) {
			quoted := strconv.Quote(one)
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteString(one)
		}
		i += n
	}
	return b.String()
}

// OneLine returns the error's message in one line for a terminal. Errors of errors.Join are
// separated by semicolons, without repetitions.
func OneLine(err error) string {
	text := strings.TrimSpace(err.Error())
	if !joined(err) {
		return Printable(text)
	}
	var said []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		repeats := func(s string) bool { return strings.HasSuffix(s, line) }
		if line != "" && !slices.ContainsFunc(said, repeats) {
			said = append(said, line)
		}
	}
	return Printable(strings.Join(said, "; "))
}

// joined reports whether err contains an error of errors.Join, whose line breaks separate errors.
func joined(err error) bool {
	if fmt.Sprintf("%T", err) == fmt.Sprintf("%T", errors.Join(err)) {
		return true
	}
	switch e := err.(type) { //nolint:errorlint // each level by itself
	case interface{ Unwrap() error }:
		below := e.Unwrap()
		return below != nil && joined(below)
	case interface{ Unwrap() []error }:
		return slices.ContainsFunc(e.Unwrap(), joined)
	}
	return false
}
