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

// differing lists the settings, but for the name, in which policies that heed them differ.
func differing(policies []scheduling.Policy) (list []setting) {
	fields := policyfile.Fields()
	for k := range fields {
		f := &fields[k]
		s, heeded := setting{name: f.Key}, map[string]bool{}
		for i := range policies {
			p := &policies[i]
			text := cmp.Or(f.Text(p), "none")
			if f.Idle(p) != "" {
				text = ""
				if f.IsSwitch() {
					text = "false" // what is not heeded is not done
				}
			}
			if s.values = append(s.values, text); text != "" {
				heeded[text] = true
			}
		}
		if len(heeded) > 1 && f.Key != "name" {
			list = append(list, s)
		}
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
