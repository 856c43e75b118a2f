package jobs

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/mrtest"
)

// searcher returns a job that searches these sources.
type searcher func(pattern string, o GrepOptions, src ...mapreduce.Source) (mrtest.Job[[]byte, []byte], error)

func inLines(pattern string, o GrepOptions, _ ...mapreduce.Source) (mrtest.Job[[]byte, []byte], error) {
	return Grep(pattern, o)
}

func forCount(pattern string, o GrepOptions, src ...mapreduce.Source) (mrtest.Job[[]byte, []byte], error) {
	return GrepCount(pattern, o, src...)
}

func forFiles(pattern string, o GrepOptions, src ...mapreduce.Source) (mrtest.Job[[]byte, []byte], error) {
	return GrepFiles(pattern, o, src...)
}

func inContext(c Context) searcher {
	return func(pattern string, o GrepOptions, src ...mapreduce.Source) (mrtest.Job[[]byte, []byte], error) {
		return GrepContext(pattern, o, c, src...)
	}
}

// grepModes are the forms of output: GNU grep's flags, the same options, and the job.
var grepModes = []struct {
	flags string
	o     GrepOptions
	job   searcher
}{
	{"-h", GrepOptions{}, inLines},
	{"-H", GrepOptions{FileNames: true}, inLines},
	{"-h -o", GrepOptions{OnlyMatching: true}, inLines},
	{"-h -n", GrepOptions{}, inContext(Context{Numbers: true})},
	{"-H -n", GrepOptions{FileNames: true}, inContext(Context{Numbers: true})},
	{"-H -n -o", GrepOptions{FileNames: true, OnlyMatching: true}, inContext(Context{Numbers: true})},
	{"-h --color=always", GrepOptions{Color: true}, inLines},
	{"-H -n --color=always", GrepOptions{FileNames: true, Color: true}, inContext(Context{Numbers: true})},
	{"-H -n -o --color=always", GrepOptions{FileNames: true, OnlyMatching: true, Color: true}, inContext(Context{Numbers: true})},
	{"-l", GrepOptions{}, forFiles},
	{"-l --color=always", GrepOptions{Color: true}, forFiles},
	{"-h -c", GrepOptions{}, forCount},
	{"-H -c", GrepOptions{FileNames: true}, forCount},
	{"-H -c --color=always", GrepOptions{FileNames: true, Color: true}, forCount},
	{"-h -A2 -B1", GrepOptions{}, inContext(Context{Before: 1, After: 2, Separated: true})},
	{"-H -n -C1", GrepOptions{FileNames: true}, inContext(Context{Before: 1, After: 1, Numbers: true, Separated: true})},
	{"-H -B3", GrepOptions{FileNames: true}, inContext(Context{Before: 3, Separated: true})},
	{"-h -n -A0", GrepOptions{}, inContext(Context{Numbers: true, Separated: true})},
	{"-H -n -C2 --color=always", GrepOptions{FileNames: true, Color: true}, inContext(Context{Before: 2, After: 2, Numbers: true, Separated: true})},
}

// bindSearch binds a search of files with these texts.
func bindSearch(t require.TestingT, job searcher, pattern string, o GrepOptions, files ...string) binding {
	src := sources(files...)
	j, err := job(pattern, o, src...)
	require.NoError(t, err)
	return raw(j, mapreduce.Chunks(src...))
}

// withFlags adds options to o and GNU grep's flags, but -v only where GNU grep prints something.
func withFlags(o GrepOptions, flags string, word, fold, invert bool) (GrepOptions, []string) {
	args := append(strings.Fields(flags), "-E", "-a")
	if o.Word = word; word {
		args = append(args, "-w")
	}
	if o.IgnoreCase = fold; fold {
		args = append(args, "-i")
	}
	if o.Invert = invert && !o.OnlyMatching; o.Invert {
		args = append(args, "-v")
	}
	return o, args
}

