package jobs

import (
	"fmt"
	"os"
	"os/exec"
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
	list := strings.FieldsFunc(text, func(r rune) bool { return r < 0x80 && isSpace(byte(r)) })
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
		text := strings.Join(rapid.SliceOfN(word, 0, 20).Draw(rt, "text"), " ")
		o := WordCountOptions{Fold: rapid.Bool().Draw(rt, "fold"), Words: rapid.Bool().Draw(rt, "words")}
		type entry struct {
			word string
			n    int
		}
		var want []entry
		for _, w := range wordsOf(text, o) {
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
		got := run(t, s, func(to mapreduce.Destination) (*mapreduce.Plan, error) {
			return WordCountBy(o).Bind(mapreduce.Chunks(sources([]string{text})...), mapreduce.Text[Count](to))
		})
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

// On ASCII text, WordCountBy writes what tr, sort and uniq -c count.
func TestWordCountByEqualsTools(t *testing.T) {
	text := strings.Repeat(corpus(1000)+" It's a so-called TEST, of 2 or 3 things: it's.\n", 2)
	cmd := exec.Command("sh", "-c", `tr 'A-Z' 'a-z' | tr -cs 'a-z0-9' '\n' | grep . | sort | uniq -c`)
	cmd.Env, cmd.Stdin = append(os.Environ(), "LC_ALL=C"), strings.NewReader(text)
	out, err := cmd.Output()
	require.NoError(t, err)
	var want []string
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		want = append(want, f[1]+"\t"+f[0]+"\n")
	}
	for _, s := range settings() {
		got := run(t, s, func(to mapreduce.Destination) (*mapreduce.Plan, error) {
			return WordCountBy(WordCountOptions{Fold: true, Words: true}).Bind(
				mapreduce.Chunks(sources([]string{text})...), mapreduce.Text[Count](to))
		})
		require.Equal(t, sortedLines(strings.Join(want, "")), sortedLines(got), "%+v", s)
	}
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

// pieces cuts a text only between words, and loses no byte.
func TestPiecesCutNoWord(t *testing.T) {
	long := strings.Repeat("x", 3*pieceBytes)
	text := long + " " + strings.Repeat("ab ", pieceBytes) + long + "\xff" + long
	for _, o := range []WordCountOptions{{Fold: true}, {Words: true}} {
		var got []byte
		n := 0
		newSpeller(o).pieces([]byte(text), func(piece []byte) { got, n = append(got, piece...), n+1 })
		if o.Words {
			require.Equal(t, strings.ReplaceAll(text, "\xff", " "), string(got))
		} else {
			require.Equal(t, text, string(got))
		}
		require.Greater(t, n, 3)
	}
}

func ExampleWordCountBy() {
	text := mapreduce.Bytes("text", []byte("The end. The END, the End!\n"))
	plan, err := WordCountBy(WordCountOptions{Fold: true, Words: true}).Bind(mapreduce.Chunks(text),
		mapreduce.Text[Count](mapreduce.Writer("-", os.Stdout)))
	if err != nil {
		panic(err)
	}
	if _, err := mapreduce.RunLocal(ctx, plan, mapreduce.LocalOptions{}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// end	3
	// the	3
}

func BenchmarkWordCount(b *testing.B) {
	src := mapreduce.Bytes("text", []byte(corpus(16<<20)))
	for name, o := range map[string]WordCountOptions{"plain": {}, "fold": {Fold: true}, "words": {Fold: true, Words: true}} {
		b.Run(name, func(b *testing.B) {
			benchmark(b, func(to mapreduce.Destination) (*mapreduce.Plan, error) {
				return WordCountBy(o).Bind(mapreduce.Chunks(src), mapreduce.Text[Count](to))
			})
		})
	}
}
