package jobs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce"
)

// named returns the texts as sources in memory with the names f000, f001, …
func named(files []string) []mapreduce.Source {
	var list []mapreduce.Source
	for i, f := range files {
		list = append(list, mapreduce.Bytes(fmt.Sprintf("f%03d", i), []byte(f)))
	}
	return list
}

// grepNamed returns what GNU grep writes for files with these texts, named as by named.
func grepNamed(t *testing.T, files, args []string) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command("grep", args...)
	for i, s := range named(files) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, s.Name()), []byte(files[i]), 0o600))
		cmd.Args = append(cmd.Args, s.Name())
	}
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "LC_ALL=C", "TERM=xterm", "GREP_COLORS=")
	out, err := cmd.Output()
	if cmd.ProcessState.ExitCode() != 1 { // no line selected
		require.NoError(t, err, "%q", cmd.Args)
	}
	return string(out)
}

// grepModes are the forms of output: GNU grep's flags, the same options, and how to bind the job.
var grepModes = []struct {
	flags string
	o     GrepOptions
	bind  func(pattern string, o GrepOptions, src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error)
}{
	{"-h", GrepOptions{}, bindGrep},
	{"-H", GrepOptions{FileNames: true}, bindGrep},
	{"-h -o", GrepOptions{OnlyMatching: true}, bindGrep},
	{"-h -n", GrepOptions{}, bindNumbered},
	{"-H -n", GrepOptions{FileNames: true}, bindNumbered},
	{"-H -n -o", GrepOptions{FileNames: true, OnlyMatching: true}, bindNumbered},
	{"-h --color=always", GrepOptions{Color: true}, bindGrep},
	{"-H -n --color=always", GrepOptions{FileNames: true, Color: true}, bindNumbered},
	{"-H -n -o --color=always", GrepOptions{FileNames: true, OnlyMatching: true, Color: true}, bindNumbered},
	{"-l", GrepOptions{}, bindFiles},
	{"-l --color=always", GrepOptions{Color: true}, bindFiles},
	{"-h -c", GrepOptions{}, bindCount},
	{"-H -c", GrepOptions{FileNames: true}, bindCount},
	{"-H -c --color=always", GrepOptions{FileNames: true, Color: true}, bindCount},
	{"-h -A2 -B1", GrepOptions{}, bindContext(Context{Before: 1, After: 2})},
	{"-H -n -C1", GrepOptions{FileNames: true}, bindContext(Context{Before: 1, After: 1, Numbers: true})},
	{"-H -B3", GrepOptions{FileNames: true}, bindContext(Context{Before: 3})},
	{"-h -n -A0", GrepOptions{}, bindContext(Context{Numbers: true})},
	{"-H -n -C2 --color=always", GrepOptions{FileNames: true, Color: true}, bindContext(Context{Before: 2, After: 2, Numbers: true})},
}

func bindGrep(pattern string, o GrepOptions, src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
	job, err := Grep(pattern, o)
	if err != nil {
		return nil, err
	}
	return job.Bind(mapreduce.Chunks(src...), mapreduce.Raw[[]byte](to))
}

func bindNumbered(pattern string, o GrepOptions, src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
	job, err := GrepNumbered(pattern, o, src...)
	if err != nil {
		return nil, err
	}
	return job.Bind(mapreduce.Chunks(src...), mapreduce.Raw[[]byte](to))
}

func bindFiles(pattern string, o GrepOptions, src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
	job, err := GrepFiles(pattern, o, src...)
	if err != nil {
		return nil, err
	}
	return job.Bind(mapreduce.Chunks(src...), mapreduce.Raw[[]byte](to))
}

func bindCount(pattern string, o GrepOptions, src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
	job, err := GrepCount(pattern, o, src...)
	if err != nil {
		return nil, err
	}
	return job.Bind(mapreduce.Chunks(src...), mapreduce.Raw[[]byte](to))
}

