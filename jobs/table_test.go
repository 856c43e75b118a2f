package jobs

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce"
)

// tableNames are the columns of a test table. note is hard to parse, and no job reads it.
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
	table Table
	write func(t *testing.T, records [][]string, file int) (text string, each []string)
}

// separatedFormat returns a function that writes a file of a table as CSV or TSV. If header is set,
// the second file has its columns in reverse order.
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
		{"csv", Table{CSV: true}, separatedFormat(',', false, false)},
		{"crlf", Table{CSV: true}, separatedFormat(',', true, false)},
		{"header", Table{CSV: true, Header: true}, separatedFormat(',', false, true)},
		{"tsv", Table{CSV: true, Header: true, Separator: '\t'}, separatedFormat('\t', true, true)},
		{"jsonl", Table{}, jsonFormat},
	}
}

// choose returns the format's Table with these columns selected.
func (f tableFormat) choose(columns []string) *Table {
	t, columns := f.table, slices.Clone(columns)
	if !t.CSV {
		t.Fields = columns
		return &t
	}
	for i, name := range columns {
		if !t.Header {
			columns[i] = strconv.Itoa(slices.Index(tableNames, name) + 1)
		}
	}
	t.Columns = columns
	return &t
}

// tableJob is a job over columns, and the columns that it reads.
type tableJob struct {
	columns []string
	bind    func(t *Table, src []mapreduce.Source) binding
}

func tableJobs() map[string]tableJob {
	return map[string]tableJob{
		"mean": {[]string{"key", "n"}, func(t *Table, src []mapreduce.Source) binding { return text(Mean(), t.Pairs(src)) }},
		"distinct": {[]string{"key"}, func(t *Table, src []mapreduce.Source) binding {
			return text(DistinctCount(), t.Records(src, true))
		}},
		"adjacency": {[]string{"time", "n"}, func(t *Table, src []mapreduce.Source) binding { return text(Adjacency(), t.Pairs(src)) }},
		"movingaverage": {[]string{"key", "time", "n"}, func(t *Table, src []mapreduce.Source) binding {
			return text(must(MovingAverage(3)), t.Joined(src, '\t'))
		}},
		"top": {[]string{"n"}, func(t *Table, src []mapreduce.Source) binding { return text(t.Top(6), t.Numbered(src)) }},
	}
}

// topRecords returns the records that the job `top -k 6 --columns n` must write.
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

// A job over columns writes the same for CSV, TSV and JSON lines, in any splits, as for lines with
// these columns separated by tabs.
func TestColumnsOfTables(t *testing.T) {
	records := makeTable(rand.New(rand.NewPCG(5, 6)), 60)
	for _, f := range tableFormats() {
		t.Run(f.name, func(t *testing.T) {
			var files, each []string
			for i, part := range [][][]string{records[:25], records[25:]} {
				text, some := f.write(t, part, i)
				files, each = append(files, text), append(each, some...)
			}
			for name, job := range tableJobs() {
				var lines strings.Builder
				for _, rec := range records {
					var chosen []string
					for _, name := range job.columns {
						chosen = append(chosen, rec[slices.Index(tableNames, name)])
					}
					lines.WriteString(strings.Join(chosen, "\t") + "\n")
				}
				of := func(s setting, table *Table, files ...string) string {
					return run(t, s, job.bind(table, sources(files...)))
				}
				want := of(setting{0, 1, true}, &Table{}, lines.String())
				if name == "top" {
					want = topRecords(records, each)
				}
				for _, s := range []setting{{5, 1, true}, {150, 1, false}} {
					got := of(s, f.choose(job.columns), files...)
					if name == "top" {
						require.Equal(t, want, got, name)
					}
					require.Equal(t, sortedPieces(want), sortedPieces(got), name)
				}
			}
		})
	}
}

// sortedPieces returns a text's lines, sorted, since a record with line feeds has several.
func sortedPieces(text string) []string { return slices.Sorted(strings.SplitSeq(text, "\n")) }

// withoutExponent returns the plain decimal form of JSON numbers, unless it would be too long.
func TestNumbersWithoutExponent(t *testing.T) {
	for number, want := range map[string]string{
		"15e-1": "1.5", "1E3": "1000", "-2.5e+2": "-250", "1e-18": "0.000000000000000001", "3": "3",
		"1e999999999999": "1e999999999999", "1e61": "1e61", "0e5": "0",
	} {
		require.Equal(t, want, withoutExponent(number))
	}
}
