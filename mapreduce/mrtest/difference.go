package mrtest

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/tarry-mr/tarry/mapreduce/internal/alike"
)

// compare returns an error for two runs whose outputs differ; it names the first record that does.
// It compares part by part. A job without reduces has a part for each split, so its parts are
// concatenated first. Of runs with different numbers of reduces it compares all records, sorted by
// their text.
func (c *check[O]) compare(base, o *outcome[O]) error {
	was, is, of := base.parts, o.parts, "part %d, record %d"
	switch {
	case c.reduces == 0:
		was, is = [][]O{slices.Concat(was...)}, [][]O{slices.Concat(is...)}
	case len(was) != len(is):
		was, is, of = sorted(was), sorted(is), "of all records in order, part %d, record %d"
	}
	for p := range was {
		a, b := was[p], is[p]
		for i := range max(len(a), len(b)) {
			at := fmt.Sprintf(of, p, i)
			switch {
			case i >= len(b):
				return differs(base, o, fmt.Sprintf("%s is missing, which is %s", at, show(a[i])), a[i])
			case i >= len(a):
				return differs(base, o, fmt.Sprintf("%s is %s, where there is none", at, show(b[i])), b[i])
			case !alike.Equal(a[i], b[i], c.Within):
				return differs(base, o, fmt.Sprintf("%s is %s, but %s", at, show(b[i]), show(a[i])), b[i])
			}
		}
	}
	return nil
}

// sorted returns the records of all parts as one part, ordered by their text.
func sorted[O any](parts [][]O) [][]O {
	list := slices.Concat(parts...)
	slices.SortStableFunc(list, func(a, b O) int { return strings.Compare(show(a), show(b)) })
	return [][]O{list}
}

// differs returns the error for a record at which two runs differ.
func differs[O any](base, o *outcome[O], what string, record O) error {
	why := o.why
	if poisoned(textOf(reflect.ValueOf(&record).Elem())) {
		why = `\xdb is what is written over byte slices whose lifetime has ended: copy what is to be kept (bytes.Clone)`
	}
	text := fmt.Sprintf("%v: %s %v", o.variant, what, base.variant)
	if why != "" {
		text += "\n" + why
	}
	return errors.New(text)
}

// poisoned reports whether the text of a value shows the bytes of an invalid byte slice:
// memory.Poison.
func poisoned(text string) bool {
	return strings.Contains(text, `\xdb\xdb`) || strings.Contains(text, `"\xdb"`)
}

// longest is the maximum length in bytes of a record's text in an error.
const longest = 200

// show returns the text of a record for an error, cut if it is long.
func show[O any](o O) string {
	text := textOf(reflect.ValueOf(&o).Elem())
	if len(text) > longest {
		return fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(text[:longest], ""), len(text))
	}
	return text
}

func textOf(v reflect.Value) string {
	if s, ok := stringer(v); ok {
		return s
	}
	switch v.Kind() {
	case reflect.String:
		return fmt.Sprintf("%q", v.String())
	case reflect.Struct:
		var list []string
		for _, field := range v.Fields() {
			list = append(list, textOf(field))
		}
		return "{" + strings.Join(list, " ") + "}"
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
			return fmt.Sprintf("%q", v.Bytes())
		}
		var list []string
		for i := range v.Len() {
			list = append(list, textOf(v.Index(i)))
		}
		return "[" + strings.Join(list, " ") + "]"
	default:
		return fmt.Sprintf("%v", v)
	}
}

// stringer returns the text of a value by its String method, if it has one.
func stringer(v reflect.Value) (string, bool) {
	if !v.CanInterface() || v.Kind() == reflect.Pointer && v.IsNil() {
		return "", false
	}
	s, ok := reflect.TypeAssert[fmt.Stringer](v)
	if !ok {
		return "", false
	}
	return s.String(), true
}
