package csvfile

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/read"
)

// Options are mapreduce.CSVOptions, which documents them.
type Options struct {
	Comma     rune
	Header    bool
	Fields    int
	TrimSpace bool
}

// Check returns an error if the options are invalid.
func (o Options) Check() error {
	if r := o.Comma; r == '"' || r == '\r' || r == '\n' || r == utf8.RuneError || !utf8.ValidRune(r) {
		return fmt.Errorf("CSVOptions: %q cannot be Comma", r)
	}
	return nil
}

func (o Options) comma() rune {
	if o.Comma == 0 {
		return ','
	}
	return o.Comma
}

// Record is a mapreduce.CSVRecord, which documents it.
type Record struct {
	Header []string
	Fields []string
	Text   []byte
}

// Read returns an input that yields what convert returns for each record of files that must have
// these columns.
func Read[I any](o Options, columns []Column, convert func(f *File, r Record) (I, error)) read.Input[I] {
	return func(s *read.Reader, yield func([]I) error) error {
		f, one := &File{Reader: s, o: o, want: o.Fields, columns: slices.Clone(columns), ends: new(ends)}, read.Singly(yield)
		f.yield = func(r Record) error {
			rec, err := convert(f, r)
			if err != nil {
				return f.BadRecord(err)
			}
			return one(rec)
		}
		return s.Runs(f.ends, f.run)
	}
}

// File reads a split of a CSV file.
type File struct {
	*read.Reader
	o       Options
	ends    *ends
	yield   func(Record) error
	header  []string // names of the columns
	columns []Column // that fields of a row receive
	want    int      // required fields per record; 0: not yet known, negative: any number
	begun   bool     // header and want are known
	lines   int64    // line feeds of the split before the current run

	parser *csv.Reader // of the current run, whole records in memory
	before int64       // line feeds before it
}

// place returns where a field of the current record begins: its line in the file, and its column in
// bytes, from 1.
func (f *File) place(field int) (line int64, column int) {
	in, column := f.parser.FieldPos(field)
	return f.before + int64(in), column
}

// run yields the records of a run.
func (f *File) run(run []byte) error {
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
func (f *File) parse(r io.Reader, before int64) *csv.Reader {
	c := csv.NewReader(r)
	c.Comma, c.TrimLeadingSpace = f.o.comma(), f.o.TrimSpace
	c.FieldsPerRecord = -1
	c.ReuseRecord = true
	f.parser, f.before = c, before
	return c
}

// readHead reads the file's first record for a split that begins later: it has the header.
func (f *File) readHead() error {
	f.begun = true
	if !f.o.Header && f.want != 0 {
		return nil
	}
	data := f.Source.Data
	mark := make([]byte, len(read.ByteOrderMark))
	if n, err := data.ReadAt(mark, 0); err != nil && !errors.Is(err, io.EOF) {
		return input.Named(f.Source, err)
	} else if string(mark[:n]) != read.ByteOrderMark {
		mark = nil
	}
	r := f.parse(io.NewSectionReader(data, int64(len(mark)), min(data.Size(), f.Largest())), 0)
	first, err := r.Read()
	if err == io.EOF { //nolint:errorlint // as Read gives it
		return nil
	}
	if err != nil {
		return fault.Permanent(fmt.Errorf("%s: %w", f.Source.Name(), f.misread(err)))
	}
	_, err = f.takeHead(first)
	return err
}

// takeHead reads header and field count from the first record of a file, and reports whether it is
// the header.
func (f *File) takeHead(first []string) (header bool, err error) {
	f.begun = true
	if f.want == 0 {
		f.want = len(first)
	}
	if !f.o.Header {
		return false, nil
	}
	f.header = slices.Clone(first)
	if err := f.count(first); err != nil {
		return true, fault.Permanent(fmt.Errorf("%s: header: %w", f.Source.Name(), err))
	}
	return true, f.findColumns()
}

// count returns an error if the current record has the wrong number of fields.
func (f *File) count(fields []string) error {
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
func (f *File) eachRecord(run []byte) error {
	at, text := f.At, run
	if at == 0 {
		text = bytes.TrimPrefix(run, []byte(read.ByteOrderMark))
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
			return f.BadRecord(fault.Permanent(f.misread(err)))
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
			err = f.BadRecord(fault.Bad(err))
		} else {
			err = f.yield(Record{Header: f.header, Fields: fields, Text: rec})
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
func (f *File) misread(err error) error {
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
