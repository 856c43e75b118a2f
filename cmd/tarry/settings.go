package main

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/tarry-mr/tarry/scheduling"
)

// setting is one thing that policies may have different, with its value in each; empty where the
// policy does not heed it.
type setting struct {
	name   string
	values []string
}

// differing lists the settings in which policies that heed them differ.
func differing(policies []scheduling.Policy) []setting {
	all := make([][]setting, len(policies))
	for i := range policies {
		all[i] = settingsOf(&policies[i])
	}
	var list []setting
	for k := range all[0] {
		s := setting{name: all[0][k].name}
		heeded := map[string]bool{}
		for i := range all {
			value := all[i][k].values[0]
			s.values = append(s.values, value)
			if value != "" {
				heeded[value] = true
			}
		}
		if len(heeded) > 1 {
			list = append(list, s)
		}
	}
	return list
}

// settingsOf lists every setting of a policy but its name, with its one value.
func settingsOf(p *scheduling.Policy) (list []setting) {
	v := reflect.ValueOf(p).Elem()
	for i := range v.NumField() {
		name, value := v.Type().Field(i).Name, v.Field(i)
		text := fmt.Sprintf("%+v", value)
		switch name {
		case "Name":
			continue
		case "Locality":
			text = localityText(p.Locality)
		case "SlowStart":
			if p.SlowStart < 0 {
				text = fmt.Sprint(scheduling.DefaultSlowStart)
			}
		case "Reduce", "Speculation", "Avoid":
			list = append(list, parts(name, value)...)
			continue
		}
		if orders := readers()[name]; orders != nil && !slices.Contains(orders, p.Order) {
			text = ""
			if value.Kind() == reflect.Bool {
				text = "false" // what is not heeded is not done
			}
		}
		list = append(list, setting{spaced(name), []string{text}})
	}
	return list
}

// readers lists the orders that heed a field of a policy; the other fields go for all.
func readers() map[string][]string {
	return map[string][]string{
		"OneTask": {"pools"}, "LoadMaxDiff": {"pools"}, "Pools": {"pools"}, "Preemption": {"pools"},
		"Spread": {"fifo", "pools"}, "Queues": {"capacity"}, "HFSP": {"hfsp"},
	}
}

// parts are the settings of a field that is a struct: its rule, if it has one, and what the rule
// heeds, which is nothing for the first, the one that does not do anything.
func parts(name string, v reflect.Value) (list []setting) {
	rule := v.FieldByName("Rule")
	idle := rule.IsValid() && rule.IsZero()
	for i := range v.NumField() {
		field, text := v.Type().Field(i).Name, fmt.Sprintf("%+v", v.Field(i))
		switch {
		case field == "Rule" && name == "Reduce":
			names, rules := placements()
			text = names[slices.Index(rules, v.Field(i).Interface().(scheduling.ReduceRule))]
		case field != "Rule" && idle:
			text = ""
		}
		list = append(list, setting{spaced(name) + " " + spaced(field), []string{text}})
	}
	return list
}

// localityText says how maps wait for their data.
func localityText(l scheduling.LocalityPolicy) (text string) {
	switch {
	case l.Rule == scheduling.SkipCount && l.Auto && l.Skips == nil:
		text = "skips for 95 % locality"
	case l.Rule == scheduling.SkipCount:
		text = fmt.Sprintf("skips %v", l.Skips)
	case l.Rule == scheduling.TimedWait && l.Auto:
		text = "waits by the heartbeat"
	case l.Rule == scheduling.TimedWait:
		text = fmt.Sprintf("waits %v", l.Waits)
	default:
		return "no wait"
	}
	if l.Capped {
		text += ", capped"
	}
	return text
}

// spaced makes "slow start" of SlowStart, and "hfsp" of HFSP.
func spaced(name string) string {
	if strings.ToUpper(name) == name {
		return strings.ToLower(name)
	}
	var b strings.Builder
	for i, r := range name {
		if i > 0 && r >= 'A' && r <= 'Z' {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return strings.ToLower(b.String())
}

// printSettings tells in which settings the contenders of a comparison differ.
func printSettings(out io.Writer, names []string, list []setting) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(out, "\nThey differ in no setting.")
		return err
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\ndiffers in\t"+strings.Join(names, "\t"))
	for _, s := range list {
		fmt.Fprint(t, s.name)
		for _, v := range s.values {
			if v == "" {
				v = "-"
			}
			fmt.Fprint(t, "\t", v)
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}

// warnSettings warns of a comparison in which more than one thing was changed.
func (p *program) warnSettings(list []setting) {
	if len(list) < 2 {
		return
	}
	var names []string
	for _, s := range list {
		names = append(names, s.name)
	}
	fmt.Fprintf(p.stderr, "tarry: warning: the schedulers differ in %d settings (%s): which of them makes the "+
		"difference is not told\n", len(list), strings.Join(names, ", "))
}
