package jobs

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/tarry-mr/tarry/mapreduce"
)

// Table describes the columns of records, for jobs over columns: CSV, JSON lines, or lines with a
// separator.
type Table struct {
	CSV       bool     // respects quotes (RFC 4180): quoted text may contain separators and line feeds
	Header    bool     // for CSV: the first record of each file names its columns
	Fields    []string // for JSON lines: the columns are these fields of each object
	Separator byte     // between columns; 0 means a tab, for CSV a comma
	Columns   []string // the columns for the job, by number from 1 or by name; empty: all
	// Least and Most are the numbers of columns that the job accepts; a Most of 0 means no limit.
	Least, Most int
}

// Parsed reports whether the table must parse records. If not, the job gets lines and splits them
// itself.
func (t *Table) Parsed() bool { return t.CSV || len(t.Fields)+len(t.Columns) > 0 }

func (t *Table) separator() byte {
	if t.CSV {
		return cmp.Or(t.Separator, ',')
	}
	return cmp.Or(t.Separator, '\t')
}

// Check returns an error if the table is invalid.
func (t *Table) Check() error {
	for _, name := range t.Columns {
		switch n, err := strconv.Atoi(name); {
		case err == nil && n < 1:
			return fmt.Errorf("column %s: columns are counted from 1", strconv.Quote(name))
		case err != nil && !t.Header:
			return fmt.Errorf("column %s: a name needs a header, or else want a number from 1", strconv.Quote(name))
		}
	}
	for _, list := range [][]string{t.Columns, t.Fields} {
		if len(list) > 0 && !t.takes(len(list)) {
			return fmt.Errorf("columns %s: this job takes %s", strings.Join(list, ","), t.wanted())
		}
	}
	if slices.Contains(t.Fields, "") {
		return errors.New("a field without a name")
	}
	return nil
}

// takes reports whether the job can have n columns.
func (t *Table) takes(n int) bool { return n >= t.Least && (t.Most == 0 || n <= t.Most) }

// wanted returns the number of columns that the job can have, as text for an error.
func (t *Table) wanted() string {
	if t.Most == 0 {
		return "any number of columns"
	}
	return columns(t.Most)
}

func columns(n int) string {
	if n == 1 {
		return "1 column"
	}
	return fmt.Sprintf("%d columns", n)
}

// CheckHeaders returns an error if a file's header lacks a selected column; it names the file.
// Streams and compressed files are checked only when they are read.
func (t *Table) CheckHeaders(src []mapreduce.Source) error {
	for _, s := range src {
		if !t.Header || !s.Splittable() {
			continue
		}
		r := csv.NewReader(io.NewSectionReader(s.Data, 0, s.Size()))
		r.Comma = rune(t.separator())
		header, err := r.Read()
		if err != nil { // empty or damaged: reading it reports the position
			continue
		}
		header[0] = strings.TrimPrefix(header[0], "\ufeff")
		if _, err := t.chosen(mapreduce.CSVRecord{Header: header, Fields: header}); err != nil {
			return fmt.Errorf("%s: %w", s.Name(), err)
		}
	}
	return nil
}

// rowsOf returns an input of what make returns for the text of each record of src and those of its
// columns that Table.Columns selects.
func rowsOf[I any](t *Table, src []mapreduce.Source, make func(text []byte, columns []string) (I, error)) mapreduce.Input[I] {
	take := func(text []byte, list []string, err error) (I, error) {
		if n := len(list); err == nil && !t.takes(n) {
			err = mapreduce.BadRecord(fmt.Errorf("a record of %s: this job takes %s; choose columns", columns(n), t.wanted()))
		}
		if err != nil {
			var none I
			return none, err
		}
		return make(text, list)
	}
	switch {
	case len(t.Fields) > 0:
		return mapreduce.Decoded(mapreduce.JSONLines[jsonLine](src...), func(l jsonLine) (I, error) {
			columns, err := l.columns(t.Fields)
			return take(l.text, columns, err)
		})
	case t.CSV:
		o := mapreduce.CSVOptions{Header: t.Header, Comma: rune(t.separator())}
		return mapreduce.Decoded(mapreduce.CSV(o, src...), func(r mapreduce.CSVRecord) (I, error) {
			columns, err := t.chosen(r)
			return take(r.Text, columns, err)
		})
	}
	return mapreduce.Decoded(mapreduce.Lines(src...), func(line []byte) (I, error) {
		fields := strings.Split(string(withoutCR(line)), string([]byte{t.separator()}))
		columns, err := t.chosen(mapreduce.CSVRecord{Fields: fields})
		return take(line, columns, err)
	})
}

// chosen returns those columns of a CSV record that Table.Columns selects.
func (t *Table) chosen(r mapreduce.CSVRecord) ([]string, error) {
	if len(t.Columns) == 0 {
		return r.Fields, nil
	}
	columns := make([]string, len(t.Columns))
	for i, name := range t.Columns {
		n, err := strconv.Atoi(name)
		if err != nil {
			if n = r.Column(name) + 1; n == 0 {
				return nil, mapreduce.Permanent(fmt.Errorf("no column is called %s: there are %s", strconv.Quote(name), shownNames(r.Header)))
			}
		}
		if n > len(r.Fields) {
			return nil, mapreduce.BadRecord(fmt.Errorf("no column %d: the record has %d", n, len(r.Fields)))
		}
		columns[i] = r.Fields[n-1]
	}
	return columns, nil
}

