package bench

import (
	"os/exec"
	"path/filepath"
)

// The scripts of libraries for Python. Each reads the file sys.argv[1] and writes sys.argv[2]. Lines
// are a column: its delimiter occurs in no text.
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
