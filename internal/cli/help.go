package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// helpWidth is the maximum width of help texts in columns.
const helpWidth = 100

// grouped puts flags of a command into a group that only --help-all shows.
func grouped(cmd *cobra.Command, title, flags string) { annotate(cmd, flags, helpGroup, title) }

// printCommands prints the subcommands of a command by their groups.
func printCommands(out io.Writer, cmd *cobra.Command) {
	groups := cmd.Groups()
	if len(groups) == 0 {
		groups = []*cobra.Group{{Title: "Commands"}}
	}
	for i, g := range groups {
		fmt.Fprintf(out, "%s%s:\n", strings.Repeat("\n", min(i, 1)), g.Title)
		for _, sub := range cmd.Commands() {
			if sub.GroupID == g.ID && (sub.IsAvailableCommand() || sub.Name() == "help") {
				fmt.Fprintf(out, "  %-15s %s\n", sub.Name(), sub.Short)
			}
		}
	}
}

// usage prints what follows the description of a command: examples, subcommands and flags. Only
// --help-all shows flags in groups.
func (p *program) usage(cmd *cobra.Command) error {
	out := cmd.OutOrStderr()
	fmt.Fprintf(out, "Usage:\n  %s\n", cmd.UseLine())
	if cmd.HasExample() {
		fmt.Fprintf(out, "\nExamples:\n%s\n", strings.TrimRight(cmd.Example, "\n"))
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintln(out)
		printCommands(out, cmd)
	}
	var titles []string
	sets := map[string]*pflag.FlagSet{}
	add := func(f *pflag.Flag, title string) {
		title = cmp.Or(strings.Join(f.Annotations[helpGroup], ""), title)
		if sets[title] == nil {
			sets[title] = pflag.NewFlagSet(title, pflag.ContinueOnError)
			sets[title].SortFlags = false
			titles = append(titles, title)
		}
		sets[title].AddFlag(f)
	}
	cmd.Flags().SortFlags = false // flags appear in the order in which they were added
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { add(f, "Flags") })
	cmd.VisitParents(func(parent *cobra.Command) {
		parent.PersistentFlags().SortFlags = false
		parent.PersistentFlags().VisitAll(func(f *pflag.Flag) {
			if cmd.LocalFlags().Lookup(f.Name) == nil {
				add(f, "Common flags")
			}
		})
	})
	var hidden []string
	for _, title := range titles {
		if p.allFlags || strings.HasSuffix(title, "lags") {
			fmt.Fprintf(out, "\n%s:\n%s", title, sets[title].FlagUsagesWrapped(helpWidth))
		} else {
			hidden = append(hidden, strings.ToLower(title))
		}
	}
	if len(hidden) > 0 {
		fmt.Fprintf(out, "\nMore flags, of %s: %s --help-all\n", strings.Join(hidden, ", "), cmd.CommandPath())
	}
	return nil
}
