package gen

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/stretchr/testify/require"
)

// generate returns the whole output for c.
func generate(t testing.TB, c Config) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, Write(t.Context(), &b, c))
	return b.Bytes()
}

func TestSizeIsExactAndLinesAreWhole(t *testing.T) {
	sizes := []int64{
		0, 1, 2, 3, 4, 5, 7, 12, 13, 14, 99, 100, 101, 255, 1000, pieceBytes - 1, pieceBytes,
		pieceBytes + 1, 2*pieceBytes + 37,
	}
	for _, k := range Kinds() {
		for _, n := range sizes {
			c := Config{Kind: k, Bytes: n, Seed: 7, Words: 5000}
			if n > 0 && n < kinds[c.kind()].record {
				require.ErrorIs(t, Write(t.Context(), io.Discard, c), ErrConfig)
				continue
			}
			b := generate(t, c)
			require.EqualValues(t, c.size(), len(b), "%s of %d bytes", k, n)
			if len(b) > 0 {
				require.Equal(t, byte('\n'), b[len(b)-1], "%s of %d bytes", k, n)
			}
		}
	}
}

// The same configuration gives the same bytes with one processor, with five, and in a second run.
func TestSameSeedSameBytes(t *testing.T) {
	for _, k := range Kinds() {
		c := Config{Kind: k, Bytes: 3*pieceBytes + 100, Seed: 1, Words: 2000}
		want := generate(t, c)
		before := runtime.GOMAXPROCS(1)
		one := generate(t, c)
		runtime.GOMAXPROCS(5)
		five := generate(t, c)
		runtime.GOMAXPROCS(before)
		require.True(t, bytes.Equal(want, one), k)
		require.True(t, bytes.Equal(want, five), k)
		c.Seed = 2
		require.Equal(t, k == Rankings, bytes.Equal(want, generate(t, c)), "only rankings are the same for any seed: %s", k)
	}
}

func TestPinnedSums(t *testing.T) {
	got := ""
	for _, k := range Kinds() {
		b := generate(t, Config{Kind: k, Bytes: 2*pieceBytes + 300, Seed: 42, Words: 1000})
		got += fmt.Sprintf("%s %016x\n", k, xxhash.Sum64(b))
	}
	want, err := os.ReadFile("testdata/sums.golden")
	require.NoError(t, err)
	require.Equal(t, string(want), got, "the bytes of a released generator must not change")
}

func TestTextIsZipf(t *testing.T) {
	b := generate(t, Config{Kind: Text, Bytes: 2_000_000, Seed: 3, Words: 1000, Skew: 1})
	count := map[string]int{}
	for w := range strings.FieldsSeq(string(b)) {
		count[w]++
	}
	v := newVocabulary(1000, 3)
	first, tenth := count[string(v.word(0))], count[string(v.word(9))]
	require.InDelta(t, 10, float64(first)/float64(tenth), 0.5, "weights are 1/rank")
	require.InDelta(t, 1000, len(count), 10)
	lines := bytes.Count(b, []byte("\n"))
	require.InDelta(t, 75, float64(len(b))/float64(lines), 3, "mean bytes a line")
	require.Zero(t, bytes.Count(b, []byte("\n\n")), "no empty lines")
}

func TestTeraRecords(t *testing.T) {
	b := generate(t, Config{Kind: Tera, Bytes: pieceBytes + 5*recordBytes, Seed: 9})
	for i := 0; i < len(b); i += recordBytes {
		r := b[i : i+recordBytes]
		for _, c := range r[:10] {
			require.True(t, c >= ' ' && c <= '~')
		}
		row, err := strconv.ParseInt(string(r[12:44]), 16, 64)
		require.NoError(t, err)
		require.EqualValues(t, i/recordBytes, row)
		require.Equal(t, byte('\n'), r[99])
		require.Equal(t, 1, bytes.Count(r, []byte("\n")))
	}
}

func TestLogAndPairsParse(t *testing.T) {
	for line := range bytes.Lines(generate(t, Config{Kind: Log, Bytes: pieceBytes + 1000, Seed: 1})) {
		require.Regexp(t,
			`^\d+\.\d+\.\d+\.\d+ - - \[\d\d/\w{3}/\d{4}:\d\d:\d\d:\d\d \+0000\] "GET /page/\d+x* HTTP/1\.1" \d{3} \d+ "-" ".+"\n$`, string(line))
	}
	for line := range bytes.Lines(generate(t, Config{Kind: Pairs, Bytes: 10_000, Seed: 1})) {
		require.Regexp(t, `^[a-z]+\t\d{1,6}\n$`, string(line))
	}
	for line := range bytes.Lines(generate(t, Config{Kind: Numbers, Bytes: 10_000, Seed: 1})) {
		_, err := strconv.ParseInt(string(line[:len(line)-1]), 10, 64)
		require.NoError(t, err)
	}
}

