package mrtest_test

import (
	"iter"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	mr "github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/mrtest"
)

// The example of docs/jobs.md, word for word.

// Longest finds the longest line that begins with each letter.
func Longest() mr.Job[[]byte, string, []byte, mr.Pair[string, []byte]] {
	return mr.Job[[]byte, string, []byte, mr.Pair[string, []byte]]{
		Map: func(line []byte, emit func(string, []byte)) error {
			if len(line) > 0 {
				emit(string(line[:1]), line)
			}
			return nil
		},
		Reduce: func(letter string, lines iter.Seq[[]byte], emit func(mr.Pair[string, []byte])) error {
			var longest []byte
			for line := range lines {
				if len(line) > len(longest) {
					longest = append(longest[:0], line...)
				}
			}
			emit(mr.MakePair(letter, longest))
			return nil
		},
	}
}

func TestLongest(t *testing.T) {
	text := mr.Bytes("rhyme", []byte("tarry a while\nsaid slow\nlet us tarry\nthe pot\n"))
	longest := mrtest.Check(t, Longest(), mr.Lines(text))
	require.Contains(t, longest, mr.MakePair("t", []byte("tarry a while")))
}

// What docs/jobs.md shows is what is compiled and tested here.
func TestDocument(t *testing.T) {
	source, err := os.ReadFile("example_test.go")
	require.NoError(t, err)
	page, err := os.ReadFile("../../docs/jobs.md")
	require.NoError(t, err)
	_, code, ok := strings.Cut(string(source), "word for word.\n\n")
	require.True(t, ok)
	code, _, ok = strings.Cut(code, "\n// What docs/")
	require.True(t, ok)
	require.Contains(t, string(page), "```go\n"+code+"```\n")
}
