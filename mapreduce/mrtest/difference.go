package mrtest

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/tarry-mr/tarry/mapreduce/internal/alike"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// compare returns an error if two runs with the same number of reduces differ; it names the first
// record that does. It compares part by part. For a job without reduces it compares the
// concatenated parts, because each split has a part.
func (c *check[O]) compare(base, o *outcome[O]) error {
	was, is := base.parts, o.parts
	if c.reduces == 0 {
		was, is = [][]O{slices.Concat(was...)}, [][]O{slices.Concat(is...)}
	}
	for p := range max(len(was), len(is)) {
		a, b := part(was, p), part(is, p)
		for i := range max(len(a), len(b)) {
			at := fmt.Sprintf("part %d, record %d", p, i)
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

func part[O any](parts [][]O, p int) []O {
	if p < len(parts) {
		return parts[p]
	}
	return nil
}

// placed is a record with its part and index.
type placed[O any] struct {
	part, index int
	record      O
	text        string
}

func (p placed[O]) String() string {
	return fmt.Sprintf("part %d, record %d, which is %s,", p.part, p.index, p.text)
}

// compareAny returns an error if two runs with different numbers of reduces have different records,
// regardless of their parts.
func (c *check[O]) compareAny(base, o *outcome[O]) error {
	was, is := sorted(base.parts), sorted(o.parts)
	for i := range max(len(was), len(is)) {
		switch {
		case i >= len(is):
			return differs(base, o, fmt.Sprintf("%v is missing", was[i]), was[i].record)
		case i >= len(was):
			return differs(base, o, fmt.Sprintf("%v is too many", is[i]), is[i].record)
		case !alike.Equal(was[i].record, is[i].record, c.Within):
			return differs(base, o, fmt.Sprintf("of all records in order %v is the first to differ, but %v", is[i], was[i]),
				is[i].record)
		}
	}
	return nil
}

// sorted returns all records, ordered by their text.
func sorted[O any](parts [][]O) []placed[O] {
	var list []placed[O]
	for p, records := range parts {
		for i, r := range records {
			list = append(list, placed[O]{p, i, r, show(r)})
		}
	}
	slices.SortStableFunc(list, func(a, b placed[O]) int { return strings.Compare(a.text, b.text) })
	return list
}

// differs returns the error for two runs that differ at record.
func differs[O any](base, o *outcome[O], what string, record O) error {
	why := o.why
	if poisoned(reflect.ValueOf(&record).Elem()) {
		why = `\xdb is what is written over byte slices whose lifetime has ended: copy what is to be kept (bytes.Clone)`
	}
	text := fmt.Sprintf("%v: %s %v", o.variant, what, base.variant)
	if why != "" {
		text += "\n" + why
	}
	return errors.New(text)
}

// poison is the content of a byte slice, of two bytes or more, whose lifetime has ended.
var poison = []byte{memory.Poison, memory.Poison}

// poisoned reports whether a value contains bytes whose lifetime has ended.
func poisoned(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String:
		return v.String() == string(poison[:1]) || strings.Contains(v.String(), string(poison))
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return bytes.Equal(v.Bytes(), poison[:1]) || bytes.Contains(v.Bytes(), poison)
		}
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			if poisoned(v.Index(i)) {
				return true
			}
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			if poisoned(field) {
				return true
			}
		}
	default:
	}
	return false
}

// longest is the maximum length of a record's text in errors, in bytes.
const longest = 200

// show returns the text of a record for errors.
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

// stringer returns the text of a value with a String method.
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
