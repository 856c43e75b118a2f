package policyfile

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
)

// ErrBad is wrapped by every error about a policy file or setting.
var ErrBad = errors.New("bad policy")

// Field is one setting of a policy.
type Field struct {
	Key  string // in files, --set and sweeps, such as reduce.theta
	Help string // its meaning, in one line
	Path string // of the Go field, such as Reduce.Theta; elements of an array are .0 and .1. Empty: derived from Key

	// Least and Most limit numbers; for times they are in seconds.
	Least, Most float64
	Unset       string // the text for the zero value of the Go field; empty: the value itself

	words []word   // named values; of two with one name, a file means the last
	only  bool     // only the named values are allowed
	needs []need   // conditions without which the setting has no effect
	items []*Field // settings of the entries of a list
	parse func(string) error
	typ   reflect.Type // of the Go field, or of the elements of a list
}

// word is a named value.
type word struct {
	text  string
	value any // nil: the zero value; -1: any negative value
}

// in returns the value as one of type t.
func (w word) in(t reflect.Type) reflect.Value {
	if w.value == nil {
		return reflect.Zero(t)
	}
	return reflect.ValueOf(w.value).Convert(t)
}

// need is a condition: the setting key must have one of values, which are separated by spaces. If
// values is empty, it must not be 0.
type need struct{ key, values string }

// IsList reports whether the setting is a list of pools, users or queues, which only a file can
// set.
func (f *Field) IsList() bool { return f.items != nil }

// IsSwitch reports whether the setting is on or off.
func (f *Field) IsSwitch() bool { return f.typ.Kind() == reflect.Bool }

// Range returns the allowed values, in words.
func (f *Field) Range() string {
	var names []string
	if f.Most > 0 {
		names = append(names, f.numbers())
	}
	for _, w := range f.words {
		isNumber := strings.IndexAny(w.text, "0123456789") == 0
		if !isNumber && !slices.Contains(names, w.text) {
			names = append(names, w.text)
		}
	}
	if f.only {
		return strings.Join(names, ", ")
	}
	return strings.Join(names, " or ")
}

// numbers returns the range of a number as text, such as "0 to 1" or "0 or more".
func (f *Field) numbers() string {
	unit := strings.TrimPrefix(f.number(0), "0")
	switch {
	case (f.Most < maxSeconds || f.Most < maxNumber && unit == "") && f.Least == minPositive:
		return "above 0" + unit + ", at most " + f.number(f.Most)
	case f.Most < maxSeconds || f.Most < maxNumber && unit == "":
		return f.number(f.Least) + " to " + f.number(f.Most)
	case f.Least == minPositive:
		return "above 0" + unit
	default:
		return f.number(f.Least) + " or more"
	}
}

// typed sets Path and typ of the settings in list, which are those of the Go struct `of`.
func typed(list []*Field, of reflect.Type) []*Field {
	for _, f := range list {
		f.Path = cmp.Or(f.Path, pathOf(f.Key))
		f.typ = f.of(reflect.New(of)).Type()
		if f.typ.Kind() == reflect.Slice {
			f.typ = f.typ.Elem()
		}
		if f.items != nil {
			f.items = typed(f.items, f.typ)
		}
	}
	return list
}

