package cli

import (
	"bytes"
	"cmp"
	"compress/gzip"
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

// table is records of five columns; the note is of no use but to be in the way.
type table struct{ records [][]string }

var tableNames = []string{"note", "key", "n", "x", "time"}

func makeTable(r *rand.Rand, records int) (t table) {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	for i := range records {
		t.records = append(t.records, []string{
			pick("", "a\nb,1", `"`, "\n\n", "x,2", "two  words", "{}\n\"") + pick("", "c", ",", `""`),
			pick("k", "Berlin, DE", `a "b"`, "1,2", "ü", "", "'q"),
			strconv.Itoa(r.IntN(2001) - 1000),
			fmt.Sprintf("%d.%02d", r.IntN(100), r.IntN(100)),
			strconv.Itoa(i),
		})
	}
	return t
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
func (f tableFormat) choose(flag string, columns ...string) []string {
	if f.name == "jsonl" {
		return []string{"--jsonl", strings.Join(columns, ",")}
	}
	if !f.named {
		for i, name := range columns {
			columns[i] = strconv.Itoa(slices.Index(tableNames, name) + 1)
		}
	}
	return append(slices.Clone(f.flags), flag, strings.Join(columns, ","))
}

// tableJobs are jobs over columns of tables, by the flag that chooses these.
func tableJobs() []struct {
	job, flag string
	columns   []string
} {
	return []struct {
		job, flag string
		columns   []string
	}{
		{"mean", "--columns", []string{"key", "n"}},
		{"histogram --width 5", "--column", []string{"x"}},
		{"distinct --count", "--column", []string{"key"}},
		{"secondarysort", "--columns", []string{"key", "n"}},
		{"movingaverage --window 3", "--columns", []string{"key", "time", "n"}},
		{"adjacency", "--columns", []string{"time", "n"}},
		{"components", "--columns", []string{"key", "time"}},
		{"kmeans --clusters 1", "--columns", []string{"n", "time"}},
		{"top -k 6", "--column", []string{"n"}},
	}
}

// topRecords are the records of which top -k 6 --column n writes the text.
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
	records := makeTable(rand.New(rand.NewPCG(5, 6)), 60).records
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
					args := slices.Concat(words, f.choose(job.flag, slices.Clone(job.columns)...), set)
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

// Whole records are written as CSV again.
func TestDistinctRecordsOfCSV(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "a.csv", "\"a\",\"b\nc\"\r\na,\"b\nc\"\r\n\"x,y\",\"say \"\"hi\"\"\"\n")
	o := runHere(t, strings.Fields("run distinct --csv a.csv -o - -q"), nil)
	require.Equal(t, "\"x,y\",\"say \"\"hi\"\"\"\na,\"b\nc\"\n", o.out, o.errs)
	o = runHere(t, strings.Fields("run distinct --csv --count a.csv -o - -q"), nil)
	require.Equal(t, exitFailed, o.code)
	require.Contains(t, o.errs, "a column holds a line feed")
}

// Lines may end in CR LF.
func TestColumnsOfLinesWithCRLF(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "pairs", "a\t1\r\nb\t5\r\na\t2\r\n")
	write(t, "series", "a\t1\t1\r\na\t2\t2\r\n")
	for args, want := range map[string]string{
		"mean pairs":                            "a\t1.5\nb\t5\n",
		"histogram --column 2 pairs":            "1\t1\n2\t1\n5\t1\n",
		"distinct --column 2 pairs":             "1\n2\n5\n",
		"top -k 1 pairs":                        "b\t5\r\n",
		"secondarysort pairs":                   "a\t1\t1\na\t2\t2\nb\t5\t1\n",
		"movingaverage series":                  "a\t1\t1\na\t2\t1.5\n",
		"adjacency pairs":                       "a\t1,2\nb\t5\n",
		"components pairs":                      "1\t1\n2\t1\n5\t5\na\t1\nb\t5\n",
		"mean -t \t --columns 1,2 pairs":        "a\t1.5\nb\t5\n",
		"kmeans --clusters 1 --columns 2 pairs": strconv.FormatFloat(8./3, 'f', -1, 64) + "\t3\n",
	} {
		o := runHere(t, slices.Concat([]string{"run"}, strings.Split(args, " "), strings.Fields("-o - -q --reduces 1 --inline --block-size 3")), nil)
		require.Equal(t, want, o.out, "%s: %s", args, o.errs)
	}
}

func TestColumnsThatCannotBe(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "a.csv", "city,price\nx,1\n")
	write(t, "a.jsonl", "{\"city\":\"x\",\"price\":[1]}\n")
	write(t, "no.jsonl", "7\n")
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write([]byte("city,price\nx,1\n"))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	write(t, "b.csv.gz", packed.String())
	for args, why := range map[string]string{
		"run mean --csv --header --column cost a.csv":   "2: a.csv: no column is called cost: there are city, price\n",
		"run mean --csv --column price a.csv":           "2: --column price: a name needs --header, or else want a number from 1\n",
		"run top --column 0 a.csv":                      "2: --column 0: columns are counted from 1\n",
		"run secondarysort --csv --columns 1 a.csv":     "2: --columns 1: this job takes 2 columns\n",
		"run mean --jsonl city a.jsonl":                 "2: --jsonl city: this job takes 2 columns\n",
		"run mean --csv --tsv a.csv":                    "2: --csv and --tsv exclude each other\n",
		"run movingaverage --csv --header a.csv":        "a record of 2 columns: this job takes 3 columns; choose with --columns\n",
		"run top --csv --column 3 a.csv":                "no column 3: the record has 2\n",
		"run top --csv a.csv":                           "\"price\" is no decimal number\n",
		"run mean --jsonl city,cost a.jsonl":            "no field cost\n",
		"run mean --jsonl city,price a.jsonl":           "field price: no text, number, true or false\n",
		"run top --jsonl city no.jsonl":                 "no JSON object\n",
		"run top --csv --header --column cost b.csv.gz": "no column is called cost: there are city, price\n",
	} {
		o := runHere(t, append(strings.Fields(args), "-o", "out", "-q", "--inline"), nil)
		want, code := why, exitFailed
		if rest, usage := strings.CutPrefix(why, "2: "); usage {
			want, code = "tarry: "+rest, exitUsage
			require.Equal(t, want, o.errs, args)
		}
		require.Equal(t, code, o.code, args)
		require.True(t, strings.HasSuffix(o.errs, want), "%s: %s", args, o.errs)
		require.Equal(t, 1, strings.Count(o.errs, "\n"), o.errs)
		require.NoDirExists(t, "out")
	}
}

// JSON numbers with exponents are decimal numbers, too.
func TestNumbersWithoutExponent(t *testing.T) {
	for number, want := range map[string]string{
		"15e-1": "1.5", "1E3": "1000", "-2.5e+2": "-250", "1e-18": "0.000000000000000001", "3": "3",
		"1e999999999999": "1e999999999999", "1e61": "1e61", "0e5": "0",
	} {
		require.Equal(t, want, withoutExponent(number))
	}
}
