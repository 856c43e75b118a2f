package policyfile

import (
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/tarry-mr/tarry/internal/yamlfile"
	"github.com/tarry-mr/tarry/scheduling"
)

// File is a parsed policy file: a preset and changes to it.
type File struct {
	Scheduler string // the preset; hfs if the file names none
	sets      []assignment
	reader    yamlfile.Reader
}

// assignment is one key of a file and its value.
type assignment struct {
	field *Field
	key   yamlfile.Node
	value reflect.Value // of the Go field
}

// DefaultScheduler is the preset of a file that names none.
const DefaultScheduler = "hfs"

// Preset returns the named policy as clusters use it: with its default placement of reduces.
func Preset(name string) (scheduling.Policy, error) {
	p, err := scheduling.Preset(name)
	p.Reduce.Rule = scheduling.DefaultReduceRule(name)
	return p, err
}

// Read parses a policy file. Errors wrap ErrBad and begin with file, line and column. They report
// unknown keys (with the nearest known one), repeated keys, values out of range, and settings that
// do not fit together.
func Read(in io.Reader, name string) (*File, error) {
	f := &File{Scheduler: DefaultScheduler, reader: yamlfile.Reader{Name: name, Bad: ErrBad}}
	root, err := f.reader.Root(in)
	if err != nil {
		return nil, err
	}
	fields := f.group("")
	fields["scheduler"] = yamlfile.Value(&f.reader, &f.Scheduler, func(s string) (string, error) {
		if !slices.Contains(scheduling.Presets(), s) {
			return s, fmt.Errorf("unknown scheduler %.40q: want %s", s, strings.Join(scheduling.Presets(), ", "))
		}
		return s, nil
	})
	if err := f.reader.Mapping(root, fields); err != nil {
		return nil, err
	}
	p, err := f.Policy()
	if err == nil {
		_, err = scheduling.NewCore(scheduling.Config{}, p)
	}
	if err != nil {
		return nil, f.reader.Refuse(1, "%s", reason(err))
	}
	return f, nil
}

// reason returns the text of an error on one line, without the prefix of scheduling.ErrBadConfig.
func reason(err error) string {
	text := strings.ReplaceAll(err.Error(), "\n", "; ")
	return strings.ReplaceAll(text, scheduling.ErrBadConfig.Error()+": ", "")
}

// Policy returns the preset with all changes of the file.
func (f *File) Policy() (scheduling.Policy, error) {
	p, err := Preset(f.Scheduler)
	p.Name = f.Name()
	f.Apply(&p)
	return p, err
}

// Name returns the file's base name without extension. It is the policy's name if the file has no
// key "name".
func (f *File) Name() string {
	base := filepath.Base(f.reader.Name)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// Says reports whether the file sets a key that begins with above, such as "reduce.".
func (f *File) Says(above string) bool {
	begins := func(a assignment) bool { return strings.HasPrefix(a.field.Key, above) }
	return slices.ContainsFunc(f.sets, begins)
}

// Apply applies the settings of the file to a policy.
func (f *File) Apply(p *scheduling.Policy) {
	for _, a := range f.sets {
		a.field.of(reflect.ValueOf(p)).Set(a.value)
	}
}

// Idle returns an error if a key of the file has no effect in the resulting policy.
func (f *File) Idle(p *scheduling.Policy) error {
	for _, a := range f.sets {
		if why := a.field.Idle(p); why != "" {
			return f.reader.Fault(a.key, "%s has no effect %s", a.field.Key, why)
		}
	}
	return nil
}

// group returns, by name, the parsers of the keys below a prefix such as "reduce.", or "" for all.
func (f *File) group(above string) map[string]yamlfile.Field {
	m := map[string]yamlfile.Field{}
	for _, field := range Fields() {
		rest, below := strings.CutPrefix(field.Key, above)
		if !below {
			continue
		}
		name, _, deeper := strings.Cut(rest, ".")
		if deeper {
			m[name] = func(n yamlfile.Node) error { return f.reader.Mapping(n, f.group(above+name+".")) }
		} else {
			m[name] = func(n yamlfile.Node) error { return f.assign(field, n) }
		}
	}
	return m
}

// assign parses the value of one key and records it for Apply.
func (f *File) assign(field *Field, n yamlfile.Node) error {
	read := f.value
	if field.IsList() {
		read = f.readItems
	}
	v := field.of(reflect.ValueOf(new(scheduling.Policy)))
	f.sets = append(f.sets, assignment{field, n, v})
	return read(field, v, n)
}

// value reads a value into a Go field.
func (f *File) value(field *Field, v reflect.Value, n yamlfile.Node) error {
	text, err := f.text(v, n)
	if err != nil {
		return err
	}
	if err := field.setText(v, text); err != nil {
		return f.reader.Fault(n, "%s", strings.TrimPrefix(err.Error(), ErrBad.Error()+": "))
	}
	return nil
}

// text returns the text of n, a value for the Go field `of`; it joins a YAML list with slashes.
func (f *File) text(of reflect.Value, n yamlfile.Node) (string, error) {
	if of.Kind() != reflect.Slice || !yamlfile.IsList(n) {
		return f.reader.Scalar(n)
	}
	var parts []string
	err := f.reader.Each(n, func(n yamlfile.Node) error {
		s, err := f.reader.Scalar(n)
		parts = append(parts, s)
		return err
	})
	return strings.Join(parts, "/"), err
}

// readItems reads a list of pools, users or queues.
func (f *File) readItems(field *Field, list reflect.Value, n yamlfile.Node) error {
	return f.reader.Each(n, func(n yamlfile.Node) error {
		item := reflect.New(list.Type().Elem())
		keys := map[string]yamlfile.Field{}
		for _, one := range field.items {
			keys[one.Key] = func(n yamlfile.Node) error { return f.value(one, one.of(item), n) }
		}
		if err := f.reader.Mapping(n, keys); err != nil {
			return err
		}
		if item.Elem().FieldByName("Name").String() == "" {
			return f.reader.Fault(n, "%s: an entry needs a name", field.Key)
		}
		list.Set(reflect.Append(list, item.Elem()))
		return nil
	})
}
