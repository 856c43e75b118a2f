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

// tableJob is a job over columns and what a plain program makes of the same records, in lines.
type tableJob struct {
	name    string
	args    []string
	flag    string
	columns []string
	plain   func(records [][]string, each []string) []string
}

func tableJobs() []tableJob {
	byKey := func(records [][]string) map[string][][]string {
		of := map[string][][]string{}
		for _, rec := range records {
			of[rec[1]] = append(of[rec[1]], rec)
		}
		return of
	}
	whole := func(s string) int64 { n, _ := strconv.ParseInt(strings.Replace(s, ".", "", 1), 10, 64); return n }
	mean := func(sum int64, n int) string { return strconv.FormatFloat(float64(sum)/float64(n), 'g', -1, 64) }
	return []tableJob{
		{"mean", nil, "--columns", []string{"key", "n"}, func(records [][]string, _ []string) (list []string) {
			for key, recs := range byKey(records) {
				sum := int64(0)
				for _, rec := range recs {
					sum += whole(rec[2])
				}
				list = append(list, key+"\t"+mean(sum, len(recs)))
			}
			return list
		}},
		{"histogram", []string{"--width", "5"}, "--column", []string{"x"}, func(records [][]string, _ []string) (list []string) {
			count := map[int64]int{}
			for _, rec := range records {
				count[whole(rec[3])/500*5]++
			}
			for low, n := range count {
				list = append(list, fmt.Sprintf("%d\t%d", low, n))
			}
			return list
		}},
		{"top", []string{"-k", "6"}, "--column", []string{"n"}, func(records [][]string, each []string) (list []string) {
			order := make([]int, len(records))
			for i := range order {
				order[i] = i
			}
			slices.SortFunc(order, func(a, b int) int {
				return cmp.Or(cmp.Compare(whole(records[b][2]), whole(records[a][2])), strings.Compare(each[a], each[b]))
			})
			for _, i := range order[:6] {
				list = append(list, each[i])
			}
			return list
		}},
		{"distinct", []string{"--count"}, "--column", []string{"key"}, func(records [][]string, _ []string) (list []string) {
			for key, recs := range byKey(records) {
				list = append(list, fmt.Sprintf("%s\t%d", key, len(recs)))
			}
			return list
		}},
		{"secondarysort", nil, "--columns", []string{"key", "n"}, func(records [][]string, _ []string) (list []string) {
			for key, recs := range byKey(records) {
				slices.SortFunc(recs, func(a, b []string) int { return cmp.Compare(whole(a[2]), whole(b[2])) })
				for i, rec := range recs {
					list = append(list, fmt.Sprintf("%s\t%s\t%d", key, rec[2], i+1))
				}
			}
			return list
		}},
		{"movingaverage", []string{"--window", "3"}, "--columns", []string{"key", "time", "n"}, func(records [][]string, _ []string) (list []string) {
			for key, recs := range byKey(records) {
				for i, rec := range recs { // times go up
					sum, from := int64(0), max(0, i-2)
					for _, r := range recs[from : i+1] {
						sum += whole(r[2])
					}
					list = append(list, key+"\t"+rec[4]+"\t"+mean(sum, i+1-from))
				}
			}
			return list
		}},
		{"adjacency", nil, "--columns", []string{"time", "n"}, func(records [][]string, _ []string) (list []string) {
			for _, rec := range records {
				list = append(list, rec[4]+"\t"+rec[2])
			}
			return list
		}},
		{"components", nil, "--columns", []string{"key", "time"}, func(records [][]string, _ []string) (list []string) {
			for key, recs := range byKey(records) {
				first := key
				for _, rec := range recs {
					first = min(first, rec[4])
				}
				list = append(list, key+"\t"+first)
				for _, rec := range recs {
					list = append(list, rec[4]+"\t"+first)
				}
			}
			return list
		}},
		{"kmeans", []string{"--clusters", "1"}, "--columns", []string{"n", "time"}, func(records [][]string, _ []string) []string {
			n, time := int64(0), int64(0)
			for _, rec := range records {
				n, time = n+whole(rec[2]), time+whole(rec[4])
			}
			l := len(records)
			return []string{mean(n, l) + "\t" + mean(time, l) + "\t" + strconv.Itoa(l)}
		}},
	}
}

// Jobs over columns read CSV, TSV and JSON lines as plain programs do, however files are cut.
func TestColumnsOfTables(t *testing.T) {
	records := makeTable(rand.New(rand.NewPCG(5, 6)), 60).records
	for _, f := range tableFormats() {
		t.Run(f.name, func(t *testing.T) {
			dir := t.TempDir()
			var each []string
			for i, part := range [][][]string{records[:25], records[25:]} {
				text, some := f.write(t, part, i)
				write(t, filepath.Join(dir, strconv.Itoa(i)), text)
				each = append(each, some...)
			}
			for _, job := range tableJobs() {
				want := job.plain(records, each)
				for _, set := range [][]string{{"--inline", "--block-size", "5"}, {"--block-size", "150"}} {
					args := slices.Concat([]string{"run", job.name}, job.args, f.choose(job.flag, slices.Clone(job.columns)...), set)
					o := runHere(t, append(args, dir, "-o", "-", "-q", "--reduces", "1"), nil)
					require.Zero(t, o.code, "%v: %s", args, o.errs)
					if job.name == "kmeans" && slices.Contains(args, "--csv") {
						o.out = strings.ReplaceAll(o.out, ",", "\t")
					}
					require.Equal(t, sortedPieces(strings.Join(want, "\n")+"\n"), sortedPieces(o.out), args)
					if job.name == "top" {
						require.Equal(t, strings.Join(want, "\n")+"\n", o.out)
					}
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
