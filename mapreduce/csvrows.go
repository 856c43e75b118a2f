package mapreduce

import (
	"cmp"
	"encoding"
	"fmt"
	"reflect"
	"strconv"

	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

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
	columns, wrong := csvColumns(reflect.TypeFor[T]())
	in := csvInput(o, sources, columns, func(f *csvFile, r CSVRecord) (row T, err error) {
		v := reflect.ValueOf(&row).Elem()
		for _, c := range f.columns {
			if err := f.fill(v.Field(c.field), c, r.Fields); err != nil {
				return row, err
			}
		}
		return row, nil
	})
	in.plan.Wrong = cmp.Or(in.plan.Wrong, wrong)
	return in
}

// csvColumn is a column that a field of a struct receives.
type csvColumn struct {
	name  string
	field int // index in the struct
	at    int // index in the file; see findColumns
	parse func(to reflect.Value, text string) error
}

func csvColumns(t reflect.Type) (list []csvColumn, err error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("CSVRows of %s: rows are structs; see CSV for slices of strings", t)
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name := f.Tag.Get("csv")
		if !f.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		parse, err := parseText(f.Type)
		if err != nil {
			return nil, fmt.Errorf("CSVRows of %s: field %s: %w", t, f.Name, err)
		}
		list = append(list, csvColumn{name, i, len(list), parse})
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("CSVRows of %s: it has no exported fields", t)
	}
	return list, nil
}

var textUnmarshalerType = reflect.TypeFor[encoding.TextUnmarshaler]()

// parseText returns a function that parses text into a value of type t.
func parseText(t reflect.Type) (func(reflect.Value, string) error, error) {
	if reflect.PointerTo(t).Implements(textUnmarshalerType) {
		return func(to reflect.Value, text string) error {
			return fault.Recovered(func() error {
				return to.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text))
			})
		}, nil
	}
	switch t.Kind() {
	case reflect.String:
		return func(to reflect.Value, text string) error { to.SetString(text); return nil }, nil
	case reflect.Bool:
		return parseWith(strconv.ParseBool, reflect.Value.SetBool), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		parse := func(text string) (int64, error) { return strconv.ParseInt(text, 10, t.Bits()) }
		return parseWith(parse, reflect.Value.SetInt), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		parse := func(text string) (uint64, error) { return strconv.ParseUint(text, 10, t.Bits()) }
		return parseWith(parse, reflect.Value.SetUint), nil
	case reflect.Float32, reflect.Float64:
		parse := func(text string) (float64, error) { return strconv.ParseFloat(text, t.Bits()) }
		return parseWith(parse, reflect.Value.SetFloat), nil
	default:
		return nil, codec.Refuse(nil, t, "give it UnmarshalText")
	}
}

func parseWith[X any](parse func(string) (X, error), set func(reflect.Value, X)) func(reflect.Value, string) error {
	return func(to reflect.Value, text string) error {
		x, err := parse(text)
		if e, ok := err.(*strconv.NumError); ok { //nolint:errorlint // as strconv gives it
			err = e.Err
		}
		set(to, x)
		return err
	}
}

// findColumns finds the columns in the header.
func (f *csvFile) findColumns() error {
	for i := range f.columns {
		c := &f.columns[i]
		if c.at = (CSVRecord{Header: f.header}).Column(c.name); c.at < 0 {
			return Permanent(fmt.Errorf("%s: no column %q, but %q", f.Source.Name(), c.name, f.header))
		}
	}
	return nil
}

// fill parses column c of a record into a field of a struct.
func (f *csvFile) fill(to reflect.Value, c csvColumn, fields []string) error {
	if c.at >= len(fields) {
		line, _ := f.place(0)
		return BadRecord(fmt.Errorf("line %d: no column %q: the record has %d fields", line, c.name, len(fields)))
	}
	text := fields[c.at]
	if text == "" {
		return nil
	}
	err := c.parse(to, text)
	if err != nil {
		line, column := f.place(c.at)
		return BadRecord(fmt.Errorf("line %d, column %d: %s %s: %w", line, column, c.name, fault.QuotedText(text), err))
	}
	return nil
}