func bindContext(c Context) func(string, GrepOptions, []mapreduce.Source, mapreduce.Destination) (*mapreduce.Plan, error) {
	return func(pattern string, o GrepOptions, src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
		job, err := GrepContext(pattern, o, c, src...)
		if err != nil {
			return nil, err
		}
		return job.Bind(mapreduce.Chunks(src...), mapreduce.Raw[[]byte](to))
	}
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

func TestGrepLinesEqualTool(t *testing.T) {
	patterns := []string{"abc", "a+b|c", "a", `[ab]c?`}
	for i, m := range grepModes {
		pattern := patterns[i%len(patterns)]
		o, args := withFlags(m.o, m.flags, i%2 == 0, i%3 == 0, i%5 == 0)
		args = append(args, "-e", pattern)
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			for name, files := range awkward() {
				want := grepNamed(t, files, args)
				for _, s := range settings() {
					got := run(t, s, func(to mapreduce.Destination) (*mapreduce.Plan, error) {
						return m.bind(pattern, o, named(files), to)
					})
					require.Equal(t, want, got, "%s %+v", name, s)
				}
			}
		})
	}
}

// With Word and OnlyMatching, a match that is not a whole word is shortened until it is one.
func TestGrepOnlyWordsShortened(t *testing.T) {
	for _, s := range settings() {
		got := run(t, s, func(to mapreduce.Destination) (*mapreduce.Plan, error) {
			o := GrepOptions{OnlyMatching: true, Word: true}
			return bindGrep("a+ ?a*", o, []mapreduce.Source{mapreduce.Bytes("file", []byte("a-a b\n"))}, to)
		})
		require.Equal(t, "a\na\n", got)
	}
}

// Each form of grep writes what GNU grep does, for random texts and options. Patterns match no
// empty text, and their leftmost match is the longest: there Go and GNU grep agree.
func TestGrepLinesEqualToolOnRandomText(t *testing.T) {
	text := rapid.StringOfN(rapid.RuneFrom([]rune("aab_ -\n.B1")), 0, 60, -1)
	pattern := rapid.SampledFrom([]string{"a", "ab", "a+", "[ab]+", "b.", "-?a", "a_?", "1|B", "ab*-", " +a", "^a", "b$", "a+ ?a*"})
	all := settings()
	rapid.Check(t, func(rt *rapid.T) {
		m := rapid.SampledFrom(grepModes).Draw(rt, "mode")
		p := pattern.Draw(rt, "pattern")
		o, args := withFlags(m.o, m.flags, rapid.Bool().Draw(rt, "-w"), rapid.Bool().Draw(rt, "-i"), rapid.Bool().Draw(rt, "-v"))
		if o.Word && p == "a+ ?a*" {
			args[slices.Index(args, "-E")] = "-P" // GNU grep 3.8 finds one a of "a-a b" with -o -w -E, and two with -P
		}
		files := rapid.SliceOfN(text, 1, 3).Draw(rt, "files")
		s := rapid.SampledFrom(all).Draw(rt, "setting")
		want := grepNamed(t, files, append(args, "-e", p))
		got := run(t, s, func(to mapreduce.Destination) (*mapreduce.Plan, error) {
			return m.bind(p, o, named(files), to)
		})
		require.Equal(rt, want, got, "grep %q %s, %+v", args, p, s)
	})
}

// With Word, Grep selects a line if any match is a word, even if the pattern prefers a shorter one.
func TestGrepWordsFindTheMatchThatIsAWord(t *testing.T) {
	for pattern, want := range map[string]string{
		"a|ab":   "ab ab ab",
		"ab|a":   "ab ab ab",
		"b":      "",
		"x?":     "",
		"[ab]*?": "ab ab ab",
	} {
		got := run(t, settings()[0], func(to mapreduce.Destination) (*mapreduce.Plan, error) {
			return bindGrep(pattern, GrepOptions{Word: true, OnlyMatching: true},
				[]mapreduce.Source{mapreduce.Bytes("f", []byte("-ab,ab_ab.abé,\xffab"))}, to)
		})
		require.Equal(t, strings.Fields(want), strings.Fields(got), pattern)
	}
}

