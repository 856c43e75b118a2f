package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/allocation"
	"github.com/tarry-mr/tarry/scheduling/policyfile"
)

// newConfig is the command `tarry config` with its sub-commands.
func newConfig(p *program) *cobra.Command {
	return family("config", "Check the configuration files of schedulers, show all their settings", "",
		&cobra.Command{
			Use:   "check FILE...",
			Short: "Find all that is wrong with configuration files before they are used",
			Long: `Find all that is wrong with configuration files before they are used: fair-scheduler.xml,
capacity-scheduler.xml, mapred-queues.xml, mapred-queue-acls.xml and the scheduler's part of
mapred-site.xml. What a file is about is told from what is in it. Files about queues are read
together, as a cluster reads them.

  tarry config check fair-scheduler.xml mapred-site.xml

Each problem is a line FILE:LINE: reason; what is legal and surely not meant is a warning. Exit
codes: 0 no errors, 3 at least one. docs/configuration.md describes the files.`,
			Args: arguments(1, -1, "at least one configuration file"),
			RunE: func(_ *cobra.Command, args []string) error { return p.checkConfig(args) },
		},
		newConfigPolicy(p))
}

// checkConfig checks the files and prints what it finds.
func (p *program) checkConfig(names []string) (err error) {
	var sources []allocation.Source
	for _, name := range names {
		file, err := openFile(name)
		if err != nil {
			return configError("%w", err)
		}
		defer file.Close()
		sources = append(sources, allocation.Source{Name: name, Reader: file})
	}
	failed := false
	say := func(format string, a ...any) {
		if err == nil {
			_, err = fmt.Fprintf(p.stdout, format+"\n", a...)
		}
	}
	for _, c := range allocation.Check(sources...) {
		for _, e := range c.Errors {
			say("%v", e)
		}
		for _, w := range c.Warnings {
			say("%s:%d: warning: %s", c.Name, w.Line, w.Reason)
		}
		if failed = failed || len(c.Errors) > 0; len(c.Errors) == 0 {
			say("%s: %v: %s", c.Name, c.Kind, c.Holds)
		}
	}
	if err == nil && failed {
		return &exitError{code: exitConfig}
	}
	return err
}

// newConfigPolicy is the command `tarry config policy`.
func newConfigPolicy(p *program) *cobra.Command {
	var s schedulerFlags
	cmd := &cobra.Command{
		Use:   "policy [SCHEDULER|FILE.yaml]",
		Short: "Show every setting of a scheduler or policy file, with its value, meaning and range",
		Long: `Show every setting of a scheduler, or of a policy file, with its value, its meaning and its range.
What is printed is itself a policy file, for --scheduler; settings that have no effect with this
scheduler stand behind #. Waits of a scheduler are shown as tarry run and tarry serve have them:
they follow the heartbeats (locality.auto); tarry sim has the numbers of locality.waits. Exit code 3
if the file is wrong.

  tarry config policy hfsp
  tarry config policy mine.yaml --set theta=0.1`,
		Args:              arguments(0, 1, "one scheduler or policy file"),
		ValidArgsFunction: cobra.FixedCompletions(scheduling.Presets(), cobra.ShellCompDirectiveDefault),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.scheduler = append(args, policyfile.DefaultScheduler)[0]
			if err := s.begin(p, cmd); err != nil {
				return err
			}
			policy, err := s.livePolicy()
			if err == nil {
				err = s.unheeded(policy)
			}
			if err != nil {
				return err
			}
			preset := s.scheduler
			if file := s.policies[preset]; file != nil {
				preset = file.Scheduler
			}
			return policyfile.Write(p.stdout, preset, &policy)
		},
	}
	s.registerSets(cmd.Flags())
	return cmd
}
