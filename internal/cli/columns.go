package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/jobs"
	"github.com/tarry-mr/tarry/mapreduce"
)

// columnHelp describes the flags that say where columns are.
const columnHelp = `--csv and --tsv read quoted columns (RFC 4180, with commas or tabs): what stands in quotes is data,
line feeds, too. --header leaves out the first record of each file, and columns may be called as it
calls them. --jsonl reads a JSON object a line and takes the named fields as columns. Without these,
each byte of -t stands between two columns, quotes or not. Lines may end in CR LF.`

// columnFlags say what the columns of a job's input are.
type columnFlags struct {
	jobs.Table

	csv, tsv bool
	between  string // a byte
}

// separator is the byte that --field-separator names; empty is byDefault.
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

// columnsFlag adds the flags to a job that takes so many columns; usage says which.
func columnsFlag(cmd *cobra.Command, least, most int, usage string) *columnFlags {
	c := &columnFlags{Table: jobs.Table{Least: least, Most: most}}
	cmd.Long = strings.Replace(cmd.Long, "\n\n"+inputHelp, "\n\n"+columnHelp+"\n\n"+inputHelp, 1)
	f := cmd.Flags()
	f.BoolVar(&c.csv, "csv", false, "read CSV: commas between columns, quotes obeyed")
	f.BoolVar(&c.tsv, "tsv", false, "read CSV with tabs for commas")
	f.BoolVar(&c.Header, "header", false, "the first record of each file names its columns (with --csv or --tsv)")
	f.StringSliceVar(&c.Fields, "jsonl", nil, "read JSON lines: the `FIELD`s of each object that are its columns")
	f.StringVarP(&c.between, "field-separator", "t", "", "one byte between columns (default: a tab)")
	f.StringSliceVar(&c.Columns, "columns", nil, usage)
	excludes(cmd, "csv", "tsv jsonl field-separator")
	excludes(cmd, "tsv", "jsonl field-separator")
	excludes(cmd, "header", "jsonl field-separator")
	excludes(cmd, "jsonl", "field-separator columns")
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := c.check(); err != nil {
			return usageError("%w", err)
		}
		return run(cmd, args)
	}
	return c
}

// check makes the table of the flags, and refuses what cannot be.
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

// tabbed are lines of columns with tabs between.
func (c *columnFlags) tabbed(src []mapreduce.Source) mapreduce.Input[[]byte] {
	return c.Joined(src, '\t')
}

// edgeColumns says what --columns are where edges are read.
const edgeColumns = "where an edge begins and where it leads to: numbers from 1, or names (default: all columns)"
