package bench

import (
	"os"
	"strings"
)

// duckWordCount is WordCount in DuckDB's SQL. It splits at spaces, and at tabs if the text has
// some; of the ways to have both separate words, turning tabs into spaces is its fastest.
func duckWordCount(input, out string, tabs bool) Program {
	line := "line"
	if tabs {
		line = "replace(line, chr(9), ' ')"
	}
	p := duck(`COPY (SELECT word, count(*) AS n FROM
		(SELECT unnest(string_split(`+line+`, ' ')) AS word FROM `+duckLines(input)+`)
		WHERE word <> '' GROUP BY word ORDER BY word) TO `+quoteSQL(out)+
		` (HEADER false, DELIMITER '\t', QUOTE '')`, out)
	p.Result = Lines
	return p
}

// duckTeraSort sorts records, which are lines too, as DuckDB does.
func duckTeraSort(input, out string) Program {
	return duck(`COPY (SELECT line FROM `+duckLines(input)+` ORDER BY line) TO `+
		quoteSQL(out)+` (HEADER false, QUOTE '')`, out)
}

// duckLines is a table of a file's lines: one column, its delimiter a byte that text does not hold.
func duckLines(input string) string {
	return `read_csv(` + quoteSQL(input) +
		`, columns = {'line': 'VARCHAR'}, header = false, auto_detect = false,
		delim = '` + "\x01" + `', quote = '', escape = '', strict_mode = false)`
}

// duck runs a statement that writes the file out.
func duck(statement, out string) Program {
	return Program{
		Name: "DuckDB", Args: []string{"duckdb", "-c", statement}, OutDir: out, Result: Other,
	}
}

func quoteSQL(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// duckTable is a table of rows of a line, with columns of the given names and types between tabs.
func duckTable(input string, columns ...string) string {
	var list []string
	for _, c := range columns {
		name, kind, _ := strings.Cut(c, " ")
		list = append(list, quoteSQL(name)+": "+quoteSQL(kind))
	}
	return `read_csv(` + quoteSQL(input) + `, columns = {` + strings.Join(list, ", ") + `}, header = false,
		auto_detect = false, delim = '\t', quote = '', escape = '')`
}

// sizeOf is how many bytes files have, 0 for those that are not there.
func sizeOf(paths ...string) (n int64) {
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			n += info.Size()
		}
	}
	return n
}
