package dfa

import (
	"bytes"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// compiled returns the program of an expression and, as its oracle, the same for package regexp.
func compiled(t require.TestingT, expr string) (*Program, *regexp.Regexp) {
	tree, err := syntax.Parse(expr, syntax.Perl)
	require.NoError(t, err, expr)
	p, err := Compile(tree, true)
	require.NoError(t, err, expr)
	return p, regexp.MustCompile(expr)
}

// matching returns the numbers of the lines, from 0, in which package regexp finds a match.
func matching(re *regexp.Regexp, text []byte) []int {
	found := []int{}
	n := 0
	for line := range bytes.Lines(text) {
		if re.Match(bytes.TrimSuffix(line, []byte("\n"))) {
			found = append(found, n)
		}
		n++
	}
	return found
}

// searched returns the numbers of the lines, from 0, in which a Searcher finds a match. Where the
// Searcher gives up, package regexp decides.
func searched(t require.TestingT, s *Searcher, re *regexp.Regexp, text []byte) []int {
	found := []int{}
	for from := 0; from < len(text); {
		start, at, o := s.Next(text, from)
		if o == None {
			break
		}
		require.GreaterOrEqual(t, start, from)
		require.Equal(t, bytes.LastIndexByte(text[:at], '\n')+1, start)
		end := len(text)
		if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i
		}
		if o == Found || re.Match(text[start:end]) {
			found = append(found, bytes.Count(text[:start], []byte("\n")))
		}
		from = end + 1
	}
	return found
}

// New and used Searchers, with and without skips, must find the lines that package regexp finds.
func check(t require.TestingT, expr string, text []byte) {
	p, re := compiled(t, expr)
	want := matching(re, text)
	s := p.NewSearcher()
	for _, round := range []string{"new", "used"} {
		require.Equal(t, want, searched(t, s, re, text), "%s searcher: %q in %q", round, expr, text)
	}
	s = p.NewSearcher()
	s.checkAfter, s.spanSize = 1, 1
	require.Equal(t, want, searched(t, s, re, text), "now with skips, now without: %q in %q", expr, text)
	p.prefix = nil
	require.Equal(t, want, searched(t, p.NewSearcher(), re, text), "without skips: %q in %q", expr, text)
}

// exprs are expressions, each for a special case of the syntax.
var exprs = []string{
	``, `a`, `abc`, `a|b`, `^`, `$`, `^$`, `^a`, `a$`, `^a$`, `a*`, `a+`, `a?b`, `(a|b)*c`, `[^a]`, `.`, `..`, `.*b`, `(?s).`,
	`\n`, `a\nb`, `[\s\S]`, `[^\n]x`, `\r$`, `\x00`, `\bab`, `ab\b`, `\Bb`, `b\B`, `\b`, `\B`, `^\b`, `\b$`, `^\B$`, `\b\b^a`,
	`(?:^|b)a`, `(?:a|$)`, `a$b`, `b^a`, `\Aab\z`, `(?m)^ab$`, `(?i)k`, `(?i)straße`, `(?i)σ`, `é`, `[à-ö]`, `[^é]b`, `\x{FFFD}`,
	`[^\x{FFFD}]`, `\pL+`, `\p{Greek}`, `\PL\PL`, `\w+ \w+`, `\d{2,3}`, `[0-9]{3}-[0-9]{4}`, `(foo|bar|baz)[0-9]+`,
	`[A-Z][a-z]+ [A-Z][a-z]+`, `.{5}`, `.{3,}b`, `(?:a.){3}c`, `x{0}`, `x{0}a`, `[^\x00-\x{10FFFF}]`, `\x{10FFFF}|\x{10000}`,
	`[\x{800}-\x{FFFF}]`, `\x{D7FF}|\x{E000}`, `(\w+) \w+ing`, `a\B.`, `\b\pL`, `a|bcd|efgh|ijklm|no|pq|rst|uvw|xyz|aa`,
	`(?i)hello|world`, `..\x{FFFD}`, `[a-z].[0-9]`, `\x{7FF}\x{800}`, `\x{FFFD}b`,
}

