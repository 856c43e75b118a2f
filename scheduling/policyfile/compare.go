package policyfile

import (
	"cmp"

	"github.com/tarry-mr/tarry/scheduling"
)

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
