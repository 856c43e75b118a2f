package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagError says what is wrong with a flag in our words; see is what comes behind it.
func flagError(cmd *cobra.Command, err error, see string) error {
	if words := cmd.Flags().Args(); len(words) > 0 && cmd.HasSubCommands() && cmd.Args != nil {
		if unknown := cmd.Args(cmd, words); unknown != nil { // the flags behind it are of another command
			return unknown
		}
	}
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		fault := valueFault(bad.GetFlag(), bad)
		code := exitUsage
		if v, ok := errors.AsType[*valueError](fault); ok {
			code = v.code
		}
		return &exitError{code, fmt.Errorf("--%s %s: %w%s", bad.GetFlag().Name, shown(bad.GetValue()), fault, see)}
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok && unknown.GetSpecifiedShortnames() == "" {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := closest(unknown.GetSpecifiedName(), names); near != "" {
			return usageError("%w, did you mean --%s?", err, near)
		}
	}
	return usageError("%w%s", err, see)
}

// valueFault is what is wrong with the value of a flag, without the value.
func valueFault(f *pflag.Flag, err error) error {
	if bad, ok := errors.AsType[*valueError](err); ok {
		return bad
	}
	if f.Value.Type() == "bool" {
		return badValue("want true or false")
	}
	return badValue("no list with commas between")
}

// meant suggests the sub-command with a name like this one.
func meant(cmd *cobra.Command, name string) string {
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	if near := closest(name, names); near != "" {
		return ", did you mean " + near + "?"
	}
	return ""
}

// unknownCommand refuses a command that there is not; what is below another command, as the jobs are, is told so.
func unknownCommand(root *cobra.Command, name string) error {
	below := map[string]*cobra.Command{}
	for _, cmd := range root.Commands() {
		for _, sub := range cmd.Commands() {
			if cmd.Name() != "completion" {
				below[sub.Name()] = sub
			}
		}
	}
	near := meant(root, name)
	sub := below[cmp.Or(closest(name, slices.Sorted(maps.Keys(below))), name)]
	switch {
	case sub == nil || near != "" && sub.Name() != name:
		return usageError("unknown command %s%s (see tarry --help)", quoted(name), near)
	case sub.Name() == name && sub.Parent().Name() == "run":
		return usageError("%s is a job: %s", name, sub.CommandPath())
	}
	return usageError("unknown command %s, did you mean %s?", quoted(name), sub.CommandPath())
}

// closest is the name that was surely meant, or empty: words of three letters say too little, longer ones may differ in
// one letter, from six letters on in two.
func closest(word string, names []string) string {
	best, least := "", 3
	for _, name := range names {
		allowed := 0
		switch short := min(len(word), len(name)); {
		case short >= 6:
			allowed = 2
		case short >= 4:
			allowed = 1
		}
		if max(len(word), len(name)) > 40 {
			continue
		}
		if d := distance(word, name); d <= allowed && d < least {
			best, least = name, d
		}
	}
	return best
}

// distance is how many letters have to be put in, left out, changed or swapped with their neighbour to make b of a.
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

// mostShown is how much of a value messages show, in bytes.
const mostShown = 60

// shown is a value as messages show it: in quotes if it is not plain, and only its beginning if it is long.
func shown(s string) string {
	plain := s != "" && utf8.ValidString(s)
	for _, r := range s {
		plain = plain && unicode.IsGraphic(r) && !unicode.IsSpace(r) && !strings.ContainsRune(`"'\`, r)
	}
	if plain && len(s) <= mostShown {
		return s
	}
	return quoted(s)
}

// quoted is a value in quotes, and only its beginning if it is long.
func quoted(s string) string {
	if len(s) <= mostShown {
		return strconv.Quote(s)
	}
	return fmt.Sprintf("%s… (%d bytes)", strconv.Quote(strings.ToValidUTF8(s[:mostShown], "")), len(s))
}

// printable is text for a terminal: control characters and what is no UTF-8 as escapes.
func printable(text string) string {
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

// oneLine is the error's message in a line for a terminal: what errors.Join put together with semicolons between, each
// error once.
func oneLine(err error) string {
	text := strings.TrimSpace(err.Error())
	if !joined(err) {
		return printable(text)
	}
	var said []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && !slices.ContainsFunc(said, func(s string) bool { return strings.HasSuffix(s, line) }) {
			said = append(said, line)
		}
	}
	return printable(strings.Join(said, "; "))
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
