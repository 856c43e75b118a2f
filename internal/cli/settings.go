package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"

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
	lines := [][]string{append([]string{"\ndiffers in"}, names...)}
	for _, s := range list {
		line := []string{s.name}
		for _, v := range s.values {
			line = append(line, cmp.Or(v, "-"))
		}
		lines = append(lines, line)
	}
	return table(out, lines)
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
