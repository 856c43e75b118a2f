package cli

import (
	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/policyfile"
)

// newConfigPolicy is the command `tarry config policy`.
func newConfigPolicy(p *program) *cobra.Command {
	var s schedulerFlags
	cmd := &cobra.Command{
		Use:   "policy [SCHEDULER|FILE.yaml]",
		Short: "Show every setting of a scheduler or policy file, with its value, meaning and range",
		Long: `Show every setting of a scheduler, or of a policy file, with its value, its meaning and its range.
What is printed is itself a policy file, for --policy; settings that have no effect with this
scheduler stand behind #. Waits of a scheduler are shown as tarry run and tarry serve have them:
they follow the heartbeats (locality.auto); tarry sim has the numbers of locality.waits. Exit code 3
if the file is wrong.

  tarry config policy hfsp
  tarry config policy mine.yaml --set theta=0.1`,
		Args:              arguments(0, 1, "one scheduler or policy file"),
		ValidArgsFunction: cobra.FixedCompletions(scheduling.Presets(), cobra.ShellCompDirectiveDefault),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.given = cmd.Flags().Changed
			return p.printPolicy(append(args, policyfile.DefaultScheduler)[0], &s)
		},
	}
	s.registerSets(cmd.Flags())
	return cmd
}