// shownNames returns names, quoted, for an error: at most the first 20 of them.
func shownNames(names []string) string {
	const most = 20
	var list []string
	for _, name := range names[:min(most, len(names))] {
		list = append(list, strconv.Quote(name))
	}
	if n := len(names) - most; n > 0 {
		list = append(list, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(list, ", ")
}

// jsonLine is a line with a JSON object: its text, and its fields by name.
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

// columns returns the fields with these names.
func (l jsonLine) columns(names []string) ([]string, error) {
	columns := make([]string, len(names))
	for i, name := range names {
		raw, there := l.fields[name]
		switch {
		case !there || string(raw) == "null":
			return nil, mapreduce.BadRecord(fmt.Errorf("no field %s", strconv.Quote(name)))
		case raw[0] == '{' || raw[0] == '[':
			return nil, mapreduce.BadRecord(fmt.Errorf("field %s: no text, number, true or false", strconv.Quote(name)))
		case raw[0] != '"':
			columns[i] = withoutExponent(string(raw))
		default:
			if err := json.Unmarshal(raw, &columns[i]); err != nil {
				return nil, mapreduce.BadRecord(err)
			}
		}
	}
	return columns, nil
}

// withoutExponent writes 15e-1 as 1.5, since jobs read plain decimal numbers. Numbers too large for
// these stay unchanged.
func withoutExponent(number string) string {
	at := strings.IndexAny(number, "eE")
	if at < 0 || at > 60 {
		return number
	}
	if exponent, err := strconv.Atoi(number[at+1:]); err != nil || exponent < -60 || exponent > 60 {
		return number
	}
	n, _ := new(big.Rat).SetString(number) // valid, since it is a JSON number
	digits, _ := n.FloatPrec()
	return n.FloatString(digits)
}

// errLineFeed is the error for a column that contains a line feed, where a job writes lines.
var errLineFeed = mapreduce.BadRecord(errors.New("a column holds a line feed, which the lines that this job writes cannot hold"))

// joinedBy returns a function that joins a row's columns with a separator. Columns must not contain
// it, since the job splits them.
func joinedBy(separator byte) func(text []byte, columns []string) ([]byte, error) {
	return func(_ []byte, columns []string) ([]byte, error) {
		between := string([]byte{separator})
		for _, text := range columns {
			switch {
			case strings.Contains(text, "\n"):
				return nil, errLineFeed
			case len(columns) > 1 && strings.Contains(text, between):
				return nil, mapreduce.BadRecord(fmt.Errorf("column %s holds %q, which stands between columns here", cut([]byte(text)), between))
			}
		}
		return []byte(strings.Join(columns, between)), nil
	}
}

// Numbered returns the records that Top reads: lines, or of a parsed table the length of the last
// selected column (4 bytes), this column and the record's text. A pair would take a third more
// time.
func (t *Table) Numbered(src []mapreduce.Source) mapreduce.Input[[]byte] {
	if !t.Parsed() {
		return mapreduce.Lines(src...)
	}
	return rowsOf(t, src, func(text []byte, columns []string) ([]byte, error) {
		number := columns[len(columns)-1]
		rec := binary.BigEndian.AppendUint32(nil, uint32(len(number)))
		return append(append(rec, number...), text...), nil
	})
}

// number returns the number of a record of Numbered, and its line.
func (t *Table) number(rec []byte) (number, line []byte) {
	if t.Parsed() {
		n := 4 + binary.BigEndian.Uint32(rec)
		return rec[4:n], rec[n:]
	}
	text := withoutCR(rec)
	return text[bytes.LastIndexByte(text, t.separator())+1:], rec
}

// Records returns each record as text: CSV stays CSV if Columns is empty; otherwise its columns are
// separated by tabs. If oneLine is set, a record with a line feed is an error.
func (t *Table) Records(src []mapreduce.Source, oneLine bool) mapreduce.Input[[]byte] {
	if len(t.Columns) > 0 || !t.CSV {
		return t.Joined(src, '\t')
	}
	return rowsOf(t, src, func(_ []byte, columns []string) ([]byte, error) {
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		w.Comma = rune(t.separator())
		err := w.Write(columns)
		w.Flush()
		text := bytes.TrimSuffix(b.Bytes(), []byte{'\n'})
		if oneLine && bytes.IndexByte(text, '\n') >= 0 {
			err = errLineFeed
		}
		return text, err
	})
}

// Pairs returns the first two columns of each record.
func (t *Table) Pairs(src []mapreduce.Source) mapreduce.Input[mapreduce.Pair[[]byte, []byte]] {
	if !t.Parsed() {
		return mapreduce.KeyValueLines(t.separator(), src...)
	}
	return rowsOf(t, src, func(_ []byte, columns []string) (pair mapreduce.Pair[[]byte, []byte], err error) {
		if strings.Contains(columns[0], "\n") {
			return pair, errLineFeed
		}
		return mapreduce.MakePair([]byte(columns[0]), []byte(columns[1])), nil
	})
}

// Joined returns each record as a line: its columns, separated by `between`.
func (t *Table) Joined(src []mapreduce.Source, between byte) mapreduce.Input[[]byte] {
	if t.Parsed() || t.separator() != between {
		return rowsOf(t, src, joinedBy(between))
	}
	return mapreduce.Lines(src...)
}
