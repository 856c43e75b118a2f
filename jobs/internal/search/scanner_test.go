package search

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Long lines, with needles near each other and far apart.
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
