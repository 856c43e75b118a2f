package jobs

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/internal/gen"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/mrtest"
)

// checked runs mrtest.Check on a job, and requires that there is an output to compare.
func checked[I, O any](t *testing.T, job mrtest.Job[I, O], in mapreduce.Input[I]) {
	t.Helper()
	require.NotEmpty(t, mrtest.Check(t, job, in))
}

// must returns the job that a constructor returned, and panics if it returned an error.
func must[J any](job J, err error) J {
	if err != nil {
		panic(err)
	}
	return job
}

// wordsAndNumbers returns two files of lines with three columns: a word, a number and a time.
func wordsAndNumbers() []mapreduce.Source {
	r := rand.New(rand.NewPCG(1, 1))
	var sources []mapreduce.Source
	for file := range 2 {
		var text strings.Builder
		for range 40 {
			fmt.Fprintf(&text, "%s\t%d\t%d\n", strings.Repeat("ab", r.IntN(3))+"c", r.IntN(200)-100, r.IntN(50))
		}
		sources = append(sources, mapreduce.Bytes(fmt.Sprint("file", file), []byte(text.String())))
	}
	return sources
}

// Each job writes the same in all ways of mrtest.Check: with other splits, little memory, on a
// cluster, with failing attempts.
func TestJobsInAllWays(t *testing.T) {
	files := wordsAndNumbers()
	lines, chunks := mapreduce.Lines(files...), mapreduce.Chunks(files...)
	pairs := mapreduce.KeyValueLines('\t', files...)
	column := func(n string) mapreduce.Input[[]byte] { return (&Table{Columns: []string{n}}).Records(files, true) }
	firstTwo := (&Table{Columns: []string{"1", "2"}}).Pairs(files)
	counts := mapreduce.KeyValueLines('\t', mapreduce.Bytes("counts", []byte("a\t3\nb\t1\nc\t3\nd\t10\n")))
	found := mapreduce.KeyValueLines('\t', mapreduce.Bytes("found", []byte("3\ta\n1\tb\n3\tc\n10\td\n")))
	var records bytes.Buffer
	require.NoError(t, gen.Write(t.Context(), &records, gen.Config{Kind: gen.Tera, Bytes: 3000, Seed: 3}))
	tera := mapreduce.Bytes("tera", records.Bytes())
	hive := func(kinds ...gen.Kind) mapreduce.Input[[]byte] {
		var sources []mapreduce.Source
		for _, kind := range kinds {
			pages := 0
			if kind == gen.Visits {
				pages = 12
			}
			sources = append(sources, mapreduce.Bytes(string(kind), []byte(table(t, kind, 3000, pages))))
		}
		return mapreduce.Lines(sources...)
	}
	for name, run := range map[string]func(t *testing.T){
		"wordcount":     func(t *testing.T) { checked(t, WordCount(), chunks) },
		"folded words":  func(t *testing.T) { checked(t, WordCountBy(WordCountOptions{Fold: true, Words: true}), lines) },
		"distinct":      func(t *testing.T) { checked(t, mapreduce.Distinct[[]byte](), column("3")) },
		"distinctcount": func(t *testing.T) { checked(t, DistinctCount(), column("1")) },
		"histogram":     func(t *testing.T) { checked(t, must(Histogram("7")), column("2")) },
		"sort":          func(t *testing.T) { checked(t, Sort(SortOptions{Reverse: true}), lines) },
		"sort -u":       func(t *testing.T) { checked(t, Sort(SortOptions{Unique: true}), lines) },
		"sort -k": func(t *testing.T) {
			keys := []SortKey{must(ParseSortKey("1,1")), must(ParseSortKey("2,2nr"))}
			checked(t, must(SortBy(SortByOptions{Keys: keys, Separator: '\t'})), lines)
		},
		"top": func(t *testing.T) {
			second := &Table{Columns: []string{"2"}}
			checked(t, second.Top(5), second.Numbered(files))
		},
		"byfrequency": func(t *testing.T) { checked(t, ByFrequency(), found) },
		"index":       func(t *testing.T) { checked(t, Index(files...), chunks) },
		"mean":        func(t *testing.T) { checked(t, Mean(), firstTwo) },
		// Without FileNames, grep's records are runs of lines, which differ with the splits.
		"grep": func(t *testing.T) { checked(t, must(Grep("ab", GrepOptions{FileNames: true})), chunks) },
		"grep no literal": func(t *testing.T) {
			checked(t, must(Grep(`^\w+\s-?[0-9]{2,}\s`, GrepOptions{FileNames: true})), chunks)
		},
		"grep count classes": func(t *testing.T) {
			checked(t, must(GrepCount(`(?:[ab]{2}){2}.*\b[1-4]`, GrepOptions{}, files...)), chunks)
		},
		"grep count":   func(t *testing.T) { checked(t, must(GrepCount("ab", GrepOptions{}, files...)), chunks) },
		"grep matches": func(t *testing.T) { checked(t, must(GrepMatches("[0-9]+", GrepOptions{})), chunks) },
		"grep numbered": func(t *testing.T) {
			checked(t, must(GrepContext("ab", GrepOptions{}, Context{Numbers: true}, files...)), chunks)
		},
		"grep context": func(t *testing.T) {
			checked(t, must(GrepContext("ab", GrepOptions{}, Context{Before: 1, After: 1, Separated: true}, files...)), chunks)
		},
		"grep files":    func(t *testing.T) { checked(t, must(GrepFiles("abab", GrepOptions{}, files...)), chunks) },
		"secondarysort": func(t *testing.T) { checked(t, SecondarySort(), counts) },
		"movingaverage": func(t *testing.T) { checked(t, must(MovingAverage(3)), lines) },
		"adjacency":     func(t *testing.T) { checked(t, Adjacency(), pairs) },
		"terasort":      func(t *testing.T) { checked(t, TeraSort(), mapreduce.FixedSize(TeraRecordBytes, tera)) },
		"teravalidate":  func(t *testing.T) { checked(t, TeraValidate(true), mapreduce.FixedSize(TeraRecordBytes, tera)) },
		"scan":          func(t *testing.T) { checked(t, must(Scan(ScanOptions{Percent: 50})), lines) },
		"mapsonly":      func(t *testing.T) { checked(t, MapsOnly(Mean()), firstTwo) },
		"hivesearch":    func(t *testing.T) { checked(t, HiveSearch("a"), hive(gen.Documents)) },
		"hiveselect":    func(t *testing.T) { checked(t, HiveSelect(0), hive(gen.Rankings)) },
		"hiveaggregate": func(t *testing.T) { checked(t, HiveAggregate(3), hive(gen.Visits)) },
		"hivejoin":      func(t *testing.T) { checked(t, must(HiveJoin(HiveJoinOptions{})), hive(gen.Rankings, gen.Visits)) },
		"hivetotals": func(t *testing.T) {
			visited := mapreduce.Bytes("visited", []byte("1.2.3.4\t5\t0.25\n4.3.2.1\t7\t1\n1.2.3.4\t6\t2.5\n"))
			checked(t, HiveTotals(), mapreduce.Lines(visited))
		},
		"sleep": func(t *testing.T) {
			naps := mapreduce.NLines(1, mapreduce.Bytes("naps", []byte("1ms\n0s\n")))
			checked(t, Sleep(time.Microsecond), naps)
		},
	} {
		t.Run(name, run)
	}
}
