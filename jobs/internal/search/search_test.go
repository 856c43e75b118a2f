package search

import (
	"bytes"
	"go/build"
	"os"
	"path/filepath"
	"regexp/syntax"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// plain is the oracle: it returns the lines that package regexp matches, and all others.
func plain(p *Pattern, chunk []byte) (matching [][]byte, others []byte) {
	for line := range bytes.Lines(chunk) {
		if p.re.Match(bytes.TrimSuffix(line, []byte("\n"))) {
			matching = append(matching, line)
		} else {
			others = append(others, line...)
		}
	}
	return matching, others
}

// check requires that Lines, OtherLines and Count return what the oracle does.
func check(t require.TestingT, p *Pattern, chunk []byte) {
	want, wantOthers := plain(p, chunk)
	var got [][]byte
	for start, end := range p.Lines(chunk) {
		got = append(got, chunk[start:end])
	}
	require.Equal(t, want, got, "%s on %q", p.re, chunk)
	var others []byte
	runs := 0
	for start, end := range p.OtherLines(chunk) {
		require.Less(t, start, end)
		others = append(others, chunk[start:end]...)
		runs++
	}
	require.Equal(t, wantOthers, others, "%s on %q", p.re, chunk)
	require.LessOrEqual(t, runs, len(want)+1)
	require.EqualValues(t, len(want), p.Count(chunk), "%s on %q", p.re, chunk)
}

func TestRequiredLiterals(t *testing.T) {
	for _, c := range []struct {
		expr  string
		want  []literal
		exact bool
	}{
		{`Shakespeare`, []literal{{"Shakespeare", false}}, true},
		{`[Cc]omput(er|ing)s?\b`, []literal{{"omput", false}}, false},
		{`(?i)hello`, []literal{{"hello", true}}, true},
		{`(?i)task`, []literal{{"ta", true}}, false}, // s and k have cases outside ASCII
		{`(?i)ſk`, nil, false},
		{`foo|barbaz`, []literal{{"foo", false}, {"barbaz", false}}, false},
		{`foo|.*`, nil, false},
		{`^abc$`, []literal{{"abc", false}}, false},
		{`(abc)+d`, []literal{{"abc", false}}, false},
		{`(abc){2,3}`, []literal{{"abc", false}}, false},
		{`(?i)(ab){9,}`, []literal{{"ab", true}}, false},
		{`(?:ab|c){2}`, []literal{{"ab", false}, {"c", false}}, false},
		{`(abc){0,3}`, nil, false},
		{`x*`, nil, false},
		{`a.bcd.e`, []literal{{"bcd", false}}, false},
		{`a\nbc`, []literal{{"bc", false}}, false},
		{"caf\u00e9", []literal{{"caf\u00e9", false}}, true},
		{"(?i)caf\u00e9", []literal{{"caf", true}}, false},
		{`x\x{FFFD}yy`, []literal{{"yy", false}}, false},
		{`(?:ab|(?:cd|ef)gh)ij?`, []literal{{"i", false}}, false},
		{`[abc]`, nil, false},
		{``, nil, false},
		{`a1|b2|c3|d4|e5|f6|g7|h8|i9`, nil, false},
	} {
		tree, err := syntax.Parse(c.expr, syntax.Perl)
		require.NoError(t, err)
		got, exact := required(tree)
		if c.expr == `(?:ab|(?:cd|ef)gh)ij?` { // either set is right; the parser decides
			require.NotEmpty(t, got)
			continue
		}
		require.Equal(t, c.want, got, c.expr)
		require.Equal(t, c.exact, exact, c.expr)
	}
}

func TestLinesOfAwkwardText(t *testing.T) {
	patterns := []struct {
		expr string
		o    Options
	}{
		{"abc", Options{}},
		{"abc", Options{Fixed: true}},
		{"ABC", Options{IgnoreCase: true}},
		{"a.c", Options{Fixed: true}},
		{"", Options{}},
		{"^$", Options{}},
		{"c$", Options{}},
		{"^a", Options{}},
		{".", Options{}},
		{"a\nbc", Options{}},
		{"a\n\nbc", Options{Fixed: true}},
		{"\x00", Options{}},
		{"k", Options{IgnoreCase: true}},
		{"é", Options{IgnoreCase: true}},
		{"É", Options{Fixed: true, IgnoreCase: true}},
		{`\r$`, Options{}},
		{`[^a]b`, Options{}},
		{`(?s).\n`, Options{}},
		{`\x{FFFD}`, Options{}},
		{`\bab`, Options{}},
		{"*", Options{Fixed: true}},
		{`a|b|c|d|e|f|g|h|k`, Options{}},
		{`abc|bca`, Options{IgnoreCase: true}},
		{`\z`, Options{}},
	}
	texts := []string{
		"", "\n", "\n\n\n", "abc", "abc\n", "\nabc", "xabcx\nabcabc\n\nbc\r\nabc\r\n", "a.c\n", "ABC\naBc\n", "a\x00b\n\xff\xfe\n", "é\nÉ\ncafé", "\u212a\nk\nK\n",
		"*\n" + strings.Repeat("ab", 1000) + "c\nend", "ab\nc\n", "\r\n\r\n", "\ufffd\n\xff", "ſ\n",
	}
	for _, c := range patterns {
		p, err := Compile(c.expr, c.o)
		require.NoError(t, err)
		for _, text := range texts {
			check(t, p, []byte(text))
		}
	}
}

func TestLinesEqualOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("aabbckKs\n\nAB é\u212a\x00.")), 0, 200, -1).Draw(t, "text")
		expr := rapid.StringOfN(rapid.SampledFrom([]rune("aabbckKsAé.")), 0, 4, -1).Draw(t, "first")
		for range rapid.IntRange(0, 3).Draw(t, "parts") {
			expr += rapid.SampledFrom([]string{
				"|", "*", "?", "(a|b)", "[ab]", "+", "^", "$", `\b`, "c", "bk", "\n",
				"{2}",
			}).Draw(t, "op")
		}
		o := Options{Fixed: rapid.Bool().Draw(t, "fixed"), IgnoreCase: rapid.Bool().Draw(t, "fold")}
		p, err := Compile(expr, o)
		if err != nil {
			t.Skip("no pattern")
		}
		check(t, p, []byte(text))
	})
}