// texts are inputs, each for a special case such as invalid UTF-8 or a missing line feed.
var texts = []string{
	"", "\n", "\n\n", "a", "a\n", "\na", "abc\nab\n\nb a\nba", "a\r\nb\r\n", "\x00\na\x00b", "é\nÉ ß straße STRASSE ſ K k\u212a\nσςΣ",
	"\xff\n\xc3\n\xc3\xa9\xc3\n\xe2\x82\n\xe2\x82\xac\n\xf0\x90\x80\nx\xf0\x90\x80\x80\xf0", "\xed\xa0\x80\n\xed\x9f\xbf\n\xee\x80\x80\n\xc0\x80",
	"\xe0\x80\x80\xe0\xa0\x80\xf4\x8f\xbf\xbf\xf4\x90\x80\x80", "\ufffd\n\xef\xbf\nb\xef\xbf\xbd\xbf",
	"John Smith met Mary Jones\ncalled 555-1234\nfoo1 bar baz22\nhello World\nsing a song, singing",
	"日本語 テキスト\nab 日 b\nпривет мир 12 34\n", strings.Repeat("ab", 300) + "\n" + strings.Repeat("x y ", 100) + "42c",
	strings.Repeat("no such thing here, line after line\n", 20) + "555-1234\nfoo12", "\U00010000\U0010ffff\n߿ࠀ\n", "ab\xffab \xe9b", "éb 日b\n\xa9b",
}

func TestNextEqualsOracle(t *testing.T) {
	for _, expr := range exprs {
		for _, text := range texts {
			check(t, expr, []byte(text))
		}
		check(t, expr, []byte(strings.Join(texts, "\n")))
	}
}

// grammar draws an expression.
func grammar(t *rapid.T, depth int) string {
	if depth == 0 {
		return rapid.SampledFrom([]string{
			"a", "b", "c", "ab", "é", "日", ".", "[ab]", "[^a]", "[a-z]", "[0-9]", `\d`, `\w`, `\W`, `\s`, `\pL`, "^", "$", `\b`, `\B`,
			`\A`, `\z`, `\x{FFFD}`, "[à-ÿ]", `[^\x{FFFD}]`, " ", "k", "_", `\x00`, `\r`, `[\x{80}-\x{10FFFF}]`, "𝄞", "1", `[^é日]`,
		}).Draw(t, "atom")
	}
	x := func() string { return grammar(t, depth-1) }
	switch rapid.IntRange(0, 8).Draw(t, "form") {
	case 0:
		return "(?:" + x() + "|" + x() + ")"
	case 1:
		return "(?:" + x() + ")" + rapid.SampledFrom([]string{"*", "+", "?", "{2}", "{1,3}", "{2,}", "*?", "+?"}).Draw(t, "times")
	case 2:
		return rapid.SampledFrom([]string{"(?i:", "(?s:", "(?m:", "("}).Draw(t, "flags") + x() + ")"
	case 3, 4, 5, 6:
		return x() + x()
	default:
		return x()
	}
}

// texture draws a text from the grammar's characters, other characters, and invalid UTF-8.
func texture(t *rapid.T) []byte {
	piece := rapid.SampledFrom([]string{
		"a", "b", "c", "ab", "abc", "k", "K", "\u212a", "é", "É", "日", "本", "𝄞", "\ufffd", " ", "_", "0", "12", "\n", "\n", "\r", "\x00",
		"\xc3", "\xa9", "\xe6", "\xe6\x97", "\xf0\x9d", "\xff", "\xbf", "\xed\xa0\x80", ".", "xyz",
	})
	var text strings.Builder
	for range rapid.IntRange(0, 60).Draw(t, "pieces") {
		text.WriteString(piece.Draw(t, "piece"))
		if rapid.IntRange(0, 19).Draw(t, "long") == 0 {
			text.WriteString(strings.Repeat("-", rapid.IntRange(0, 70).Draw(t, "dashes")))
		}
	}
	return []byte(text.String())
}

