package bench

import (
	"os"
	"strings"
)

// duckWordCount returns WordCount in DuckDB's SQL, which splits lines at spaces. With tabs, it
// first turns tabs into spaces: that is DuckDB's fastest way to split at both.
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

// duckTeraSort returns a sort of TeraSort's records, each of which is a line, in DuckDB's SQL.
func duckTeraSort(input, out string) Program {
	return duck(`COPY (SELECT line FROM `+duckLines(input)+` ORDER BY line) TO `+
		quoteSQL(out)+` (HEADER false, QUOTE '')`, out)
}

// duckLines returns SQL for the table of a file's lines. Its delimiter occurs in no text.
func duckLines(input string) string {
	return `read_csv(` + quoteSQL(input) +
		`, columns = {'line': 'VARCHAR'}, header = false, auto_detect = false,
		delim = '` + "\x01" + `', quote = '', escape = '', strict_mode = false)`
}

// duck returns the program that runs a statement, which writes the file out.
func duck(statement, out string) Program {
	return Program{
		Name: "DuckDB", Args: []string{"duckdb", "-c", statement}, OutDir: out, Result: Other,
	}
}

func quoteSQL(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

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

// sizeOf returns the bytes of all files together; a missing file has 0.
func sizeOf(paths ...string) (n int64) {
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			n += info.Size()
		}
	}
	return n
}