// Each row of Hive's three tables has the right columns, each visit's page occurs in Rankings, and
// about one document in 10,000 contains the pattern.
func TestHiveTables(t *testing.T) {
	ranking := regexp.MustCompile(`^http://www\.example\.com/\d+/x*\|\d{1,5}\|\d{1,2}\n$`)
	visit := regexp.MustCompile(`^(\d{1,3}\.){3}\d{1,3}\|http:\S+\|\d{4}-\d\d-\d\d\|\d{1,3}\.\d\d\|[^|]+\|` +
		`[A-Z]{3}\|[a-z]{2}-[A-Z]{2}\|[a-z]+\|\d{1,2}\n$`)
	ranks := map[string]int{}
	for line := range strings.Lines(string(generate(t, Config{Kind: Rankings, Bytes: 5000 * rankingBytes}))) {
		require.Regexp(t, ranking, line)
		columns := strings.Split(line, "|")
		rank, err := strconv.Atoi(columns[1])
		require.NoError(t, err)
		ranks[columns[0]] = rank
	}
	require.Len(t, ranks, 5000)
	high := 0
	for _, rank := range ranks {
		require.Positive(t, rank)
		if rank > 9 {
			high++
		}
	}
	require.InDelta(t, 500, high, 75)
	visits := Config{Kind: Visits, Bytes: pieceBytes + visitBytes, Seed: 1, Words: 5000}
	for line := range strings.Lines(string(generate(t, visits))) {
		require.Regexp(t, visit, line)
		require.Positive(t, ranks[strings.Split(line, "|")[1]])
		require.Less(t, len(line), 2*visitBytes)
	}
	documents := generate(t, Config{Kind: Documents, Bytes: 100_000 * recordBytes, Seed: 1})
	require.InDelta(t, 10, bytes.Count(documents, []byte(SearchPattern)), 9)
	for i := recordBytes; i <= 1000*recordBytes; i += recordBytes {
		require.Equal(t, byte('\n'), documents[i-1])
		require.Equal(t, 1, bytes.Count(documents[i-recordBytes:i], []byte("\n")))
	}
}

func TestValidateNamesEveryFault(t *testing.T) {
	err := Config{Kind: "novel", Bytes: -1, Words: -5, Skew: 21}.Validate()
	require.ErrorIs(t, err, ErrConfig)
	for _, part := range []string{`"novel"`, "text, tera", "-1", "-5", "21"} {
		require.ErrorContains(t, err, part)
	}
}

// failAfter takes n bytes, then fails.
type failAfter struct{ n int }

var errFull = errors.New("full")

func (f *failAfter) Write(p []byte) (int, error) {
	if f.n -= len(p); f.n < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWriteTellsItsProgress(t *testing.T) {
	var told []int64
	c := Config{Kind: Tera, Bytes: 2*pieceBytes + 150, Progress: func(n int64) { told = append(told, n) }}
	require.NoError(t, Write(t.Context(), io.Discard, c))
	require.Equal(t, []int64{pieceBytes, 2 * pieceBytes, 2*pieceBytes + 100}, told)
}

func TestWriteErrorEndsAllLanes(t *testing.T) {
	err := Write(t.Context(), &failAfter{n: pieceBytes}, Config{Kind: Lines, Bytes: 20 * pieceBytes})
	require.ErrorIs(t, err, errFull)
}

func TestWriteFileLeavesNoHalfOutput(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.txt")
	c := Config{Kind: Text, Bytes: 1000, Words: 50, Seed: 1}
	require.NoError(t, WriteFile(t.Context(), name, c, false))
	require.ErrorIs(t, WriteFile(t.Context(), name, c, false), os.ErrExist)
	c.Seed = 2
	require.NoError(t, WriteFile(t.Context(), name, c, true))
	got, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, generate(t, c), got)
	require.ErrorIs(t, WriteFile(t.Context(), filepath.Join(dir, "no", "such"), c, false), os.ErrNotExist)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing but the file itself")
}

func TestWriteEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errFull)
	dir := t.TempDir()
	require.ErrorIs(t, WriteFile(ctx, filepath.Join(dir, "a"), Config{Kind: Lines, Bytes: 1000}, false), errFull)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, entries)
}

func BenchmarkWrite(b *testing.B) {
	for _, k := range Kinds() {
		b.Run(string(k), func(b *testing.B) {
			c := Config{Kind: k, Bytes: 16 * pieceBytes, Seed: 1, Words: 50_000}
			b.SetBytes(c.Bytes)
			for b.Loop() {
				if err := Write(b.Context(), io.Discard, c); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
