package cli

import (
	"fmt"

	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/jobs"
	"github.com/tarry-mr/tarry/mapreduce"
)

// columnHelp describes the flags about columns.
const columnHelp = `--csv and --tsv read columns separated by commas or tabs (RFC 4180); quoted text may contain
separators and line feeds. --header skips the first record of each file and lets columns be named
as there. --jsonl reads one JSON object per line and takes the named fields as columns. Without
these flags, each byte -t separates two columns, even in quotes. Lines may end in CR LF.`

// columnFlags describe the columns of a job's input.
type columnFlags struct {
	jobs.Table

	csv, tsv bool
	between  string // a byte
}

// separator returns the byte of --field-separator, or byDefault if the text is empty.
func separator(text string, byDefault byte) (byte, error) {
	switch {
	case text == "":
		return byDefault, nil
	case text == `\t`:
		return '\t', nil
	case len(text) == 1:
		return text[0], nil
	}
	return 0, fmt.Errorf("--field-separator %s: want one byte, or \\t", words.Shown(text))
}

// columnFlags adds the flags to a job that takes from least to most columns; most 0 means any number.
// usage describes --columns.
func (j *jobCommand) columnFlags(least, most int, usage string) *columnFlags {
	c, f := &columnFlags{Table: jobs.Table{Least: least, Most: most}}, j.Flags()
	f.BoolVar(&c.csv, "csv", false, "read CSV: columns separated by commas, quotes respected")
	f.BoolVar(&c.tsv, "tsv", false, "read CSV with tabs instead of commas")
	f.BoolVar(&c.Header, "header", false, "with --csv or --tsv, take column names from the first record of each file")
	f.StringSliceVar(&c.Fields, "jsonl", nil, "read JSON lines, and take these `FIELD`s of each object as columns")
	f.StringVarP(&c.between, "field-separator", "t", "", "separate columns by this `BYTE` (default: a tab)")
	f.StringSliceVar(&c.Columns, "columns", nil, usage)
	excludes(j.Command, "csv", "tsv jsonl field-separator")
	excludes(j.Command, "tsv", "jsonl field-separator")
	excludes(j.Command, "header", "jsonl field-separator")
	excludes(j.Command, "jsonl", "field-separator columns")
	j.columns = c
	return c
}

// check sets the table from the flags, and rejects invalid combinations.
func (c *columnFlags) check() (err error) {
	c.CSV = c.csv || c.tsv
	if c.Separator, err = separator(c.between, '\t'); err != nil {
		return err
	}
	if c.csv {
		c.Separator = ','
	}
	return c.Check()
}

// tabbed returns the columns of the input as lines, separated by tabs.
func (c *columnFlags) tabbed(src []mapreduce.Source) mapreduce.Input[[]byte] {
	return c.Joined(src, '\t')
}

// edgeColumns describes --columns of jobs that read edges.
const edgeColumns = "take the source and the target of an edge from these columns, by numbers from 1 or names (default: all columns)"
