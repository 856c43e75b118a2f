package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/experiments"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
)

func experimentCommand(c *command) {
	c.Use, c.Short = "experiment NAME...|all -o DIR", "Reproduce published tables and figures, beside the published values"
	c.Long = `Reproduce published tables and figures of delay scheduling, HFSP and CoGRS, and a few of our own.
Each experiment writes to a folder of DIR: a table (published, ours, interval, verdict), figures as
SVG and CSV, and the exact set-up with every modelling choice. report.html shows all in one file.
The same flags write the same bytes, except for the few experiments that read a clock.

  tarry experiment list
  tarry experiment delay-fig15 -o out/fig15
  tarry experiment all --quick -o out/experiments

Experiments on real traces read the folder of the environment variable TARRY_TRACES, or a
synthesized sample; they report which.`
	var o study.Options
	var dir string
	c.Args = arguments(1, -1, "the names of experiments, or all")
	c.ValidArgsFunction = func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		names := []cobra.Completion{"all"}
		for _, e := range experiments.All() {
			names = append(names, cobra.CompletionWithDesc(e.Name, e.Title))
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	c.RunE = func(_ *cobra.Command, args []string) error { return c.experiment(c.Context(), args, dir, o) }
	f := c.Flags()
	f.StringVarP(&dir, "output", "o", "", "write the results to `DIR`; replace files of the same names")
	_ = c.MarkFlagDirname("output") // an error: no such flag
	f.BoolVar(&o.Quick, "quick", false, "run smaller versions with few seeds, for a first look")
	f.BoolVar(&o.NoTables, "no-tables", false, "omit the tables that need runs of their own")
	number(f, &o.Seed, "seed", 0, seeds, "begin with this seed")
	number(f, &o.Repeat, "repeat", 0, span(0, 1_000), "run each random experiment with `N` seeds; 0 leaves the number to the experiment")
	c.AddCommand(c.command(experimentListCommand))
}

func experimentListCommand(c *command) {
	c.Use, c.Short = "list", "List the experiments"
	c.RunE = func(*cobra.Command, []string) error {
		lines := [][]string{{"NAME", "TITLE", "SOURCE"}}
		for _, e := range experiments.All() {
			lines = append(lines, []string{e.Name, e.Title, e.Source})
		}
		return c.print(func(out io.Writer) { table(out, lines) })
	}
}

// experiment runs the named experiments, each once, in the order of `tarry experiment list`.
func (p *program) experiment(ctx context.Context, names []string, dir string, o study.Options) error {
	for _, name := range names {
		if _, ok := experiments.Find(name); !ok && name != "all" {
			return usageError("no experiment %s (see tarry experiment list)", words.Quoted(name))
		}
	}
	list := slices.DeleteFunc(experiments.All(), func(e study.Experiment) bool {
		return !slices.Contains(names, e.Name) && !slices.Contains(names, "all")
	})
	switch st, err := os.Stat(dir); {
	case dir == "":
		return usageError("experiment needs a folder for its results: -o DIR")
	case err == nil && !st.IsDir():
		return configError("%s is a file, not a folder", dir)
	}
	dir = filepath.Clean(dir)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return outputError(dir, err)
	}
	began := time.Now()
	done, err := study.Write(ctx, dir, list, o, p.stderr) // prints a line for each
	if err != nil {
		return err
	}
	var counts study.Counts
	for _, d := range done {
		counts.Add(d.Result.Counts())
	}
	fmt.Fprintf(p.stderr, "%d experiments in %v: %v\n", len(done), time.Since(began).Round(time.Millisecond), counts)
	return nil
}
