package parquet

import (
	"fmt"
	"strings"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// checkColumns returns an error for a column that is missing or does not fit T's field.
func checkColumns[T any](file *pq.Schema) error {
	schema := pq.SchemaOf(new(T))
	for _, path := range schema.Columns() {
		field, _ := schema.Lookup(path...)
		name := strings.Join(path, ".")
		column, there := file.Lookup(path...)
		if !there {
			return fmt.Errorf("no column %s, which %T has; there are %s", name, *new(T), names(file))
		}
		if column.MaxRepetitionLevel != field.MaxRepetitionLevel {
			return fmt.Errorf("column %s is repeated otherwise than in %T", name, *new(T))
		}
		if !fits(column.Node.Type(), field.Node.Type()) {
			return fmt.Errorf("column %s is %s, but in %T %s", name, column.Node.Type(), *new(T), field.Node.Type())
		}
	}
	return nil
}

// names lists the columns of a file.
func names(file *pq.Schema) string {
	var list []string
	for _, path := range file.Columns() {
		list = append(list, strings.Join(path, "."))
	}
	return strings.Join(list, ", ")
}

// fits reports whether a field of this type can hold each value of the column.
func fits(column, field pq.Type) bool {
	switch from, to := column.Kind(), field.Kind(); {
	case from == pq.Int32 && to == pq.Int64, from == pq.Float && to == pq.Double, from == to:
	default:
		return false
	}
	c, f := column.LogicalType(), field.LogicalType()
	if unit(c) != unit(f) && (unit(f) != "" || isDecimal(c)) {
		return false
	}
	cBits, cSigned, whole := integer(column)
	fBits, fSigned, _ := integer(field)
	return !whole || cBits <= fBits && cSigned == fSigned
}

// integer returns the bits and signedness of an integer type; whole is false for any other type.
func integer(t pq.Type) (bits int, signed, whole bool) {
	if l := t.LogicalType(); l != nil {
		if i, ok := l.Value.(*format.IntType); ok {
			return int(i.BitWidth), i.IsSigned, true
		}
	}
	switch t.Kind() {
	case pq.Int32:
		return 32, true, true
	case pq.Int64:
		return 64, true, true
	default:
		return 0, false, false
	}
}

// unit returns the name of a logical type that gives the bytes another meaning than a number or
// text: a time, date or decimal. It returns "" for other types.
func unit(l *format.LogicalType) string {
	if l == nil {
		return ""
	}
	switch l.Value.(type) {
	case *format.DecimalType, *format.DateType, *format.TimeType, *format.TimestampType:
		return l.String()
	}
	return ""
}

func isDecimal(l *format.LogicalType) bool {
	if l == nil {
		return false
	}
	_, ok := l.Value.(*format.DecimalType)
	return ok
}
