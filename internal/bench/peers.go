package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Names of the queries, as command userjobs knows them.
const (
	HashJoin      = "hashjoin"
	SortMergeJoin = "mergejoin"
	DistinctItems = "distinct"
	TopAmounts    = "top"
	HighAmounts   = "p95"
)

// TopOf is the number of largest amounts that the query TopAmounts finds in each group.
const TopOf = 10

// queries returns contests of joins and aggregates over tables of text: jobs as a library's user
// writes them, against DuckDB's SQL with as many threads.
func (s Setup) queries() (list []Contest) {
	sales, orders, users := s.Inputs.Tables.Sales, s.Inputs.Tables.Orders, s.Inputs.Tables.Users
	join := `SELECT user, city, amount FROM ` + duckTable(orders, "user INTEGER", "amount INTEGER") +
		` orders JOIN ` + duckTable(users, "user INTEGER", "city VARCHAR") + ` users USING (user)`
	amounts := ` FROM ` + duckTable(sales, "grp VARCHAR", "item INTEGER", "amount INTEGER") + ` GROUP BY grp`
	settings := fmt.Sprintf(`SET threads = %d; SET preserve_insertion_order = false; `, s.Cores)
	for _, q := range []struct {
		name, sql string
		inputs    []string
	}{
		{HashJoin, join, []string{orders, users}},
		{SortMergeJoin, join, []string{orders, users}},
		{DistinctItems, `SELECT grp, count(DISTINCT item)` + amounts, []string{sales}},
		{TopAmounts, fmt.Sprintf(`SELECT grp, unnest(max(amount, %d))`, TopOf) + amounts, []string{sales}},
		{HighAmounts, `SELECT grp, quantile_disc(amount, 0.95)` + amounts, []string{sales}},
	} {
		list = append(list, Contest{
			Name: "query " + q.name, Input: q.inputs[0], Bytes: sizeOf(q.inputs...), Fresh: s.Size,
			Programs: []Program{s.userJob("tarry", Lines, q.name, q.inputs...), s.duck(Lines, settings, q.sql, tabbed)},
		})
	}
	return list
}

// sizeOf returns the bytes of all files together; a missing file has 0.
func sizeOf(paths ...string) (n int64) {
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			n += info.Size()
		}
	}
	return n
}

// duckWordCount returns WordCount in DuckDB's SQL, which splits lines at spaces. With tabs, it
// first turns tabs into spaces: that is DuckDB's fastest way to split at both.
func (s Setup) duckWordCount(input string, tabs bool) Program {
	line := "line"
	if tabs {
		line = "replace(line, chr(9), ' ')"
	}
	return s.duck(Lines, "", `SELECT word, count(*) AS n FROM
		(SELECT unnest(string_split(`+line+`, ' ')) AS word FROM `+duckLines(input)+`)
		WHERE word <> '' GROUP BY word ORDER BY word`, tabbed)
}

// tabbed is the format of results with several columns.
const tabbed = `DELIMITER '\t', `

// duck returns DuckDB with settings and a query, whose result it writes to a file.
func (s Setup) duck(kind ResultKind, settings, query, format string) Program {
	out := filepath.Join(s.Memory, "duck.csv")
	sql := settings + `COPY (` + query + `) TO ` + quoteSQL(out) + ` (HEADER false, ` + format + `QUOTE '')`
	return Program{Name: "DuckDB", Args: []string{"duckdb", "-c", sql}, OutDir: out, Result: kind}
}

func quoteSQL(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// duckLines returns SQL for the table of a file's lines. Its delimiter occurs in no text.
func duckLines(input string) string {
	return `read_csv(` + quoteSQL(input) +
		`, columns = {'line': 'VARCHAR'}, header = false, auto_detect = false,
		delim = '` + "\x01" + `', quote = '', escape = '', strict_mode = false)`
}

// duckTable returns SQL for the table of a file's lines: columns, each "name type", between tabs.
func duckTable(input string, columns ...string) string {
	var list []string
	for _, c := range columns {
		name, kind, _ := strings.Cut(c, " ")
		list = append(list, quoteSQL(name)+": "+quoteSQL(kind))
	}
	return `read_csv(` + quoteSQL(input) + `, columns = {` + strings.Join(list, ", ") + `}, header = false,
		auto_detect = false, delim = '\t', quote = '', escape = '')`
}

// The scripts of libraries for Python. Each reads the file sys.argv[1] and writes sys.argv[2].
// Lines are a column: its delimiter occurs in no text.
const (
	chdbWordCount = `chdb.query(f"""SELECT w, count() FROM (SELECT arrayJoin(splitByWhitespace(line)) AS w
		FROM file('{sys.argv[1]}', 'LineAsString', 'line String')) GROUP BY w
		INTO OUTFILE '{sys.argv[2]}' FORMAT TSVRaw""")`
	chdbSort = `chdb.query(f"""SELECT line FROM file('{sys.argv[1]}', 'LineAsString', 'line String')
		ORDER BY line INTO OUTFILE '{sys.argv[2]}' FORMAT TSVRaw""")`
	polarsLines = `polars.scan_csv(sys.argv[1], has_header=False, new_columns=["line"], separator="\x01",
		quote_char=None, encoding="utf8-lossy")`
	polarsWordCount = polarsLines + `.select(polars.col("line").str.extract_all("[^ \t-\r]+").explode().alias("w")
		).drop_nulls().group_by("w").len().sink_csv(sys.argv[2], include_header=False, separator="\t",
		quote_style="never", engine="streaming")`
	polarsSort = polarsLines + `.sort("line").sink_csv(sys.argv[2], include_header=False, quote_style="never",
		engine="streaming")`
)

// python returns chdb and Polars with their scripts, without those that Python does not have.
func (s Setup) python(kind ResultKind, input, chdb, polars string) (list []Program) {
	out := filepath.Join(s.Memory, "python.tsv")
	for _, p := range []struct{ name, module, script string }{
		{"chdb", "chdb", chdb}, {"Polars", "polars", polars},
	} {
		if exec.Command("python3", "-c", "import "+p.module).Run() == nil {
			script := "import sys, " + p.module + "\n" + p.script
			list = append(list, Program{
				Name: p.name, Args: []string{"python3", "-c", script, input, out}, OutDir: out, Result: kind,
			})
		}
	}
	return list
}
