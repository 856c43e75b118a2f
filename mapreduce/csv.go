package mapreduce

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/read"
)

// CSVOptions describe the format of CSV files. The zero value is RFC 4180 without a header row, as
// [encoding/csv] reads it.
type CSVOptions struct {
	// Comma separates fields; 0 means ','. It cannot be a quote, line feed or carriage return.
	Comma rune
	// Header makes the first record of each file name its columns; that record is not part of the
	// input.
	Header bool
	// Fields is the required number of fields per record. 0 requires the number of the file's first
	// record; a negative number allows any.
	Fields int
	// TrimSpace removes white space at the beginning of fields, even before a quote.
	TrimSpace bool
}

// check returns an error if the options are invalid.
func (o CSVOptions) check() error {
	if r := o.Comma; r == '"' || r == '\r' || r == '\n' || r == utf8.RuneError || !utf8.ValidRune(r) {
		return fmt.Errorf("CSVOptions: %q cannot be Comma", r)
	}
	return nil
}

func (o CSVOptions) comma() rune {
	if o.Comma == 0 {
		return ','
	}
	return o.Comma
}

// CSVRecord is a record of a CSV file, from [CSV].
type CSVRecord struct {
	// Header has the names of the columns, in the order of Fields; nil without CSVOptions.Header.
	// It is shared: do not change it.
	Header []string
	// Fields are the unquoted fields. The slice is valid until the map returns; its strings may be
	// kept.
	Fields []string
	// Text is the record as stored, with quotes but without its line end. It is valid until the map
	// returns.
	Text []byte
}

// Column returns the index in Fields of the column called name, or -1. If no name matches exactly,
// it ignores case and surrounding white space.
func (r CSVRecord) Column(name string) int {
	if i := slices.Index(r.Header, name); i >= 0 {
		return i
	}
	return slices.IndexFunc(r.Header, func(h string) bool { return strings.EqualFold(strings.TrimSpace(h), name) })
}

// CSV yields the records of CSV files, as [encoding/csv] reads a whole file. Quoted fields may
// contain commas, line feeds and doubled quotes. Empty lines and a byte order mark are skipped.
//
// Files can be split at any byte, even within quotes: CSV counts the quotes before a split to find
// its first record. So a file of several splits is scanned twice.
//
// A record with the wrong number of fields is a bad record, as for [Decoded]. A misplaced quote
// always ends the attempt, because the beginning of the next record is then unknown. Errors name
// file, line and column.
func CSV(o CSVOptions, sources ...Source) Input[CSVRecord] {
	return csvInput(o, sources, nil, func(_ *csvFile, r CSVRecord) (CSVRecord, error) { return r, nil })
}

// csvInput yields what convert returns for each record of files that must have these columns.
func csvInput[I any](o CSVOptions, sources []Source, columns []csvColumn, convert func(f *csvFile, r CSVRecord) (I, error)) Input[I] {
	return Input[I]{
		sources: sources, plan: cluster.InputPlan{Wrong: o.check()},
		read: func(s *read.Reader, yield func([]I) error) error {
			f, one := &csvFile{Reader: s, o: o, want: o.Fields, columns: slices.Clone(columns), ends: new(csvEnds)}, read.Singly(yield)
			f.yield = func(r CSVRecord) error {
				rec, err := convert(f, r)
				if err != nil {
					return f.BadRecord(err)
				}
				return one(rec)
			}
			return s.Runs(f.ends, f.run)
		},
	}
}

// csvFile reads a split of a CSV file.
type csvFile struct {
	*read.Reader
	o       CSVOptions
	ends    *csvEnds
	yield   func(CSVRecord) error
	header  []string    // names of the columns
	columns []csvColumn // that fields of a row receive
	want    int         // required fields per record; 0: not yet known, negative: any number
	begun   bool        // header and want are known
	lines   int64       // line feeds of the split before the current run

	parser *csv.Reader // of the current run, whole records in memory
	before int64       // line feeds before it
}

// place returns where a field of the current record begins: its line in the file, and its column in
// bytes, from 1.
func (f *csvFile) place(field int) (line int64, column int) {
	in, column := f.parser.FieldPos(field)
	return f.before + int64(in), column
}

// run yields the records of a run.
func (f *csvFile) run(run []byte) error {
	if len(run) > memory.LeastLargest {
		if err := f.CheckLength(len(run)); err != nil {
			return fmt.Errorf("%w; is a quote not closed?", err)
		}
	}
	if f.At > 0 && !f.begun {
		if err := f.readHead(); err != nil {
			return err
		}
	}
	err := f.eachRecord(run)
	f.lines += int64(bytes.Count(run, []byte{'\n'}))
	return err
}

