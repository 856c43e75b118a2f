package cli

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
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
	csv, tsv, header bool
	fields           []string // of objects in JSON lines
	between          string   // a byte
	columns          []string // by number or name; empty: all

	least, most int // how many columns a job takes; a most of 0 is no bound
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
	c := &columnFlags{least: least, most: most}
	cmd.Long = strings.Replace(cmd.Long, "\n\n"+inputHelp, "\n\n"+columnHelp+"\n\n"+inputHelp, 1)
	f := cmd.Flags()
	f.BoolVar(&c.csv, "csv", false, "read CSV: commas between columns, quotes obeyed")
	f.BoolVar(&c.tsv, "tsv", false, "read CSV with tabs for commas")
	f.BoolVar(&c.header, "header", false, "the first record of each file names its columns (with --csv or --tsv)")
	f.StringSliceVar(&c.fields, "jsonl", nil, "read JSON lines: the `FIELD`s of each object that are its columns")
	f.StringVarP(&c.between, "field-separator", "t", "", "one byte between columns (default: a tab)")
	f.StringSliceVar(&c.columns, "columns", nil, usage)
	excludes(cmd, "csv", "tsv jsonl field-separator")
	excludes(cmd, "tsv", "jsonl field-separator")
	excludes(cmd, "header", "jsonl field-separator")
	excludes(cmd, "jsonl", "field-separator columns")
	return c
}

// parsed reports whether records are more than lines that a job cuts by itself.
func (c *columnFlags) parsed() bool {
	return c.csv || c.tsv || len(c.fields) > 0 || len(c.columns) > 0
}

// separator is the byte between columns of lines.
func (c *columnFlags) separator() byte {
	if c.csv {
		return ','
	}
	b, _ := separator(c.between, '\t') // as check has found
	return b
}

// headed reports whether files may have a header.
func (c *columnFlags) headed() bool { return c == nil || c.csv || c.tsv }

// check refuses what cannot be.
func (c *columnFlags) check() error {
	if _, err := separator(c.between, '\t'); err != nil {
		return err
	}
	for _, name := range c.columns {
		switch n, err := strconv.Atoi(name); {
		case err == nil && n < 1:
			return fmt.Errorf("--columns %s: columns are counted from 1", words.Shown(name))
		case err != nil && !c.header:
			return fmt.Errorf("--columns %s: a name needs --header, or else want a number from 1", words.Shown(name))
		}
	}
	for flag, list := range map[string][]string{"--columns": c.columns, "--jsonl": c.fields} {
		if len(list) > 0 && !c.takes(len(list)) {
			return fmt.Errorf("%s %s: this job takes %s", flag, words.Shown(strings.Join(list, ",")), c.wanted())
		}
	}
	if slices.Contains(c.fields, "") {
		return errors.New("--jsonl: a field without a name")
	}
	return nil
}

// takes reports whether the job takes so many columns.
func (c *columnFlags) takes(n int) bool { return n >= c.least && (c.most == 0 || n <= c.most) }

// wanted says how many columns a job takes.
func (c *columnFlags) wanted() string {
	if c.most == 0 {
		return "any number of columns"
	}
	return words.Count(c.most, "column")
}

// checkHeaders refuses names that the header of a file does not have. Those of streams and compressed
// files are seen when these are read.
func (c *columnFlags) checkHeaders(src []mapreduce.Source) error {
	for _, s := range src {
		if !c.header || !s.Splittable() {
			continue
		}
		r := csv.NewReader(io.NewSectionReader(s.Data, 0, s.Size()))
		r.Comma = rune(c.separator())
		header, err := r.Read()
		if err != nil { // an empty file, or one whose damage is told with its place when it is read
			continue
		}
		header[0] = strings.TrimPrefix(header[0], "\ufeff")
		if _, err := c.chosen(mapreduce.CSVRecord{Header: header, Fields: header}); err != nil {
			return usageError("%s: %w", s.Name(), err)
		}
	}
	return nil
}

// row is a record: its text, and the columns of it that a job takes.
type row struct {
	text    []byte
	columns []string
}

// rowsOf is an input of what make makes of each record's columns.
func rowsOf[I any](c *columnFlags, src []mapreduce.Source, make func(row) (I, error)) mapreduce.Input[I] {
	take := func(text []byte, columns []string, err error) (I, error) {
		if n := len(columns); err == nil && !c.takes(n) {
			err = mapreduce.Bad(fmt.Errorf("a record of %s: this job takes %s; choose with --columns", words.Count(n, "column"), c.wanted()))
		}
		if err != nil {
			var none I
			return none, err
		}
		return make(row{text, columns})
	}
	switch {
	case len(c.fields) > 0:
		return mapreduce.Decoded(mapreduce.JSONLines[jsonLine](src...), func(l jsonLine) (I, error) {
			columns, err := l.columns(c.fields)
			return take(l.text, columns, err)
		})
	case c.csv || c.tsv:
		o := mapreduce.CSVOptions{Header: c.header, Comma: rune(c.separator())}
		return mapreduce.Decoded(mapreduce.CSVRecords(o, src...), func(r mapreduce.CSVRecord) (I, error) {
			columns, err := c.chosen(r)
			return take(r.Text, columns, err)
		})
	}
	return mapreduce.Decoded(mapreduce.Lines(src...), func(line []byte) (I, error) {
		fields := strings.Split(string(bytes.TrimSuffix(line, []byte{'\r'})), string([]byte{c.separator()}))
		columns, err := c.chosen(mapreduce.CSVRecord{Fields: fields})
		return take(line, columns, err)
	})
}