func TestGrepEqualsTool(t *testing.T) {
	patterns := []string{"abc", "a+b|c", "a", `[ab]c?`}
	for i, m := range grepModes {
		pattern := patterns[i%len(patterns)]
		o, args := withFlags(m.o, m.flags, i%2 == 0, i%3 == 0, i%5 == 0)
		args = append(args, "-e", pattern)
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			everywhere(t, true, func(t *testing.T, files []string) string { return tool(t, files, "grep", args...) },
				func(src []mapreduce.Source) binding {
					return raw(must(m.job(pattern, o, src...)), mapreduce.Chunks(src...))
				})
		})
	}
}

// Each form of grep writes what GNU grep does, for random texts and options. Patterns match no
// empty text, and their leftmost match is the longest: there Go and GNU grep agree.
func TestGrepEqualsToolOnRandomText(t *testing.T) {
	content := rapid.StringOfN(rapid.RuneFrom([]rune("aab_ -\n.B1")), 0, 60, -1)
	pattern := rapid.SampledFrom([]string{"a", "ab", "a+", "[ab]+", "b.", "-?a", "a_?", "1|B", "ab*-", " +a", "^a", "b$", "a+ ?a*"})
	all := settings()
	rapid.Check(t, func(rt *rapid.T) {
		m := rapid.SampledFrom(grepModes).Draw(rt, "mode")
		p := pattern.Draw(rt, "pattern")
		o, args := withFlags(m.o, m.flags, rapid.Bool().Draw(rt, "-w"), rapid.Bool().Draw(rt, "-i"), rapid.Bool().Draw(rt, "-v"))
		if o.Word && p == "a+ ?a*" {
			args[slices.Index(args, "-E")] = "-P" // GNU grep 3.8 finds one a of "a-a b" with -o -w -E, and two with -P
		}
		files := rapid.SliceOfN(content, 1, 3).Draw(rt, "files")
		s := rapid.SampledFrom(all).Draw(rt, "setting")
		want := tool(t, files, "grep", append(args, "-e", p)...)
		require.Equal(rt, want, run(t, s, bindSearch(rt, m.job, p, o, files...)), "grep %q %s, %+v", args, p, s)
	})
}

// With Word, Grep selects a line if any match is a word, even if the pattern prefers a shorter one.
// With OnlyMatching, a match that is not a word is shortened until it is one.
func TestGrepWordsFindTheMatchThatIsAWord(t *testing.T) {
	for _, c := range []struct{ content, pattern, want string }{
		{"-ab,ab_ab.abé,\xffab", "a|ab", "ab ab ab"},
		{"-ab,ab_ab.abé,\xffab", "ab|a", "ab ab ab"},
		{"-ab,ab_ab.abé,\xffab", "b", ""},
		{"-ab,ab_ab.abé,\xffab", "x?", ""},
		{"-ab,ab_ab.abé,\xffab", "[ab]*?", "ab ab ab"},
		{"a-a b\n", "a+ ?a*", "a a"},
	} {
		bind := bindSearch(t, inLines, c.pattern, GrepOptions{Word: true, OnlyMatching: true}, c.content)
		require.Equal(t, strings.Fields(c.want), strings.Fields(run(t, settings()[0], bind)), c.pattern)
	}
}

func TestGrepMatchesThenByFrequency(t *testing.T) {
	files := []string{"b a\nab", corpus(5000), ""}
	want := shell(t, "grep -E -a -o -e '[a-c]+' | sort | uniq -c | sort -k1,1nr -k2"+countsBehind, strings.Join(files, "\n"))
	for _, s := range settings() {
		between := run(t, s, text(must(GrepMatches("[a-c]+", GrepOptions{})), mapreduce.Chunks(sources(files...)...)))
		got := run(t, s, text(ByFrequency(), mapreduce.KeyValueLines('\t', sources(between)...)))
		require.Equal(t, want, got, "%+v", s)
	}
	least := "-9223372036854775808" // its negation overflows
	in := mapreduce.KeyValueLines('\t', sources(least+"\ta\n1\tb\n")...)
	require.Equal(t, "b\t1\na\t"+least+"\n", run(t, settings()[0], text(ByFrequency(), in)))
}

