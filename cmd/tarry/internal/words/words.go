// Package words puts what a user or a file says into messages: short, in one line, safe for a
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
)

// most is how much of a value messages show, in bytes.
const most = 60

// Shown is a value as messages show it: in quotes if it is not plain, and only its beginning if it
// is long.
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

// Quoted is a value in quotes, and only its beginning if it is long.
func Quoted(s string) string {
	if len(s) <= most {
		return strconv.Quote(s)
	}
	return fmt.Sprintf("%s… (%d bytes)", strconv.Quote(strings.ToValidUTF8(s[:most], "")), len(s))
}

// Printable is text for a terminal: control characters and what is no UTF-8 as escapes.
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

// OneLine is the error's message in a line for a terminal: what errors.Join put together with
// semicolons between, each error once.
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

// joined tells whether errors.Join had a part in err: its line breaks stand between errors.
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

// Closest is the name that was surely meant, or empty: words of three letters say too little,
// longer ones may differ in one letter, from six letters on in two.
func Closest(word string, names []string) string {
	best, least := "", 3
	for _, name := range names {
		allowed := 0
		switch short := min(len(word), len(name)); {
		case max(len(word), len(name)) > 40:
			continue
		case short >= 6:
			allowed = 2
		case short >= 4:
			allowed = 1
		}
		if d := distance(word, name); d <= allowed && d < least {
			best, least = name, d
		}
	}
	return best
}

// distance is how many letters have to be put in, left out, changed or swapped with their
// neighbour to make b of a.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
		for j := 1; j <= len(b); j++ {
			if i == 0 {
				rows[i][j] = j
				continue
			}
			change := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			rows[i][j] = min(change, rows[i-1][j]+1, rows[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
