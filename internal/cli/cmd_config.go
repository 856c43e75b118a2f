package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/allocation"
	"github.com/tarry-mr/tarry/scheduling/policyfile"
)

// newConfig is the command `tarry config` with its sub-commands.
func newConfig(p *program) *cobra.Command {
	return family("config", "Check the configuration files of schedulers, show all their settings", "",
		newConfigCheck(p), newConfigPolicy(p))
}

// newConfigCheck is the command `tarry config check`.
func newConfigCheck(p *program) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "check FILE...",
		Short: "Find all that is wrong with configuration files before they are used",
		Long: `Find all that is wrong with configuration files before they are used: fair-scheduler.xml,
capacity-scheduler.xml, mapred-queues.xml, mapred-queue-acls.xml and the scheduler's part of
mapred-site.xml. What a file is about is told from what is in it. Files about queues are read
together, as a cluster reads them.

  tarry config check fair-scheduler.xml mapred-site.xml

Each problem is a line FILE:LINE: reason; what is legal and surely not meant is a warning. Exit
codes: 0 no errors, 3 at least one. docs/configuration.md describes the files.`,
		Args:              arguments(1, -1, "at least one configuration file"),
		ValidArgsFunction: filesNamed("xml"),
		RunE:              func(_ *cobra.Command, args []string) error { return p.checkConfig(args, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a problem, and one a file without errors")
	return cmd
}

// configFinding is a line of `tarry config check --json`.
type configFinding struct {
	File     string `json:"file"`
	Line     int    `json:"line,omitempty"`
	Severity string `json:"severity"` // error, warning or ok
	Kind     string `json:"kind"`
	Text     string `json:"text"` // the reason, or what the file holds
}

// checkConfig checks the files and prints what it finds.
func (p *program) checkConfig(names []string, asJSON bool) error {
	var sources []allocation.Source
	for _, name := range names {
		file, err := openFile(name)
		if err != nil {
			return configError("%w", err)
		}
		defer file.Close()
		sources = append(sources, allocation.Source{Name: name, Reader: file})
	}
	var list []configFinding
	failed := false
	for _, c := range withAllocations(names, allocation.Check(sources...)) {
		for _, e := range c.Errors {
			list = append(list, configFinding{c.Name, e.Line, "error", c.Kind.String(), e.Reason})
		}
		for _, w := range c.Warnings {
			list = append(list, configFinding{c.Name, w.Line, "warning", c.Kind.String(), w.Reason})
		}
		if len(c.Errors) == 0 {
			list = append(list, configFinding{c.Name, 0, "ok", c.Kind.String(), c.Holds})
		} else {
			failed = true
		}
	}
	var err error
	if asJSON {
		err = printJSON(p, list)
	} else {
		err = printFindings(p, list)
	}
	if err == nil && failed {
		return &exitError{code: exitConfig}
	}
	return err
}

// withAllocations adds what is to be said of the allocation files that others name and that were
// not asked about.
func withAllocations(names []string, list []allocation.Checked) []allocation.Checked {
	for i := range list {
		c := &list[i]
		if c.Allocations == "" || slices.Contains(names, c.Allocations) {
			continue
		}
		names = append(names, c.Allocations)
		file, err := openFile(c.Allocations)
		if err != nil {
			c.Errors = append(c.Errors, &allocation.Problem{
				File: c.Name, Line: c.AllocationsLine, Reason: "mapred.fairscheduler.allocation.file: " + err.Error(),
			})
			continue
		}
		named := allocation.Check(allocation.Source{Name: c.Allocations, Reader: file})
		file.Close()
		for j := range named {
			if k := named[j].Kind; k != allocation.PoolFile && k != allocation.UnknownFile {
				named[j].Errors = append(named[j].Errors, &allocation.Problem{
					File: named[j].Name, Reason: "is no allocation file, but about " + k.String(),
				})
			}
			named[j].Allocations = ""
		}
		list = append(list, named...)
	}
	return list
}

// printFindings writes findings as lines for people.
func printFindings(p *program, list []configFinding) error {
	for _, f := range list {
		line := f.File
		if f.Line > 0 {
			line += fmt.Sprintf(":%d", f.Line)
		}
		switch f.Severity {
		case "ok":
			line += ": " + f.Kind
		case "warning":
			line += ": warning"
		}
		if _, err := fmt.Fprintf(p.stdout, "%s: %s\n", line, f.Text); err != nil {
			return err
		}
	}
	return nil
}

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
			return p.printPolicy(cmd, append(args, policyfile.DefaultScheduler)[0], &s)
		},
	}
	s.registerSets(cmd.Flags())
	return cmd
}

// printPolicy prints the preset or policy file of a name with all its settings.
func (p *program) printPolicy(cmd *cobra.Command, name string, s *schedulerFlags) error {
	s.scheduler = name
	if err := s.begin(p, cmd); err != nil {
		return err
	}
	policy, err := s.policy(name)
	if err == nil {
		err = s.unheeded(policy)
	}
	if err != nil {
		return err
	}
	file := s.files.policies[name]
	if policy.Locality.Rule == scheduling.TimedWait && file == nil && !s.says("locality.") {
		policy.Locality.Auto = true // as run and serve have it
	}
	if file != nil {
		name = file.Scheduler
	}
	return policyfile.Write(p.stdout, name, &policy)
}
