package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/allocation"
	"github.com/tarry-mr/tarry/scheduling/policyfile"
)

func configCommand(c *command) {
	c.Use, c.Short = "config", "Check the configuration files of schedulers, show all their settings"
	c.family(c.command(configCheckCommand), c.command(configPolicyCommand))
}

func configCheckCommand(c *command) {
	c.Use, c.Short = "check FILE...", "Find all errors in configuration files before they are used"
	c.Long = `Find all errors in configuration files before they are used: fair-scheduler.xml,
capacity-scheduler.xml, mapred-queues.xml, mapred-queue-acls.xml and the scheduler's part of
mapred-site.xml. The content of a file determines its kind. Files about queues are read together,
as a cluster reads them.

  tarry config check fair-scheduler.xml mapred-site.xml

Each error is a line FILE:LINE: reason. A warning marks a legal setting that is probably a mistake.
Exit codes: 0 no errors, 3 at least one. docs/configuration.md describes the files.`
	c.Args = arguments(1, -1, "at least one configuration file")
	c.RunE = func(_ *cobra.Command, args []string) error { return c.checkConfig(args) }
}

// checkConfig checks the files and prints all errors and warnings. Files with errors exit with 3.
func (p *program) checkConfig(names []string) error {
	var sources []allocation.Source
	for _, name := range names {
		file, err := openFile(name)
		if err != nil {
			return configError("%w", err)
		}
		defer file.Close()
		sources = append(sources, allocation.Source{Name: name, Reader: file})
	}
	files, bad := allocation.Read(sources...)
	err := p.print(func(out io.Writer) {
		for _, c := range files.Read {
			for _, e := range c.Errors {
				fmt.Fprintln(out, e)
			}
			for _, w := range c.Warnings {
				fmt.Fprintf(out, "%s:%d: warning: %s\n", c.Name, w.Line, w.Reason)
			}
			if len(c.Errors) == 0 {
				fmt.Fprintf(out, "%s: %s: %s\n", c.Name, c.Kind, c.Holds)
			}
		}
	})
	if err == nil && bad != nil {
		return &exitError{code: exitConfig}
	}
	return err
}

func configPolicyCommand(c *command) {
	c.Use, c.Short = "policy [SCHEDULER|FILE.yaml]", "Show the settings of a scheduler or policy file: value, meaning and range"
	c.Long = `Show every setting of a scheduler or of a policy file, with its value, meaning and range. The output
is itself a policy file for --scheduler; settings without effect in this scheduler are commented out
with #. Waits are those of tarry run and tarry serve, which follow the heartbeats (locality.auto);
tarry sim uses the numbers of locality.waits. The exit code is 3 if the file has errors.

  tarry config policy hfsp
  tarry config policy mine.yaml --set theta=0.1`
	var s schedulerFlags
	c.Args = arguments(0, 1, "one scheduler or policy file")
	c.ValidArgsFunction = cobra.FixedCompletions(scheduling.Presets(), cobra.ShellCompDirectiveDefault)
	c.RunE = func(_ *cobra.Command, args []string) error {
		s.scheduler = append(args, policyfile.DefaultScheduler)[0]
		if err := s.begin(c); err != nil {
			return err
		}
		policy, err := s.livePolicy()
		if err := firstError(err, s.unheeded(policy)); err != nil {
			return err
		}
		preset := s.scheduler
		if file := s.policies[preset]; file != nil {
			preset = file.Scheduler
		}
		return policyfile.Write(c.stdout, preset, &policy)
	}
	s.registerSets(c.Flags())
}
