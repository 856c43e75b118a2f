package policyfile

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"

	"github.com/tarry-mr/tarry/internal/spelling"
	"github.com/tarry-mr/tarry/scheduling"
)

// Setting is a setting and its value. Key is a name for Find; Value is text for Field.Set.
type Setting struct{ Key, Value string }

// SetAll applies settings to a policy, in order. A setting that has no effect in the result is an
// error.
func SetAll(p *scheduling.Policy, list []Setting) error {
	fields := make([]*Field, len(list))
	for i, s := range list {
		f, err := Find(s.Key)
		if err == nil {
			err = f.Set(p, s.Value)
		}
		if err != nil {
			return err
		}
		fields[i] = f
	}
	for _, f := range fields {
		if err := f.hasEffect(p); err != nil {
			return err
		}
	}
	return nil
}

// SetPart sets a custom part in a policy if s names one: order, locality.rule and reduce.rule may.
// It reports whether s does.
func SetPart(p *scheduling.Policy, parts scheduling.Parts, s Setting) bool {
	f, err := Find(s.Key)
	if err != nil {
		return false
	}
	switch {
	case f.Key == "order" && parts.Orders[s.Value] != nil:
		p.Order = s.Value
	case f.Key == "locality.rule" && parts.Maps[s.Value] != nil:
		p.Locality.Part = s.Value
	case f.Key == "reduce.rule" && parts.Reduces[s.Value] != nil:
		p.Reduce.Part = s.Value
	default:
		return false
	}
	return true
}

// Append adds an entry to the list of pools, users or queues with this key; entry holds the
// settings of the entry.
func Append(p *scheduling.Policy, key string, entry []Setting) error {
	f := byKey(Fields(), key)
	list := f.of(reflect.ValueOf(p))
	item := reflect.New(list.Type().Elem())
	for _, s := range entry {
		one := byKey(f.items, s.Key)
		if one == nil {
			return fmt.Errorf("%w: %s has no setting %.40q", ErrBad, key, s.Key)
		}
		if err := one.set(one.of(item), s.Value); err != nil {
			return err
		}
	}
	list.Set(reflect.Append(list, item.Elem()))
	return f.hasEffect(p)
}

// hasEffect returns an error unless the setting has an effect in a policy.
func (f *Field) hasEffect(p *scheduling.Policy) error {
	if why := f.Idle(p); why != "" {
		return fmt.Errorf("%w: %s has no effect %s", ErrBad, f.Key, why)
	}
	return nil
}

// Find returns a setting by its key, or by the last part of its key if that is unique.
func Find(name string) (*Field, error) {
	name = strings.ReplaceAll(name, "-", "_")
	if f := byKey(Fields(), name); f != nil {
		return f, nil
	}
	var found []*Field
	var all, keys []string
	for _, f := range Fields() {
		all = append(all, f.Key, last(f.Key))
		if last(f.Key) == name {
			found, keys = append(found, f), append(keys, f.Key)
		}
	}
	switch len(found) {
	case 0:
		near := spelling.Closest(name, all)
		if near != "" {
			near = fmt.Sprintf(", did you mean %s?", near)
		}
		return nil, fmt.Errorf("%w: no setting %.40q%s", ErrBad, name, near)
	case 1:
		return found[0], nil
	}
	return nil, fmt.Errorf("%w: ambiguous: %s may be %s", ErrBad, name, strings.Join(keys, ", "))
}

// Difference is a setting in which policies differ, with its value in each of them. The value is
// empty, or "false" for a switch, in a policy in which the setting has no effect.
type Difference struct {
	Key    string
	Values []string
}

// Differences lists the settings, except the name, in which policies differ.
func Differences(policies ...scheduling.Policy) (list []Difference) {
	for _, f := range Fields() {
		d, distinct := Difference{Key: f.Key}, map[string]bool{}
		for i := range policies {
			p := &policies[i]
			text := cmp.Or(partOf(p, f.Key), f.Text(p), "none")
			if f.Idle(p) != "" {
				if text = ""; f.IsSwitch() {
					text = "false"
				}
			}
			if d.Values = append(d.Values, text); text != "" {
				distinct[text] = true
			}
		}
		if len(distinct) > 1 && f.Key != "name" {
			list = append(list, d)
		}
	}
	return list
}

// partOf returns the name of a policy's custom part for a setting, or "".
func partOf(p *scheduling.Policy, key string) string {
	switch key {
	case "locality.rule":
		return p.Locality.Part
	case "reduce.rule":
		return p.Reduce.Part
	}
	return ""
}

// NearestPreset returns the preset with a policy's name; otherwise the first one with its
// order.
func NearestPreset(p *scheduling.Policy) (near string) {
	for _, name := range scheduling.Presets() {
		preset, err := scheduling.Preset(name)
		if name == p.Name {
			return name
		}
		if err == nil && preset.Order == p.Order && near == "" {
			near = name
		}
	}
	return near
}
