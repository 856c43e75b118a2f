package csvfile

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// Column is a column that a field of a struct receives.
type Column struct {
	name  string
	field int // index in the struct
	at    int // index in the file; see findColumns
	parse func(to reflect.Value, text string) error
}

// Columns returns the columns of rows of type t, or an error if it cannot be one.
func Columns(t reflect.Type) (list []Column, err error) {
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
		list = append(list, Column{name, i, len(list), parse})
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

// Find returns the index of the column called name in a header, or -1. If no name matches exactly,
// it ignores case and surrounding white space.
func Find(header []string, name string) int {
	if i := slices.Index(header, name); i >= 0 {
		return i
	}
	return slices.IndexFunc(header, func(h string) bool { return strings.EqualFold(strings.TrimSpace(h), name) })
}

// findColumns finds the columns in the header.
func (f *File) findColumns() error {
	for i := range f.columns {
		c := &f.columns[i]
		if c.at = Find(f.header, c.name); c.at < 0 {
			return fault.Permanent(fmt.Errorf("%s: no column %q, but %q", f.Source.Name(), c.name, f.header))
		}
	}
	return nil
}

// Fill sets the fields of row, a struct, from the fields of the current record.
func (f *File) Fill(row reflect.Value, fields []string) error {
	for _, c := range f.columns {
		if err := f.fill(row.Field(c.field), c, fields); err != nil {
			return err
		}
	}
	return nil
}

// fill parses column c of a record into a field of a struct.
func (f *File) fill(to reflect.Value, c Column, fields []string) error {
	if c.at >= len(fields) {
		line, _ := f.place(0)
		return fault.Bad(fmt.Errorf("line %d: no column %q: the record has %d fields", line, c.name, len(fields)))
	}
	text := fields[c.at]
	if text == "" {
		return nil
	}
	err := c.parse(to, text)
	if err != nil {
		line, column := f.place(c.at)
		return fault.Bad(fmt.Errorf("line %d, column %d: %s %s: %w", line, column, c.name, fault.QuotedText(text), err))
	}
	return nil
}
