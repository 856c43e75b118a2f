package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newConfigShow is the command `tarry config show`.
func newConfigShow(p *program) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "show COMMAND...",
		Short: "Show the value of each flag of a command, and where it comes from",
		Long: `Show the value of each flag of a command when the command line says nothing of it: its default, or what its environment
variable says. What the command works out is shown with how it does; "no effect" says that a variable changes nothing beside
the others.

  tarry config show run sort
  tarry config show sim`,
		Args: arguments(1, -1, "the name of a command"),
		RunE: func(cmd *cobra.Command, args []string) error {
			of, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 || !of.Runnable() {
				return usageError("no command is called %s (see tarry --help)", quoted(strings.Join(args, " ")))
			}
			if err := p.flagsFromEnv(of); err != nil {
				return err
			}
			return p.showFlags(of, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a flag")
	return cmd
}

// shownFlag is a line of `tarry config show --json`.
type shownFlag struct {
	Flag     string `json:"flag"`
	Value    string `json:"value"`
	Origin   string `json:"origin"`         // default or environment
	Note     string `json:"note,omitempty"` // how it was worked out, or why it has no effect
	Variable string `json:"variable"`
}

// showFlags prints the flags of a command.
func (p *program) showFlags(cmd *cobra.Command, asJSON bool) error {
	var list []shownFlag
	worked, all := workOut(cmd), foresee(cmd, nil)
	visit := func(f *pflag.Flag) {
		if f.Name == "help" {
			return
		}
		one := shownFlag{Flag: "--" + f.Name, Value: f.Value.String(), Origin: "default", Variable: variable(f)}
		if w, ok := worked[f.Name]; ok && !f.Changed {
			one.Value, one.Note = w.value, w.from
		}
		if f.Changed {
			one.Origin = "environment"
			if why := all.noEffect(f.Name); why != "" && all.given(f.Name) {
				one.Note = "no effect " + why
			}
		}
		list = append(list, one)
	}
	cmd.LocalFlags().VisitAll(visit)
	cmd.InheritedFlags().VisitAll(visit)
	if asJSON {
		enc := json.NewEncoder(p.stdout)
		for _, f := range list {
			if err := enc.Encode(f); err != nil {
				return err
			}
		}
		return nil
	}
	t := tabwriter.NewWriter(p.stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "FLAG\tVALUE\tORIGIN\tVARIABLE")
	for _, f := range list {
		origin := f.Origin
		if f.Note != "" {
			origin += ": " + f.Note
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", f.Flag, printable(f.Value), origin, f.Variable)
	}
	return t.Flush()
}