// Two sources of the same name are an error: the job could not tell their lines apart.
func TestGrepNumberedRefusesEqualNames(t *testing.T) {
	twice := sources([]string{"a\n", "a\n"})
	_, err := GrepNumbered("a", GrepOptions{}, twice...)
	require.ErrorIs(t, err, ErrSameName)
	require.ErrorContains(t, err, `"memory"`)
	_, err = GrepFiles("a", GrepOptions{}, twice...)
	require.ErrorIs(t, err, ErrSameName)
	_, err = GrepCount("a", GrepOptions{}, twice...)
	require.ErrorIs(t, err, ErrSameName)
	_, err = GrepContext("a", GrepOptions{}, Context{}, twice...)
	require.ErrorIs(t, err, ErrSameName)
	_, err = GrepContext("a", GrepOptions{OnlyMatching: true}, Context{})
	require.ErrorIs(t, err, ErrPattern)
	_, err = GrepNumbered("a(", GrepOptions{})
	require.ErrorIs(t, err, ErrPattern)
	_, err = GrepFiles("a(", GrepOptions{})
	require.ErrorIs(t, err, ErrPattern)
	_, err = Grep("a", GrepOptions{Invert: true, OnlyMatching: true})
	require.ErrorIs(t, err, ErrPattern)
}

// Each form of grep adds the number of selected lines to the counter LinesSelected.
func TestGrepCountsLines(t *testing.T) {
	text := []string{strings.Repeat("a b a\nc\n", 50), "a"}
	for _, invert := range []bool{false, true} {
		o := GrepOptions{Invert: invert}
		want := int64(len(regexp.MustCompile("(?m)a.*$").FindAllString(strings.Join(text, "\n"), -1)))
		if invert {
			want = 50
		}
		count := func(bind func(to mapreduce.Destination) (*mapreduce.Plan, error)) {
			t.Helper()
			plan, err := bind(mapreduce.Writer("memory", new(strings.Builder)))
			require.NoError(t, err)
			c, err := mapreduce.RunLocal(t.Context(), plan, mapreduce.LocalOptions{})
			require.NoError(t, err)
			require.Equal(t, want, c.Named(GrepCounters, LinesSelected))
		}
		for _, bind := range []func(string, GrepOptions, []mapreduce.Source, mapreduce.Destination) (*mapreduce.Plan, error){
			bindGrep, bindNumbered, bindFiles, bindCount, bindContext(Context{Before: 1, After: 1}),
		} {
			count(func(to mapreduce.Destination) (*mapreduce.Plan, error) { return bind("a", o, named(text), to) })
		}
		if !invert {
			count(func(to mapreduce.Destination) (*mapreduce.Plan, error) {
				job, err := GrepMatches("a", o)
				require.NoError(t, err)
				return job.Bind(mapreduce.Chunks(named(text)...), mapreduce.Text[CountFirst](to))
			})
		}
	}
}

func ExampleGrepNumbered() {
	poem := mapreduce.Bytes("poem", []byte("so much depends\nupon\n\na red wheel\nbarrow\n"))
	job, err := GrepNumbered("a", GrepOptions{Word: true}, poem)
	if err != nil {
		panic(err)
	}
	plan, err := job.Bind(mapreduce.Chunks(poem), mapreduce.Raw[[]byte](mapreduce.Writer("-", os.Stdout)))
	if err != nil {
		panic(err)
	}
	if _, err := mapreduce.RunLocal(ctx, plan, mapreduce.LocalOptions{}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 4:a red wheel
}

func BenchmarkGrep(b *testing.B) {
	src := []mapreduce.Source{mapreduce.Bytes("lines", []byte(corpus(32<<20)))}
	for _, m := range grepModes[:4] {
		for _, pattern := range []string{"qzx", "a"} {
			b.Run(m.flags+" "+pattern, func(b *testing.B) {
				benchmark(b, func(to mapreduce.Destination) (*mapreduce.Plan, error) { return m.bind(pattern, m.o, src, to) })
			})
		}
	}
}
