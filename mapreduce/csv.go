package mapreduce

import (
	"cmp"
	"reflect"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/csvfile"
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
func (r CSVRecord) Column(name string) int { return csvfile.Find(r.Header, name) }

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
	convert := func(_ *csvfile.File, r csvfile.Record) (CSVRecord, error) { return CSVRecord(r), nil }
	return Input[CSVRecord]{
		sources: sources, plan: cluster.InputPlan{Wrong: csvfile.Options(o).Check()},
		read: csvfile.Read(csvfile.Options(o), nil, convert),
	}
}

// CSVRows is [CSV] with each record decoded into a struct T. With CSVOptions.Header, an exported
// field receives the column of its name, or of its tag csv:"name", ignoring case. Other columns are
// ignored; a missing one is an error. Without Header, fields receive columns in order. A field with
// the tag csv:"-" is skipped.
//
// Fields are strings, bools, integers, floats (as package strconv parses them) and types with
// UnmarshalText; any other type is an error of Bind. An empty string leaves a field zero and does
// not reach UnmarshalText. A record that cannot be decoded is a bad record; its error names line,
// column and header.
func CSVRows[T any](o CSVOptions, sources ...Source) Input[T] {
	columns, wrong := csvfile.Columns(reflect.TypeFor[T]())
	convert := func(f *csvfile.File, r csvfile.Record) (row T, err error) {
		err = f.Fill(reflect.ValueOf(&row).Elem(), r.Fields)
		return row, err
	}
	return Input[T]{
		sources: sources, plan: cluster.InputPlan{Wrong: cmp.Or(csvfile.Options(o).Check(), wrong)},
		read: csvfile.Read(csvfile.Options(o), columns, convert),
	}
}
