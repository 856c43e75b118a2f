package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/policyfile"
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
	fields := policyfile.Fields()
	for i := range fields {
		f := &fields[i]
		if f.Key == "name" {
			continue
		}
		text := cmp.Or(f.Text(p), "none")
		switch {
		case f.Idle(p) != "" && f.IsSwitch():
			text = "false" // what is not heeded is not done
		case f.Idle(p) != "":
			text = ""
		}
		list = append(list, setting{f.Key, []string{text}})
	}
	return list
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