// random checks an expression of the grammar in a random text.
func random(t *rapid.T) {
	expr := grammar(t, rapid.IntRange(0, 6).Draw(t, "depth"))
	if _, err := syntax.Parse(expr, syntax.Perl); err != nil {
		t.Skip("no expression") // such as ^**
	}
	check(t, expr, texture(t))
}

func TestRandomEqualsOracle(t *testing.T) { rapid.Check(t, random) }

func FuzzGrammar(f *testing.F) { f.Fuzz(rapid.MakeFuzz(random)) }

// For any expression and text, a Searcher finds the lines that package regexp finds. FuzzGrammar
// does the same for random expressions of a grammar.
func FuzzDFA(f *testing.F) {
	for _, expr := range exprs {
		for _, text := range texts {
			f.Add(expr, []byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, expr string, text []byte) {
		if len(expr) > 200 || len(text) > 4000 {
			t.Skip("too long")
		}
		tree, err := syntax.Parse(expr, syntax.Perl)
		if err != nil {
			t.Skip("no expression")
		}
		if _, err := Compile(tree, true); err != nil {
			t.Skip("too large")
		}
		check(t, expr, text)
	})
}

// After a Searcher has cleared its full table of states, which is bounded, it still finds the same
// matches.
func TestTableIsBegunAnew(t *testing.T) {
	p, re := compiled(t, `[ab].{14}X`)
	rng := uint32(1)
	text := make([]byte, 1<<17)
	for i := range text {
		rng = rng*1664525 + 1013904223
		text[i] = "abcdabcdabcdabcdabcdabcdabcdX\n"[rng>>16%30]
	}
	s := p.NewSearcher()
	s.work = -1 << 40 // never give up
	require.Equal(t, matching(re, text), searched(t, s, re, text))
	require.Greater(t, s.clears, 2)
	const row = 2 << 10 // one more than fits
	require.LessOrEqual(t, s.heldBytes, maxHeld+row)
}

func TestGivesUp(t *testing.T) {
	p, re := compiled(t, `[ab].{40}X`)
	var text []byte
	rng := uint32(1)
	for range 1 << 18 {
		rng = rng*1664525 + 1013904223
		text = append(text, 'a'+byte(rng>>30))
	}
	text = append(append(text, '\n'), "and b1234567890123456789012345678901234567890X\n"...)
	text = append(bytes.Repeat([]byte("nothing\n"), 1000), text...)
	s := p.NewSearcher()
	start, _, o := s.Next(text, 0)
	require.Equal(t, GaveUp, o)
	require.Equal(t, 8000, start, "the line in which it gave up")
	require.True(t, s.Rest(firstRest))
	require.False(t, s.Rest(1))
	require.Equal(t, matching(re, text), searched(t, s, re, text))
}

func TestAll(t *testing.T) {
	for expr, want := range map[string]bool{``: true, `a*`: true, `^`: true, `$`: false, `a`: false, `\b|`: true, `\B`: false} {
		p, _ := compiled(t, expr)
		require.Equal(t, want, p.All, expr)
	}
}

func TestTooLarge(t *testing.T) {
	tree, err := syntax.Parse(`(?:\pL{900}|a){1}(?:b{100}){9}`+strings.Repeat("(?:x.y){300}", 12), syntax.Perl)
	if err == nil {
		_, err = Compile(tree, true)
	}
	require.ErrorIs(t, err, ErrTooLarge)
}

func BenchmarkNext(b *testing.B) {
	line := "The quick brown fox, x = 42; call(555-1234) // and so on for a while, nothing special\n"
	text := bytes.Repeat([]byte(line), 1<<20/len(line))
	for _, expr := range []string{`zz9`, `[0-9]{3}-[0-9]{5}`, `.{200,}`, `^[xyz]`, `(\w+) \w+ingz`, `[A-Z][a-z]+ [A-Z]`, `\bfor\s+b`} {
		p, _ := compiled(b, expr)
		b.Run(fmt.Sprint(expr), func(b *testing.B) {
			s := p.NewSearcher()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				for from := 0; from < len(text); {
					_, at, o := s.Next(text, from)
					if o == None {
						break
					}
					from = at + 1 + bytes.IndexByte(text[at:], '\n')
				}
			}
		})
	}
}
