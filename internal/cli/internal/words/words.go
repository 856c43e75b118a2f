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
	if s == "" || len(s) > most || strconv.QuoteToGraphic(s) != `"`+s+`"` ||
		strings.ContainsFunc(s, func(r rune) bool { return r == '\'' || unicode.IsSpace(r) }) {
		return Quoted(s)
	}
	return s
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
	quoted := strconv.QuoteToGraphic(text)
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(quoted[1 : len(quoted)-1])
}

// OneLine returns the error's message in one line for a terminal. Errors of errors.Join are
// separated by semicolons, without repetitions.
func OneLine(err error) string {
	text := strings.TrimSpace(err.Error())
	type several interface {
		error
		Unwrap() []error
	}
	if _, joined := errors.AsType[several](err); !joined { // line feeds do not separate errors
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
