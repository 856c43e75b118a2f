package search

import (
	"bytes"
	"os"
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// plain is the oracle: every line is asked for by itself.
func plain(p *Pattern, chunk []byte) (matching [][]byte, others []byte) {
	for line := range bytes.Lines(chunk) {
		if p.MatchLine(bytes.TrimSuffix(line, []byte("\n"))) {
			matching = append(matching, line)
		} else {
			others = append(others, line...)
		}
	}
	return matching, others
}

// check compares Lines, OtherLines and Count with the oracle.
func check(t require.TestingT, p *Pattern, chunk []byte) {
	want, wantOthers := plain(p, chunk)
	var got [][]byte
	p.Lines(chunk, func(line []byte) { got = append(got, line) })
	require.Equal(t, want, got, "%s on %q", p.re, chunk)
	var others []byte
	runs := 0
	p.OtherLines(chunk, func(lines []byte) {
		require.NotEmpty(t, lines)
		others = append(others, lines...)
		runs++
	})
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
		{`foo|barbaz`, []literal{{"foo", false}, {"barbaz", false}}, true},
		{`foo|.*`, nil, false},
		{`^abc$`, []literal{{"abc", false}}, false},
		{`(abc)+d`, []literal{{"abc", false}}, false},
		{`(abc){2,3}`, []literal{{"abc", false}}, false},
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
		got := required(tree)
		if c.expr == `(?:ab|(?:cd|ef)gh)ij?` { // either set is right; the parser decides
			require.NotEmpty(t, got.any)
			continue
		}
		require.Equal(t, c.want, got.any, c.expr)
		require.Equal(t, c.exact, got.exact, c.expr)
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
			expr += rapid.SampledFrom([]string{"|", "*", "?", "(a|b)", "[ab]", "+", "^", "$", `\b`, "c", "bk", "\n", "{2}"}).Draw(t, "op")
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
	require.EqualError(t, err, "pattern \"a(b\": error parsing regexp: missing closing ): `a(b`")
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
	p.Matches([]byte("bba.xa.bb"), func(m []byte) { got = append(got, string(m)) })
	require.Equal(t, []string{"bba", "a", "bb"}, got)
}

func TestNeedleIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.SampledFrom([]rune("abAB-"))
		text := []byte(rapid.StringOfN(letters, 1, 4, -1).Draw(t, "needle"))
		s := []byte(rapid.StringOfN(letters, 0, 40, -1).Draw(t, "s"))
		n := newNeedle(literal{text: string(text)})
		require.Equal(t, bytes.Index(s, text), n.index(s))
		n = newNeedle(literal{text: string(bytes.ToLower(text)), fold: true})
		require.Equal(t, bytes.Index(bytes.ToLower(s), bytes.ToLower(text)), n.index(s))
	})
}

// sample is real text if there is some beside the repository, made-up text else.
func sample(b *testing.B) []byte {
	text, err := os.ReadFile("../../../../shared/corpora/kjv.txt")
	if err != nil {
		text = bytes.Repeat([]byte("And the earth was without form, and void; and darkness was upon the face of the deep computing.\n"), 40_000)
	}
	return text
}

func BenchmarkNeedle(b *testing.B) {
	text := sample(b)
	for _, word := range []string{"Shakespeare", "omput", "the", "Jerusalem"} {
		b.Run(word+"/rarest", func(b *testing.B) {
			p, _ := Compile(word, Options{Fixed: true})
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				p.Count(text)
			}
		})
		b.Run(word+"/bytes.Index", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				for rest := text; ; {
					i := bytes.Index(rest, []byte(word))
					if i < 0 {
						break
					}
					j := bytes.IndexByte(rest[i:], '\n')
					rest = rest[i+j+1:]
				}
			}
		})
	}
}

func BenchmarkLines(b *testing.B) {
	text := sample(b)
	for _, expr := range []string{`[Cc]omput(er|ing)s?\b`, `(?i)jerusalem`, `Moses|Aaron`, `begat [A-Z]`, `[0-9]+:1[0-9]`} {
		p, _ := Compile(expr, Options{})
		b.Run(expr+"/chunk", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				p.Count(text)
			}
		})
		b.Run(expr+"/plain", func(b *testing.B) {
			re := regexp.MustCompile(expr)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				for line := range bytes.Lines(text) {
					re.Match(line)
				}
			}
		})
	}
}