// Two sources of one name are an error for jobs that could not tell their lines apart.
func TestGrepRefuses(t *testing.T) {
	a := mapreduce.Bytes("a", nil)
	for i, job := range []searcher{inContext(Context{}), forFiles, forCount} {
		_, err := job("a", GrepOptions{}, a, a)
		require.ErrorIs(t, err, ErrSameName, i)
		require.ErrorContains(t, err, `"a"`)
	}
	for i, job := range []searcher{inLines, inContext(Context{}), forFiles, forCount} {
		_, err := job("a(", GrepOptions{})
		require.ErrorIs(t, err, ErrPattern, i)
		_, err = job("a(", GrepOptions{Fixed: true})
		require.NoError(t, err, i)
		_, err = job("a", GrepOptions{Invert: true, OnlyMatching: true})
		require.ErrorIs(t, err, ErrPattern, i)
	}
	for _, c := range []Context{{Separated: true}, {After: 1}, {Before: 1}} {
		_, err := GrepContext("a", GrepOptions{OnlyMatching: true}, c)
		require.ErrorIs(t, err, ErrPattern)
	}
	for pattern, o := range map[string]GrepOptions{"*": {}, "fine": {Invert: true}} {
		_, err := GrepMatches(pattern, o)
		require.ErrorIs(t, err, ErrPattern)
	}
}

// Each form of grep adds the number of selected lines to the counter LinesSelected.
func TestGrepCountsLines(t *testing.T) {
	files := []string{strings.Repeat("a b a\nc\n", 50), "a"}
	count := func(want int, bind binding) {
		t.Helper()
		plan, err := bind(mapreduce.Writer("memory", new(strings.Builder)))
		require.NoError(t, err)
		c, err := mapreduce.RunLocal(t.Context(), plan, mapreduce.LocalOptions{})
		require.NoError(t, err)
		require.EqualValues(t, want, c.Named(GrepCounters, LinesSelected))
	}
	for _, job := range []searcher{inLines, inContext(Context{Numbers: true}), forFiles, forCount, inContext(Context{Before: 1, After: 1})} {
		count(51, bindSearch(t, job, "a", GrepOptions{}, files...))
		count(50, bindSearch(t, job, "a", GrepOptions{Invert: true}, files...))
	}
	count(51, text(must(GrepMatches("a", GrepOptions{})), mapreduce.Chunks(sources(files...)...)))
}

func ExampleGrepContext() {
	poem := mapreduce.Bytes("poem", []byte("so much depends\nupon\n\na red wheel\nbarrow\n"))
	job, err := GrepContext("a", GrepOptions{Word: true}, Context{After: 1, Numbers: true}, poem)
	if err != nil {
		panic(err)
	}
	example(job.Bind(mapreduce.Chunks(poem), mapreduce.Raw[[]byte](mapreduce.Writer("-", os.Stdout))))
	// Output:
	// 4:a red wheel
	// 5-barrow
}

// List the files that contain a match.
func ExampleGrepFiles() {
	files := []mapreduce.Source{
		mapreduce.Bytes("fruit", []byte("apple\npear\n")), mapreduce.Bytes("trees", []byte("oak\nlime\n")),
		mapreduce.Bytes("both", []byte("pear\nlime\n")),
	}
	job, err := GrepFiles("pear|plum", GrepOptions{}, files...)
	if err != nil {
		panic(err)
	}
	example(job.Bind(mapreduce.Chunks(files...), mapreduce.Raw[[]byte](mapreduce.Writer("-", os.Stdout))))
	// Output:
	// fruit
	// both
}

func BenchmarkGrep(b *testing.B) {
	content := corpus(32 << 20)
	for _, m := range grepModes[:4] {
		for _, pattern := range []string{"qzx", "a"} {
			b.Run(m.flags+" "+pattern, func(b *testing.B) { benchmark(b, bindSearch(b, m.job, pattern, m.o, content)) })
		}
	}
}