// parse returns a parser of r, which begins after `before` line feeds.
func (f *csvFile) parse(r io.Reader, before int64) *csv.Reader {
	c := csv.NewReader(r)
	c.Comma, c.TrimLeadingSpace = f.o.comma(), f.o.TrimSpace
	c.FieldsPerRecord = -1
	c.ReuseRecord = true
	f.parser, f.before = c, before
	return c
}

// readHead reads the file's first record for a split that begins later: it has the header.
func (f *csvFile) readHead() error {
	f.begun = true
	if !f.o.Header && f.want != 0 {
		return nil
	}
	data := f.Source.Data
	mark := make([]byte, len(byteOrderMark))
	if n, err := data.ReadAt(mark, 0); err != nil && !errors.Is(err, io.EOF) {
		return input.Named(f.Source, err)
	} else if string(mark[:n]) != byteOrderMark {
		mark = nil
	}
	r := f.parse(io.NewSectionReader(data, int64(len(mark)), min(data.Size(), f.Largest())), 0)
	first, err := r.Read()
	if err == io.EOF { //nolint:errorlint // as Read gives it
		return nil
	}
	if err != nil {
		return Permanent(fmt.Errorf("%s: %w", f.Source.Name(), f.misread(err)))
	}
	_, err = f.takeHead(first)
	return err
}

// takeHead reads header and field count from the first record of a file, and reports whether it is
// the header.
func (f *csvFile) takeHead(first []string) (header bool, err error) {
	f.begun = true
	if f.want == 0 {
		f.want = len(first)
	}
	if !f.o.Header {
		return false, nil
	}
	f.header = slices.Clone(first)
	if err := f.count(first); err != nil {
		return true, Permanent(fmt.Errorf("%s: header: %w", f.Source.Name(), err))
	}
	return true, f.findColumns()
}

// count returns an error if the current record has the wrong number of fields.
func (f *csvFile) count(fields []string) error {
	if f.want < 0 || len(fields) == f.want {
		return nil
	}
	line, _ := f.place(0)
	if f.o.Fields > 0 {
		return fmt.Errorf("line %d: %d fields, not %d", line, len(fields), f.want)
	}
	return fmt.Errorf("line %d: %d fields, but the first record has %d", line, len(fields), f.want)
}

// eachRecord parses run, which consists of whole records, and yields each.
func (f *csvFile) eachRecord(run []byte) error {
	at, text := f.At, run
	if at == 0 {
		text = bytes.TrimPrefix(run, []byte(byteOrderMark))
	}
	at += int64(len(run) - len(text))
	for r := f.parse(bytes.NewReader(text), f.ends.lines+f.lines); ; {
		from := r.InputOffset()
		fields, err := r.Read()
		if err == io.EOF { //nolint:errorlint // as Read gives it
			return nil
		}
		rec := trimEnds(text[from:r.InputOffset()])
		f.At = at + int64(cap(text)-cap(rec)) // rec is a part of text
		f.EnterRecord(rec)
		if err != nil {
			return f.BadRecord(Permanent(f.misread(err)))
		}
		if !f.begun {
			header, err := f.takeHead(fields)
			if err != nil {
				return err
			}
			if header {
				continue
			}
		}
		if err = f.count(fields); err != nil {
			err = f.BadRecord(BadRecord(err))
		} else {
			err = f.yield(CSVRecord{Header: f.header, Fields: fields, Text: rec})
		}
		if err != nil {
			return err
		}
	}
}

// trimEnds removes empty lines before a record, and the line end after it.
func trimEnds(rec []byte) []byte {
	for i := bytes.IndexByte(rec, '\n'); i == 0 || i == 1 && rec[0] == '\r'; i = bytes.IndexByte(rec, '\n') {
		rec = rec[i+1:]
	}
	return bytes.TrimSuffix(bytes.TrimSuffix(rec, []byte{'\n'}), []byte{'\r'})
}

// misread adds the line in the file to an error of the parser.
func (f *csvFile) misread(err error) error {
	bad, ok := errors.AsType[*csv.ParseError](err)
	if !ok {
		return input.Named(f.Source, err)
	}
	text := fmt.Sprintf("line %d, column %d", f.before+int64(bad.Line), bad.Column)
	if bad.StartLine != bad.Line {
		text += fmt.Sprintf(" of a record that begins on line %d", f.before+int64(bad.StartLine))
	}
	return fmt.Errorf("%s: %w", text, bad.Err)
}
