package search

import (
	"regexp/syntax"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Searches find the lines that package regexp finds if lines are long, and hits near or far apart.
func TestLongLinesEqualOracle(t *testing.T) {
	word := rapid.SampledFrom([]string{"a", "b", "ab", "ba", "aab", " ", "é", "𝄞", "\xff", "K", "\u212a", "_", "\r"})
	filler := rapid.SampledFrom([]string{".", "b", " ", "é", "𝄞", "\xc3", "x "})
	part := rapid.SampledFrom([]string{
		"a", "b", "ab", "[ab]", "(a|ab)", "b?", ".", "k", "é", `\b`, `\B`, "^", "$",
		`\A`, `\z`, "a{2,3}", `[^a]`, `\x{FFFD}`,
	})
	rapid.Check(t, func(t *rapid.T) {
		expr := rapid.SampledFrom([]string{"", "(?i)", "(?m)", "(?s)"}).Draw(t, "flags")
		for range rapid.IntRange(1, 5).Draw(t, "parts") {
			expr += part.Draw(t, "part")
		}
		p, err := Compile(expr, Options{})
		require.NoError(t, err)
		var text strings.Builder
		for range rapid.IntRange(1, 3).Draw(t, "lines") {
			for range rapid.IntRange(0, 4).Draw(t, "clusters") {
				for range rapid.IntRange(0, 6).Draw(t, "words") {
					text.WriteString(word.Draw(t, "word"))
				}
				text.WriteString(strings.Repeat(filler.Draw(t, "filler"), rapid.IntRange(0, 60).Draw(t, "apart")))
			}
			text.WriteString("\n")
		}
		chunk := []byte(text.String())
		check(t, p, chunk[:len(chunk)-rapid.IntRange(0, 1).Draw(t, "open")])
	})
}

func TestLeast(t *testing.T) {
	for expr, want := range map[string]int{
		`abc`: 3, `é.`: 2, `a?b*c+`: 1, `(?:ab|c){3,}`: 3, `^a{5}$`: 5, `.{200,}`: 200, `(?:(?:.{900}){10}|x{20})y`: 21, `(?:.{1000}){5}`: enough, `a|`: 0,
	} {
		tree, err := syntax.Parse(expr, syntax.Perl)
		if err != nil { // nested repeats may be too many
			continue
		}
		require.Equal(t, want, least(tree), expr)
	}
}

func TestLinesLongEnough(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		for range rapid.IntRange(0, 150).Draw(t, "lines") {
			text.WriteString(strings.Repeat(rapid.SampledFrom([]string{"a", "é", "\xff", "b"}).Draw(t, "piece"), rapid.IntRange(0, 40).Draw(t, "times")))
			text.WriteString(rapid.SampledFrom([]string{"\n", "\n", "x", "", "\n\n"}).Draw(t, "end"))
		}
		p, err := Compile(rapid.SampledFrom([]string{`.{30,}`, `[^é]{24}`, `^.{25,50}$`, `.{200}`}).Draw(t, "expr"), Options{})
		require.NoError(t, err)
		require.NotNil(t, p.candidate)
		check(t, p, []byte(text.String()))
	})
}

// If package dfa gives up in a line, needles or package regexp find the same lines.
func TestGivenUp(t *testing.T) {
	var text []byte
	rng := uint32(1)
	for range 120_000 {
		rng = rng*1664525 + 1013904223
		text = append(text, "abababababcdefghijklmnopqrstuvwxyz-"[rng>>16%35])
		if rng>>8%997 == 0 {
			text = append(text, "Q\n"...)
		}
	}
	for _, expr := range []string{`(?:foo|b[a-z]).{60}Q`, `[ab].{60}[QZ]`, `(?:foo|b[a-z]).{60}[QZ]`} {
		p, err := Compile(expr, Options{})
		require.NoError(t, err)
		check(t, p, text)
		s := scanner{p: p, chunk: text, lines: p.lines.NewSearcher()}
		for start, end := s.next(0); start >= 0; start, end = s.next(end) {
		}
		require.True(t, s.resting, expr)
	}
}
