package search

import (
	"regexp/syntax"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestReach(t *testing.T) {
	for expr, want := range map[string]int{
		`Shakespeare`:            44,
		`[Cc]omput(er|ing)s?\b`:  40,
		`^a$`:                    4,
		`(?i)é.`:                 8,
		`(ab){2,3}c`:             28,
		`(ab){2,}`:               0,
		`(?:\b)*a`:               4,
		`a+`:                     0,
		`.*a`:                    0,
		`(?:abc|de?)(?s:.)`:      16,
		`a{256}`:                 1024,
		`a{257}`:                 0,
		`(?:(?:a{30}){30}){1}`:   0,
		`x?`:                     4,
		``:                       0,
		`(?:a{1000}|b){0,1}|abc`: 0,
	} {
		tree, err := syntax.Parse(expr, syntax.Perl)
		require.NoError(t, err)
		require.Equal(t, want, reachOf(tree), expr)
	}
}

// Lines much longer than what a match may reach, with needles near each other and far apart.
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