// chosen are the columns of a record that --columns names; all, if it names none.
func (c *columnFlags) chosen(r mapreduce.CSVRecord) ([]string, error) {
	if len(c.columns) == 0 {
		return r.Fields, nil
	}
	columns := make([]string, len(c.columns))
	for i, name := range c.columns {
		n, err := strconv.Atoi(name)
		if err != nil {
			if n = r.Column(name) + 1; n == 0 {
				return nil, mapreduce.Permanent(fmt.Errorf("no column is called %s: there are %s", words.Shown(name), listed(r.Header)))
			}
		}
		if n > len(r.Fields) {
			return nil, mapreduce.Bad(fmt.Errorf("no column %d: the record has %d", n, len(r.Fields)))
		}
		columns[i] = r.Fields[n-1]
	}
	return columns, nil
}

// listed shows names, of many the first.
func listed(names []string) string {
	const most = 20
	var list []string
	for _, name := range names[:min(most, len(names))] {
		list = append(list, words.Shown(name))
	}
	if n := len(names) - most; n > 0 {
		list = append(list, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(list, ", ")
}

// jsonLine is a line with a JSON object, and its fields.
type jsonLine struct {
	text   []byte
	fields map[string]json.RawMessage
}

// UnmarshalJSON implements json.Unmarshaler.
func (l *jsonLine) UnmarshalJSON(text []byte) error {
	l.text = bytes.Clone(text)
	if err := json.Unmarshal(text, &l.fields); err != nil || l.fields == nil {
		return errors.New("no JSON object")
	}
	return nil
}

// columns are the fields of these names.
func (l jsonLine) columns(names []string) ([]string, error) {
	columns := make([]string, len(names))
	for i, name := range names {
		raw, there := l.fields[name]
		switch {
		case !there || string(raw) == "null":
			return nil, mapreduce.Bad(fmt.Errorf("no field %s", words.Shown(name)))
		case raw[0] == '{' || raw[0] == '[':
			return nil, mapreduce.Bad(fmt.Errorf("field %s: no text, number, true or false", words.Shown(name)))
		case raw[0] != '"':
			columns[i] = withoutExponent(string(raw))
		default:
			if err := json.Unmarshal(raw, &columns[i]); err != nil {
				return nil, mapreduce.Bad(err)
			}
		}
	}
	return columns, nil
}

// withoutExponent writes 15e-1 as 1.5, for jobs read decimal numbers. Numbers beyond what they read
// stay as they are.
func withoutExponent(number string) string {
	at := strings.IndexAny(number, "eE")
	if at < 0 || at > 60 {
		return number
	}
	if exponent, err := strconv.Atoi(number[at+1:]); err != nil || exponent < -60 || exponent > 60 {
		return number
	}
	n, _ := new(big.Rat).SetString(number) // it is one: JSON has no others
	digits, _ := n.FloatPrec()
	return n.FloatString(digits)
}

// errLineFeed is of a column that a job would write into a line of its own.
var errLineFeed = mapreduce.Bad(errors.New("a column holds a line feed: lines that this job writes cannot"))

// joined are the columns of a row with a byte between them, for jobs that cut them again.
func joined(separator byte) func(row) ([]byte, error) {
	return func(r row) ([]byte, error) {
		between := string([]byte{separator})
		for _, text := range r.columns {
			switch {
			case strings.Contains(text, "\n"):
				return nil, errLineFeed
			case len(r.columns) > 1 && strings.Contains(text, between):
				return nil, mapreduce.Bad(fmt.Errorf("column %s holds %q, which stands between columns here", words.Shown(text), between))
			}
		}
		return []byte(strings.Join(r.columns, between)), nil
	}
}

// numbered is the last column of a row, which is a number, and its text.
func numbered(r row) (jobs.Numbered, error) {
	return mapreduce.MakePair([]byte(r.columns[len(r.columns)-1]), r.text), nil
}

// record is a whole row: as CSV writes it if it was CSV. Rows that must be one line have no line feed.
func (c *columnFlags) record(oneLine bool) func(row) ([]byte, error) {
	if len(c.columns) > 0 || !c.csv && !c.tsv {
		return joined('\t')
	}
	return func(r row) ([]byte, error) {
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		w.Comma = rune(c.separator())
		err := w.Write(r.columns)
		w.Flush()
		text := bytes.TrimSuffix(b.Bytes(), []byte{'\n'})
		if oneLine && bytes.IndexByte(text, '\n') >= 0 {
			err = errLineFeed
		}
		return text, err
	}
}

// edgeColumns says what --columns are where edges are read.
const edgeColumns = "where an edge begins and where it leads to: numbers from 1, or names (default: all columns)"

// pairs are the first two columns of records.
func (c *columnFlags) pairs(src []mapreduce.Source) mapreduce.Input[mapreduce.Pair[[]byte, []byte]] {
	if !c.parsed() {
		return mapreduce.KeyValueLines(c.separator(), src...)
	}
	return rowsOf(c, src, func(r row) (pair mapreduce.Pair[[]byte, []byte], err error) {
		if strings.Contains(r.columns[0], "\n") {
			return pair, errLineFeed
		}
		return mapreduce.MakePair([]byte(r.columns[0]), []byte(r.columns[1])), nil
	})
}

// tabbed are lines of columns with tabs between.
func (c *columnFlags) tabbed(src []mapreduce.Source) mapreduce.Input[[]byte] {
	if c.parsed() || c.separator() != '\t' {
		return rowsOf(c, src, joined('\t'))
	}
	return mapreduce.Lines(src...)
}
