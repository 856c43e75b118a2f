package search

import (
	"bytes"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// patterns is a set of what is looked for in source code and prose: literals, alternations, classes,
// counts, anchors, case, words, Unicode. bench/patterns.go has the same for a contest with ripgrep.
var patterns = []string{
	`Shakespeare`,
	`return`,
	`(?i)handler`,
	`(?i)context deadline`,
	`Reader|Writer|Closer`,
	`Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|January|February|October`,
	`(foo|bar|baz)[0-9]+`,
	`[0-9]{3}-[0-9]{4}`,
	`[A-Z][a-z]+ [A-Z][a-z]+ [A-Z][a-z]+`,
	`(\w+) \w+ing`,
	`.{200,}`,
	`^package `,
	`^\s*//.*TODO`,
	`\{$`,
	`^$`,
	`\berr\b`,
	`\bfunc \w+\(`,
	`[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+`,
	`0x[0-9a-fA-F]{8,}`,
	`"[^"]{40,}"`,
	`[a-z]{15,}`,
	`\p{Greek}`,
	`\p{Han}+`,
	`\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}+`,
	`(?i)error|warning|fatal|panic`,
	`[Cc]omput(er|ing)s?\b`,
	`[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}`,
	`(?:[a-z]+_){3}`,
	`\d{4}-\d{2}-\d{2}`,
	`if .* != nil && .*\{$`,
}

// Of each pattern the lines that it matches in real text are those that package regexp says.
func TestPatternsEqualOracle(t *testing.T) {
	text := sample(t)
	text = text[:min(len(text), 150_000)]
	for _, expr := range patterns {
		p, err := Compile(expr, Options{})
		require.NoError(t, err)
		check(t, p, text)
	}
}

// BenchmarkPatterns has each pattern count lines, ours and package regexp line by line.
func BenchmarkPatterns(b *testing.B) {
	text := sample(b)
	for _, expr := range patterns {
		p, err := Compile(expr, Options{})
		require.NoError(b, err)
		b.Run(expr+"/ours", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				p.Count(text)
			}
		})
		b.Run(expr+"/regexp", func(b *testing.B) {
			re := regexp.MustCompile(expr)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				for line := range bytes.Lines(text) {
					re.Match(bytes.TrimSuffix(line, []byte("\n")))
				}
			}
		})
	}
}

// Counts and the like, some of which make a state every few bytes: those are left to package regexp,
// and are to take no more than a fifth longer than it does, compiling included.
var hard = []string{
	`[ab].{20}[cd]`, `[a-m].{40}[QZ]{2}`, `(?:[a-z].{8}){3}[QX]z?$`, `(?:a|e|i|o).{100,200}[zq]$`, `(?:\w.){20}\d\W{3}[pq]`,
	`[^ ]e.{12}[(].{12}[Q#]`, `(?i)(?:t.{5,50}){3}[xyz][0-9]`, `.{300}[^ -~]`, `\pL.{30}\p{Lu}.{30}\p{Greek}`,
}

func BenchmarkHardPatterns(b *testing.B) {
	text := sample(b)
	for _, expr := range hard {
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
