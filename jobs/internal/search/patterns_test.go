package search

import (
	"bytes"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/internal/gen"
)

// On source code, each of gen.Patterns matches the lines that package regexp matches.
func TestPatternsEqualOracle(t *testing.T) {
	text := sample(t)
	text = text[:min(len(text), 150_000)]
	for _, expr := range gen.Patterns {
		p, err := Compile(expr, Options{})
		require.NoError(t, err)
		check(t, p, text)
	}
}

// hard are patterns that lead to a new state every few bytes, so that package regexp must take
// over. Compile and a search should take at most 1.2 times as long as with regexp.
var hard = []string{
	`[ab].{20}[cd]`, `[a-m].{40}[QZ]{2}`, `(?:[a-z].{8}){3}[QX]z?$`, `(?:a|e|i|o).{100,200}[zq]$`, `(?:\w.){20}\d\W{3}[pq]`,
	`[^ ]e.{12}[(].{12}[Q#]`, `(?i)(?:t.{5,50}){3}[xyz][0-9]`, `.{300}[^ -~]`, `\pL.{30}\p{Lu}.{30}\p{Greek}`,
}

// BenchmarkPatterns compiles each pattern and counts matching lines, with this package and with
// regexp.
func BenchmarkPatterns(b *testing.B) {
	text := sample(b)
	for _, expr := range slices.Concat(gen.Patterns, hard) {
		b.Run(expr+"/ours", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				p, err := Compile(expr, Options{})
				require.NoError(b, err)
				p.Count(text)
			}
		})
		b.Run(expr+"/regexp", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				re := regexp.MustCompile(expr)
				for line := range bytes.Lines(text) {
					re.Match(bytes.TrimSuffix(line, []byte("\n")))
				}
			}
		})
	}
}
