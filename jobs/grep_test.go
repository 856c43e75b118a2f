package jobs

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce"
)

func TestGrepEqualsTool(t *testing.T) {
	for _, c := range []struct {
		pattern string
		o       GrepOptions
		flags   string
	}{
		{"abc", GrepOptions{}, "-E"},
		{"a+b|c", GrepOptions{}, "-E"},
		{"^$", GrepOptions{}, "-E"},
		{"", GrepOptions{}, "-E"},
		{"b$", GrepOptions{}, "-E"},
		{"a b", GrepOptions{Fixed: true}, "-F"},
		{"ABC", GrepOptions{IgnoreCase: true}, "-Ei"},
		{"A.C", GrepOptions{Fixed: true, IgnoreCase: true}, "-Fi"},
		{"a\nc", GrepOptions{Fixed: true}, "-F"},
		{"abc", GrepOptions{Invert: true}, "-Ev"},
		{"zzzz", GrepOptions{Invert: true}, "-Ev"},
		{"[aeiou]t", GrepOptions{}, "-E"},
		{`[ab]b(c|a)s?\b`, GrepOptions{}, "-E"},
		{`\Ba+b?`, GrepOptions{}, "-E"},
		{"bc$|^a.c", GrepOptions{}, "-E"},
		{`[aA]bc\b`, GrepOptions{IgnoreCase: true}, "-Ei"},
	} {
		t.Run(c.flags+" "+c.pattern, func(t *testing.T) {
			everywhere(t, true, func(t *testing.T, files []string) string {
				return tool(t, files, "grep", c.flags, "-h", "-a", "-e", c.pattern)
			}, func(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
				job, err := Grep(c.pattern, c.o)
				require.NoError(t, err)
				return job.Bind(mapreduce.Chunks(src...), mapreduce.Raw[[]byte](to))
			})
		})
	}
}

// Grep selects the lines that package regexp matches, for patterns without a literal to search for.
func TestGrepOfAnyPattern(t *testing.T) {
	for _, pattern := range []string{
		`[a-c]{3}`, `^[ab]+ [a-c]*$`, `.{5,}`, `\w+\W+\w+`, `[^a-z ]`, `\pL.\pL`, `\B[bc]\b`, `(?i)[A-B]C?$`, `\x{FFFD}+`, `^.?$`, `[a-d].{30}[x-z]`,
	} {
		for _, o := range []GrepOptions{{}, {Invert: true}, {Word: true}} {
			expr := pattern
			if o.Word {
				expr = `(?:^|[^0-9A-Za-z_])(?:` + pattern + `)(?:$|[^0-9A-Za-z_])`
			}
			re := regexp.MustCompile(expr)
			everywhere(t, true, func(_ *testing.T, files []string) string {
				var lines strings.Builder
				for _, file := range files {
					for line := range strings.Lines(file) {
						if line = strings.TrimSuffix(line, "\n"); re.MatchString(line) != o.Invert {
							lines.WriteString(line + "\n")
						}
					}
				}
				return lines.String()
			}, func(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
				job, err := Grep(pattern, o)
				require.NoError(t, err)
				return job.Bind(mapreduce.Chunks(src...), mapreduce.Raw[[]byte](to))
			})
		}
	}
}

func TestGrepMatchesThenByFrequency(t *testing.T) {
	files := []string{"b a\nab", corpus(5000), ""}
	lines := tool(t, files, "grep", "-E", "-h", "-a", "-o", "-e", "[a-c]+")
	count := map[string]int{}
	for line := range strings.Lines(lines) {
		count[strings.TrimSuffix(line, "\n")]++
	}
	for _, s := range settings() {
		between := run(t, s, func(to mapreduce.Destination) (*mapreduce.Plan, error) {
			job, err := GrepMatches("[a-c]+", GrepOptions{})
			require.NoError(t, err)
			return job.Bind(mapreduce.Chunks(sources(files)...), mapreduce.Text[CountFirst](to))
		})
		got := run(t, s, func(to mapreduce.Destination) (*mapreduce.Plan, error) {
			return ByFrequency().Bind(mapreduce.KeyValueLines('\t', sources([]string{between})...),
				mapreduce.Text[Count](to))
		})
		require.Equal(t, byFrequency(count), got, "%+v", s)
	}
}

func TestGrepRefusesPatterns(t *testing.T) {
	_, err := Grep("a(", GrepOptions{})
	require.ErrorIs(t, err, ErrPattern)
	_, err = GrepCount("[", GrepOptions{})
	require.ErrorIs(t, err, ErrPattern)
	_, err = GrepMatches("*", GrepOptions{})
	require.ErrorIs(t, err, ErrPattern)
	_, err = GrepMatches("fine", GrepOptions{Invert: true})
	require.ErrorIs(t, err, ErrPattern)
	require.False(t, errors.Is(func() error { _, err := Grep("a(", GrepOptions{Fixed: true}); return err }(),
		ErrPattern))
}
