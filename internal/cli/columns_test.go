package cli

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// tableNames are those of the columns of tables; the note is of no use but to be in the way.
var tableNames = []string{"note", "key", "n", "x", "time"}

func makeTable(r *rand.Rand, n int) (records [][]string) {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	for i := range n {
		records = append(records, []string{
			pick("", "a\nb,1", `"`, "\n\n", "x,2", "two  words", "{}\n\"") + pick("", "c", ",", `""`),
			pick("k", "Berlin, DE", `a "b"`, "1,2", "ü", "", "'q"),
			strconv.Itoa(r.IntN(2001) - 1000),
			fmt.Sprintf("%d.%02d", r.IntN(100), r.IntN(100)),
			strconv.Itoa(i),
		})
	}
	return records
}

// tableFormat writes tables as files.
type tableFormat struct {
	name  string
	flags []string
	named bool
	write func(t *testing.T, records [][]string, file int) (text string, each []string)
}

// separatedFormat writes each record by itself, with the columns of the second file the other way
// round if they have names.
func separatedFormat(comma rune, crlf, header bool) func(*testing.T, [][]string, int) (string, []string) {
	return func(t *testing.T, records [][]string, file int) (text string, each []string) {
		if header {
			records = slices.Insert(slices.Clone(records), 0, tableNames)
		}
		for _, rec := range records {
			var b bytes.Buffer
			w := csv.NewWriter(&b)
			w.Comma, w.UseCRLF = comma, crlf
			rec = slices.Clone(rec)
			if header && file == 1 {
				slices.Reverse(rec)
			}
			require.NoError(t, w.Write(rec))
			w.Flush()
			text += b.String()
			each = append(each, strings.TrimSuffix(strings.TrimSuffix(b.String(), "\n"), "\r"))
		}
		if header {
			each = each[1:]
		}
		return text, each
	}
}

func jsonFormat(t *testing.T, records [][]string, _ int) (text string, each []string) {
	for i, rec := range records {
		object := map[string]any{"other": []int{i}}
		for j, name := range tableNames {
			object[name] = rec[j]
			if j >= 2 && i%2 == 0 {
				object[name] = json.Number(rec[j])
			}
		}
		b, err := json.Marshal(object)
		require.NoError(t, err)
		text, each = text+string(b)+"\r\n", append(each, string(b))
	}
	return text, each
}

func tableFormats() []tableFormat {
	return []tableFormat{
		{"csv", []string{"--csv"}, false, separatedFormat(',', false, false)},
		{"crlf", []string{"--csv"}, false, separatedFormat(',', true, false)},
		{"header", []string{"--csv", "--header"}, true, separatedFormat(',', false, true)},
		{"tsv", []string{"--tsv", "--header"}, true, separatedFormat('\t', true, true)},
		{"jsonl", nil, true, jsonFormat},
	}
}

// choose are the flags that choose columns of a table.
func (f tableFormat) choose(columns ...string) []string {
	if f.name == "jsonl" {
		return []string{"--jsonl", strings.Join(columns, ",")}
	}
	if !f.named {
		for i, name := range columns {
			columns[i] = strconv.Itoa(slices.Index(tableNames, name) + 1)
		}
	}
	return append(slices.Clone(f.flags), "--columns", strings.Join(columns, ","))
}

// tableJobs are jobs over columns of tables, with those that are chosen.
func tableJobs() []struct {
	job     string
	columns []string
} {
	return []struct {
		job     string
		columns []string
	}{
		{"mean", []string{"key", "n"}},
		{"histogram --width 5", []string{"x"}},
		{"distinct --count", []string{"key"}},
		{"secondarysort", []string{"key", "n"}},
		{"movingaverage --window 3", []string{"key", "time", "n"}},
		{"adjacency", []string{"time", "n"}},
		{"components", []string{"key", "time"}},
		{"kmeans --clusters 1", []string{"n", "time"}},
		{"top -k 6", []string{"n"}},
	}
}

// topRecords are the records of which top -k 6 --columns n writes the text.
func topRecords(records [][]string, each []string) string {
	order := make([]int, len(records))
	for i := range order {
		order[i] = i
	}
	number := func(i int) int { n, _ := strconv.Atoi(records[i][2]); return n }
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(number(b), number(a)), strings.Compare(each[a], each[b]))
	})
	var text strings.Builder
	for _, i := range order[:6] {
		text.WriteString(each[i] + "\n")
	}
	return text.String()
}

// Jobs over columns make of CSV, TSV and JSON lines, however files are cut, what they make of lines that
// hold the same columns with tabs between.
func TestColumnsOfTables(t *testing.T) {
	records := makeTable(rand.New(rand.NewPCG(5, 6)), 60)
	run := func(args ...string) string {
		o := runHere(t, append(append([]string{"run"}, args...), "-q", "--reduces", "1"), nil)
		require.Zero(t, o.code, "%v: %s", args, o.errs)
		return o.out
	}
	for _, f := range tableFormats() {
		t.Run(f.name, func(t *testing.T) {
			dir, plain := t.TempDir(), filepath.Join(t.TempDir(), "plain")
			var each []string
			for i, part := range [][][]string{records[:25], records[25:]} {
				text, some := f.write(t, part, i)
				write(t, filepath.Join(dir, strconv.Itoa(i)), text)
				each = append(each, some...)
			}
			for _, job := range tableJobs() {
				words := strings.Fields(job.job)
				var lines strings.Builder
				for _, rec := range records {
					var chosen []string
					for _, name := range job.columns {
						chosen = append(chosen, rec[slices.Index(tableNames, name)])
					}
					lines.WriteString(strings.Join(chosen, "\t") + "\n")
				}
				write(t, plain, lines.String())
				want := run(append(words, plain, "--inline")...)
				if words[0] == "top" {
					want = topRecords(records, each)
				}
				for _, set := range [][]string{{"--inline", "--block-size", "5"}, {"--block-size", "150"}} {
					args := slices.Concat(words, f.choose(slices.Clone(job.columns)...), set)
					got := run(append(args, dir)...)
					if words[0] == "kmeans" && slices.Contains(args, "--csv") {
						got = strings.ReplaceAll(got, ",", "\t")
					}
					if words[0] == "top" {
						require.Equal(t, want, got, args)
					}
					require.Equal(t, sortedPieces(want), sortedPieces(got), args)
				}
			}
		})
	}
}

// sortedPieces are the lines of a text, sorted: pieces of records where these hold line feeds.
func sortedPieces(text string) []string { return slices.Sorted(strings.SplitSeq(text, "\n")) }
