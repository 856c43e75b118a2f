package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/experiments"
	"github.com/tarry-mr/tarry/internal/cli/internal/progress"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
)

// newExperiment is the command `tarry experiment` with its sub-command `list`.
func newExperiment(p *program) *cobra.Command {
	var o experiments.Options
	var dir string
	cmd := &cobra.Command{
		Use:   "experiment NAME...|all -o DIR",
		Short: "Reproduce published tables and figures, published and ours side by side",
		Long: `Reproduce published tables and figures of delay scheduling, HFSP and CoGRS, and a few that no paper
has. Each experiment leaves, in a folder of DIR, a table (published, ours, interval, verdict), the
figures as SVG and CSV, and the exact set-up with every modelling choice; report.md ties them
together, report.html shows them in one file. The same flags write the same bytes, but for the
folders of the few experiments that read a clock; times go to standard error.

  tarry experiment list
  tarry experiment delay-fig15 -o out/fig15
  tarry experiment all --quick -o out/experiments

A row is printed (a paper's number), said (its words), formula or own (a question of ours), and
holds, differs or cannot be told by the 95 % interval over the seeds. One that differs is a finding,
not an error. Experiments on real traces read the folder that the environment variable TARRY_TRACES
names, and a synthesized sample without it; they say which.`,
		Args: arguments(1, -1, "the names of experiments, or all"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			names := []cobra.Completion{"all"}
			for _, e := range experiments.All() {
				names = append(names, cobra.CompletionWithDesc(e.Name, e.Title))
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return runExperiments(cmd.Context(), p, args, dir, o)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&dir, "output", "o", "",
		"folder for the results; made if missing, files of the same names are replaced")
	_ = cmd.MarkFlagDirname("output") // an error: no such flag
	f.BoolVar(&o.Quick, "quick", false, "smaller versions with few seeds, which tell little")
	f.BoolVar(&o.NoTables, "no-tables", false, "leave out the tables that take runs of their own")
	number(f, &o.Seed, "seed", 0, seeds, "first random seed")
	number(f, &o.Repeat, "repeat", 0, span(0, 1_000),
		"seeds for each experiment with chance in it; 0 leaves it to the experiment")
	cmd.AddCommand(newExperimentList(p))
	return cmd
}

// newExperimentList is the command `tarry experiment list`.
func newExperimentList(p *program) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the experiments",
		Args:  arguments(0, 0, "no arguments but flags"),
		RunE:  func(*cobra.Command, []string) error { return listExperiments(p, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	return cmd
}

// listedExperiment is a line of `tarry experiment list --json`.
type listedExperiment struct {
	Name   string `json:"name"`
	Title  string `json:"title"`
	Source string `json:"source"`
}

func listExperiments(p *program, asJSON bool) error {
	var list []listedExperiment
	for _, e := range experiments.All() {
		list = append(list, listedExperiment{e.Name, e.Title, e.Source})
	}
	return rows(p, asJSON, "NAME\tTITLE\tSOURCE", list, func(e listedExperiment) []string {
		return []string{e.Name, e.Title, e.Source}
	})
}

// runExperiments runs those named, each once and in the order of the list.
func runExperiments(ctx context.Context, p *program, names []string, dir string, o experiments.Options) error {
	list, err := chosenExperiments(names)
	if err != nil {
		return err
	}
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
	told := &lineCount{to: p.stderr}
	stop := p.display.Show([]string{"experiments"}, func() progress.State { return told.state(list) })
	done, err := experiments.Write(ctx, dir, list, o, told)
	stop()
	if err != nil {
		return err
	}
	var counts experiments.Counts
	for _, d := range done {
		counts.Add(d.Result.Counts())
	}
	took := time.Since(began).Round(time.Millisecond)
	fmt.Fprintf(p.stderr, "%d experiments in %v: %v\n", len(done), took, counts)
	return nil
}

// lineCount counts what is written, a line each experiment that is done.
type lineCount struct {
	to   io.Writer
	done atomic.Int64
}

// Write implements io.Writer.
func (c *lineCount) Write(b []byte) (int, error) {
	c.done.Add(int64(bytes.Count(b, []byte{'\n'})))
	return c.to.Write(b)
}

// state is what a display shows of the experiments.
func (c *lineCount) state(list []experiments.Experiment) progress.State {
	n := int(c.done.Load())
	text := fmt.Sprintf("%d of %d done", n, len(list))
	if n < len(list) {
		text += ", " + list[n].Name + " runs"
	}
	return progress.One("experiments", float64(n)/float64(max(len(list), 1)), text)
}

// chosenExperiments finds the experiments of these names; "all" is every one.
func chosenExperiments(names []string) ([]experiments.Experiment, error) {
	chosen := map[string]bool{}
	for _, name := range names {
		if _, ok := experiments.Find(name); !ok && name != "all" {
			return nil, usageError("no experiment %s (see tarry experiment list)", words.Quoted(name))
		}
		chosen[name] = true
	}
	var list []experiments.Experiment
	for _, e := range experiments.All() {
		if chosen["all"] || chosen[e.Name] {
			list = append(list, e)
		}
	}
	return list, nil
}