// pathOf returns the path of the Go field for a key: HFSP.SuspendLow for hfsp.suspend_low.
func pathOf(key string) string {
	var path strings.Builder
	for part := range strings.SplitAfterSeq(strings.Replace(key, "hfsp.", "HFSP.", 1), ".") {
		for word := range strings.SplitSeq(part, "_") {
			path.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return path.String()
}

// number formats a bound of the setting in the notation of its values.
func (f *Field) number(x float64) string {
	if f.typ == reflect.TypeFor[time.Duration]() {
		return spanText(time.Duration(x * float64(time.Second)))
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// of returns the Go field in the struct that root points to.
func (f *Field) of(root reflect.Value) reflect.Value {
	v := root.Elem()
	for part := range strings.SplitSeq(f.Path, ".") {
		if i, err := strconv.Atoi(part); err == nil {
			v = v.Index(i)
		} else {
			v = v.FieldByName(part)
		}
	}
	return v
}

// Text returns the value of the setting in a policy as text. Lists of numbers are separated by
// slashes; a list of pools, users or queues is printed in Go's %+v format.
func (f *Field) Text(p *scheduling.Policy) string { return f.text(f.of(reflect.ValueOf(p))) }

func (f *Field) text(v reflect.Value) string {
	if v.Kind() == reflect.Slice {
		if f.items != nil {
			return fmt.Sprintf("%+v", v)
		}
		var parts []string
		for i := range v.Len() {
			parts = append(parts, plainText(v.Index(i)))
		}
		return strings.Join(parts, "/")
	}
	named := v
	if v.CanInt() && v.Int() < 0 || v.CanFloat() && v.Float() < 0 {
		named = word{value: -1}.in(v.Type())
	}
	for _, w := range f.words {
		if named.Equal(w.in(v.Type())) {
			return w.text
		}
	}
	return plainText(v)
}

// plainText formats a value without its special names.
func plainText(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case time.Duration:
		return spanText(x)
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	case string:
		return x
	}
	return fmt.Sprint(v.Interface())
}

// spanText formats a time without the trailing zero units of time.Duration.
func spanText(d time.Duration) string {
	s := d.String()
	if whole, zero := strings.CutSuffix(s, "m0s"); zero {
		s = whole + "m"
	}
	if whole, zero := strings.CutSuffix(s, "h0m"); zero {
		s = whole + "h"
	}
	return s
}

// Set sets the setting in a policy; the elements of a list are separated by slashes.
func (f *Field) Set(p *scheduling.Policy, text string) error {
	if f.IsList() {
		return fmt.Errorf("%w: %s: only a file can set this list", ErrBad, f.Key)
	}
	return f.setText(f.of(reflect.ValueOf(p)), text)
}

// setText sets a Go field to a value in text; the elements of a list are separated by slashes.
func (f *Field) setText(v reflect.Value, text string) error {
	if v.Kind() != reflect.Slice {
		return f.set(v, text)
	}
	list := reflect.Zero(v.Type())
	parts := strings.Split(text, "/")
	if text == "" {
		parts = nil
	}
	for _, part := range parts {
		item := reflect.New(v.Type().Elem()).Elem()
		if err := f.set(item, part); err != nil {
			return err
		}
		list = reflect.Append(list, item)
	}
	v.Set(list)
	return nil
}

// set sets v, a Go field or an element of one, to the value in text.
func (f *Field) set(v reflect.Value, text string) error {
	bad := func(why string) error { return fmt.Errorf("%w: %s: %.40q: %s", ErrBad, f.Key, text, why) }
	if f.setWord(v, text) {
		return nil
	}
	if f.only {
		return bad("want " + f.Range())
	}
	if v.Kind() == reflect.Bool {
		if text != "true" && text != "false" {
			return bad("want true or false")
		}
		v.SetBool(text == "true")
		return nil
	}
	if v.Kind() == reflect.String {
		if err := f.parse(text); err != nil {
			return bad(err.Error())
		}
		v.SetString(text)
		return nil
	}
	return f.setInRange(v, text, bad)
}

// setWord sets v to the value that is called text, and reports whether there is one.
func (f *Field) setWord(v reflect.Value, text string) bool {
	for _, w := range slices.Backward(f.words) {
		if text == w.text {
			v.Set(w.in(v.Type()))
			return true
		}
	}
	return false
}

// setInRange sets v to the number in text, if it is in range. If 0 is a name, because the Go value
// 0 means the default, it sets v to the value with that name for 0.
func (f *Field) setInRange(v reflect.Value, text string, bad func(string) error) error {
	x, ok := readNumber(v.Type(), text)
	switch {
	case !ok:
		return bad("want " + numberKind(v.Type()) + ", " + f.Range())
	case x > f.Most && !strings.Contains(f.Range(), f.number(f.Most)):
		return bad("at most " + f.number(f.Most))
	case !(x >= f.Least && x <= f.Most):
		return bad("want " + f.Range())
	case x == 0 && f.setWord(v, f.number(0)):
		return nil
	}
	setNumber(v, x)
	return nil
}

// numberKind describes the format of a number type.
func numberKind(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[time.Duration]():
		return "a time such as 5s or 1m30s"
	case t.Kind() == reflect.Float64:
		return "a number"
	}
	return "a whole number"
}

// readNumber parses a number, or a time in seconds.
func readNumber(t reflect.Type, text string) (float64, bool) {
	if t == reflect.TypeFor[time.Duration]() {
		if d, err := time.ParseDuration(text); err == nil {
			return d.Seconds(), true
		}
	}
	x, err := strconv.ParseFloat(text, 64)
	if t.Kind() == reflect.Int && x != float64(int(x)) {
		return 0, false
	}
	return x, err == nil
}

// setNumber sets a Go field to a number, or to a time in seconds.
func setNumber(v reflect.Value, x float64) {
	switch {
	case v.Type() == reflect.TypeFor[time.Duration]():
		v.SetInt(int64(time.Duration(x * float64(time.Second)).Round(time.Nanosecond)))
	case v.CanInt():
		v.SetInt(int64(x))
	default:
		v.SetFloat(x)
	}
}

// Idle returns why the setting has no effect in a policy, or "".
func (f *Field) Idle(p *scheduling.Policy) string {
	for _, n := range f.needs {
		have := byKey(Fields(), n.key).Text(p)
		switch {
		case n.values == "" && have == "0":
			return fmt.Sprintf("with %s 0", n.key)
		case n.values != "" && !slices.Contains(strings.Fields(n.values), have):
			return fmt.Sprintf("with %s %s, only with %s", n.key, have, strings.ReplaceAll(n.values, " ", " or "))
		}
	}
	return ""
}