func TestCompileErrors(t *testing.T) {
	_, err := Compile("a(b", Options{})
	require.EqualError(t, err, `pattern "a(b": missing closing ): "a(b"`)
	_, err = Compile("fine\na[", Options{})
	require.ErrorContains(t, err, `pattern "a["`)
	_, err = Compile("a)|(b", Options{IgnoreCase: true})
	require.Error(t, err, "brackets of the pattern cannot close ours")
	_, err = Compile("a(b", Options{Fixed: true})
	require.NoError(t, err)
}

func TestMatches(t *testing.T) {
	p, err := Compile(`b*a?`, Options{})
	require.NoError(t, err)
	var got []string
	line := "bba.xa.bb"
	for from, to := range p.Matches([]byte(line)) {
		got = append(got, line[from:to])
	}
	require.Equal(t, []string{"bba", "a", "bb"}, got)
}

// needles find the first literal or, among several, a place in the line of one.
func TestNeedlesIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.SampledFrom([]byte("aabAB-\x00\x80\xe1"))
		s := rapid.SliceOfN(letters, 0, 40).Draw(t, "s")
		// Insert blocks without a match. Some have a byte of a needle, or one that differs from it
		// only in the bit for case.
		filler := rapid.SampledFrom([]byte(".aA-\r\x00\xa0"))
		for range rapid.IntRange(0, 2).Draw(t, "stretches") {
			s = append(s, bytes.Repeat([]byte{filler.Draw(t, "filler")}, rapid.IntRange(0, 200).Draw(t, "apart"))...)
			s = append(s, rapid.SliceOfN(letters, 0, 40).Draw(t, "more")...)
		}
		fold, folded := rapid.Bool().Draw(t, "fold"), s
		if fold {
			folded = lower(s)
		}
		from, want := rapid.IntRange(0, len(s)).Draw(t, "from"), len(s)
		var list []literal
		for _, text := range rapid.SliceOfN(rapid.SliceOfN(letters, 1, 6), 1, 8).Draw(t, "needles") {
			if fold {
				text = lower(text)
			}
			list = append(list, literal{string(text), fold})
			if i := bytes.Index(folded[from:], text); i >= 0 {
				want = min(want, from+i)
			}
		}
		got := newNeedles(list).index(s, from)
		if len(list) > 1 {
			require.LessOrEqual(t, got, want+5, "no needle is longer than 6 bytes")
			return
		}
		require.Equal(t, want, got)
	})
}

// lower returns s with its ASCII letters in lower case. bytes.ToLower would replace invalid UTF-8.
func lower(s []byte) []byte {
	s = bytes.Clone(s)
	for i, c := range s {
		if c >= 'A' && c <= 'Z' {
			s[i] = c + 'a' - 'A'
		}
	}
	return s
}

// sample returns source code as a text: package net/http of the Go distribution.
func sample(b testing.TB) []byte {
	files, err := filepath.Glob(filepath.Join(build.Default.GOROOT, "src/net/http/*.go"))
	require.NoError(b, err)
	var text []byte
	for _, name := range files {
		file, err := os.ReadFile(name)
		require.NoError(b, err)
		text = append(text, file...)
	}
	require.NotEmpty(b, text)
	return text
}

func BenchmarkNeedles(b *testing.B) {
	text := sample(b)
	for _, word := range []string{"Shakespeare", "omput", "err", "Printf"} {
		n := newNeedles([]literal{{text: word}})
		every := func(index func(from int) int) func(*testing.B) {
			return func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					for at := index(0); at < len(text); at = index(at + 1) {
					}
				}
			}
		}
		b.Run(word+"/needles", every(func(from int) int { return n.index(text, from) }))
		b.Run(word+"/bytes.Index", every(func(from int) int {
			if i := bytes.Index(text[from:], []byte(word)); i >= 0 {
				return from + i
			}
			return len(text)
		}))
	}
}
