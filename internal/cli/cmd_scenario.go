package cli

import (
	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/scheduling/scenario"
)

func scenarioCommand(c *command) {
	c.Use, c.Short = "scenario FILE...", "Check a scheduler's answers against scenarios"
	c.Long = `Check a scheduler's answers against scenarios. A scenario is a small text file with a cluster, a
scheduler, and a timed list of events with the expected answers. The scheduling core is the one that
runs live. A mismatch is reported as FILE:LINE: want …, got …; an event without an expectation
prints its answer. The last line counts the expectations.

Exit codes: 0 all hold, 1 one does not or a file cannot be read, 2 a file has errors.
docs/simulator.md describes the language.`
	o := scenario.Options{Parts: c.parts}
	c.Args = arguments(1, -1, "at least one scenario file")
	c.RunE = func(_ *cobra.Command, args []string) error {
		for _, name := range args { // reports files that cannot be opened
			file, err := openFile(name)
			if err != nil {
				return err
			}
			file.Close()
		}
		if code := scenario.Run(c.stdout, c.stderr, args, o); code != scenario.Passed {
			return &exitError{code: code}
		}
		return nil
	}
	c.Flags().BoolVarP(&o.Verbose, "verbose", "v", false,
		"print every event with its answer, and the reasons of launches, kills, suspensions "+
			"and waits")
	c.Flags().BoolVar(&o.JSON, "json", false, "print one JSON object per event")
}
