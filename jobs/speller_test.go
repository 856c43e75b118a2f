package jobs

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce"
)

// wordsOf returns the words of a text by plain functions of the standard library.
func wordsOf(text string, o WordCountOptions) []string {
	list := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n\v\f\r", r) })
	if o.Words {
		list = regexp.MustCompile(`[\p{L}\p{M}\p{Nd}]+`).FindAllString(text, -1)
	}
	return list
}

// WordCountBy writes what a plain loop counts that compares words by strings.EqualFold.
func TestWordCountByEqualsLoop(t *testing.T) {
	word := rapid.StringOfN(rapid.RuneFrom([]rune("aAbBsSſkKKßẞσΣςéÉıİiIꭰᎠǅǆ'-,.5٣_´ \n\t")), 0, 8, -1)
	all := settings()
	rapid.Check(t, func(rt *rapid.T) {
		pads := rapid.SampledFrom([]int{0, pieceBytes/4 - 1, pieceBytes / 4}).Draw(rt, "pads")
		content := strings.Repeat("pad ", pads) + strings.Join(rapid.SliceOfN(word, 0, 20).Draw(rt, "text"), " ")
		o := WordCountOptions{Fold: rapid.Bool().Draw(rt, "fold"), Words: rapid.Bool().Draw(rt, "words")}
		type entry struct {
			word string
			n    int
		}
		var want []entry
		for _, w := range wordsOf(content, o) {
			found := false
			for i := range want {
				if found = want[i].word == w || o.Fold && strings.EqualFold(want[i].word, w); found {
					want[i].n++
					break
				}
			}
			if !found {
				want = append(want, entry{w, 1})
			}
		}
		s := rapid.SampledFrom(all).Draw(rt, "setting")
		got := run(t, s, text(WordCountBy(o), mapreduce.Chunks(sources(content)...)))
		require.Len(rt, sortedLines(got), len(want), "%q", got)
		for _, e := range want {
			found := false
			for line := range strings.Lines(got) {
				w, n, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
				if w == e.word || o.Fold && strings.EqualFold(w, e.word) {
					require.Equal(rt, fmt.Sprint(e.n), n, "%q", w)
					found = true
				}
			}
			require.True(rt, found, "%q in %q", e.word, got)
		}
	})
}

// folded returns the same character for two if and only if strings.EqualFold holds for them.
func TestFoldedIsEqualFold(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		f := folded(r)
		if f != folded(unicode.SimpleFold(r)) || f != folded(f) || f != r && !strings.EqualFold(string(f), string(r)) {
			t.Fatalf("%U becomes %U", r, f)
		}
	}
	require.Equal(t, 's', folded('ſ'))
	require.Equal(t, 'σ', folded('ς'))
}

func ExampleWordCountBy() {
	poem := mapreduce.Bytes("poem", []byte("The end. The END, the End!\n"))
	job := WordCountBy(WordCountOptions{Fold: true, Words: true})
	example(job.Bind(mapreduce.Chunks(poem), mapreduce.Text[Count](mapreduce.Writer("-", os.Stdout))))
	// Output:
	// end	3
	// the	3
}

func BenchmarkWordCount(b *testing.B) {
	in := mapreduce.Chunks(sources(corpus(16 << 20))...)
	for name, o := range map[string]WordCountOptions{"plain": {}, "fold": {Fold: true}, "words": {Fold: true, Words: true}} {
		b.Run(name, func(b *testing.B) { benchmark(b, text(WordCountBy(o), in)) })
	}
}
