package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/internal/cli/internal/words"
)

func TestSplitWords(t *testing.T) {
	for line, want := range map[string][]string{
		"":                        nil,
		"  \t\r":                  nil,
		"# all of it":             nil,
		"a b # the rest":          {"a", "b"},
		"a#b c":                   {"a#b", "c"},
		`'a b' "c d" e\ f`:        {"a b", "c d", "e f"},
		`'\' "\"" "\\" \'`:        {`\`, `"`, `\`, `'`},
		`pre'mid'"post"`:          {"premidpost"},
		`'' ""`:                   {"", ""},
		"'#no comment' x":         {"#no comment", "x"},
		"grep 'ä|ö' \"'\" -o out": {"grep", "ä|ö", "'", "-o", "out"},
	} {
		got, err := splitWords(line)
		require.NoError(t, err, line)
		require.Equal(t, want, got, line)
	}
	for _, line := range []string{"'a", `"a`, `a\`, `"a\`, `'a"`} {
		_, err := splitWords(line)
		require.Error(t, err, line)
	}
}

func TestReadBatch(t *testing.T) {
	list, err := readBatch("f", strings.NewReader(`
at 1m30s grep -F -i 'a b' x y --output out/1 --pool p --priority LOW --compress zstd --overwrite # and so on
sort -r z -o out/2 --queue q --reduces 3`))
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.Equal(t, 2, list[0].line)
	require.Equal(t, 90*time.Second, list[0].at)
	require.Equal(t, []string{"x", "y"}, list[0].inputs)
	require.Len(t, list[0].stages, 1)
	one := jobFlags{output: "out/1", overwrite: true, compress: "zstd", pool: "p", priority: "LOW"}
	require.Equal(t, one, list[0].jobFlags)
	two := jobFlags{output: "out/2", compress: "none", reduces: 3, queue: "q", priority: "normal"}
	require.Equal(t, two, list[1].jobFlags)
	require.Zero(t, list[1].at)
}

// Whatever the text of a batch file: no panic, and an error is one line with its place.
func FuzzReadBatch(f *testing.F) {
	f.Add("wordcount 'a b' -o out\nat 2s sort x -o y # later\n")
	f.Add("at 1e308s \\")
	f.Add("grep \"\\\" -o")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := readBatch("jobs.txt", strings.NewReader(text))
		if err != nil {
			require.Contains(t, err.Error(), "jobs.txt:")
			require.NotContains(t, words.OneLine(err), "\n")
			return
		}
		require.NotEmpty(t, list)
	})
}

// A batch file that is not one is refused in a short line with its place.
func TestHostileBatchFiles(t *testing.T) {
	for want, text := range map[string]string{
		"jobs.txt:2: a line of more than 65536 bytes": "\n" + strings.Repeat("x", 100_000),
		"jobs.txt:1: at 1e300h":                       "at 1e300h wordcount a -o b",
	} {
		_, err := readBatch("jobs.txt", strings.NewReader(text))
		require.ErrorContains(t, err, want)
		require.Less(t, len(err.Error()), 300)
	}
	list, err := readBatch("jobs.txt", strings.NewReader("\ufeffwordcount a -o b"))
	require.NoError(t, err)
	require.Len(t, list, 1)
}
