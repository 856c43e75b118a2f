package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
)

// The experiments must notice faults, too: for each row with a verdict there must be a fault that
// changes it. To find out, the experiments run with each fault and without any.

// flaw is a fault, from a list in a file, that the experiments must notice.
type flaw struct {
	Name  string   `yaml:"name"`
	Edits []mutant `yaml:"edits"` // only their File, Old and New
	// Of are patterns of the names of the experiments that the fault can change; none means all.
	Of []string `yaml:"of"`
}

// contest contains the settings with which the experiments run.
type contest struct {
	dir     string         // for results, with a folder for each fault
	module  string         // the copy with the faults
	program string         // the tarry command, built from module
	repeat  int            // number of seeds of the experiments in sparing
	limit   time.Duration  // of one experiment
	of      *regexp.Regexp // experiments to run
	keep    bool           // reuse results that dir has already
}

// soundName is the folder of the program without a fault.
const soundName = "sound"

// measured are the experiments that read a clock. They are not run, because their results vary.
var measured = []string{"delay-overhead", "validation"}

// sparing lists the experiments that run with few seeds, since they take long. The others run with
// as many as in a full run: with few, a row is too uncertain to notice a fault.
var sparing = []string{
	"delay-fig2", "delay-fig5", "delay-fig8", "delay-fig13", "delay-fig15", "delay-slots", "delay-table4", "hfsp-fig3",
	"hfsp-fig5", "hfsp-fig6", "orders", "facebook-trace", "coflows",
}

func readFlaws(file string) (list []flaw, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	err = yaml.UnmarshalWithOptions(text, &list, yaml.Strict())
	for i := range list {
		for k := range list[i].Edits {
			list[i].Edits[k].at = -1
		}
	}
	return list, err
}

// folder returns the name of the folder for results with this fault.
func (f *flaw) folder() string {
	return strings.Trim(regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(f.Name), "-"), "-")
}

// moves reports whether, by f.Of, the fault can change the results of an experiment.
func (f *flaw) moves(experiment string) bool {
	return len(f.Of) == 0 || slices.ContainsFunc(f.Of, func(pattern string) bool {
		ok, err := path.Match(pattern, experiment)
		return ok && err == nil
	})
}

// run runs the experiments without a fault, and with each fault whose name matches only. It writes
// the table of crosses, from all results in c.dir, to tableName.md and tableName.csv. It returns
// the number of rows that notice no fault.
func (c *contest) run(list []flaw, only *regexp.Regexp, tableName string) (unnoticed int, err error) {
	if err := os.MkdirAll(c.dir, 0o777); err != nil {
		return 0, err
	}
	names, err := c.names()
	if err != nil {
		return 0, err
	}
	for _, f := range append([]flaw{{Name: soundName}}, list...) {
		if f.Name == soundName || only.MatchString(f.Name) {
			if err := c.faulty(&f, names); err != nil {
				return 0, fmt.Errorf("%s: %w", f.Name, err)
			}
		}
	}
	t, err := c.table(list, names)
	if err != nil {
		return 0, err
	}
	if err := t.write(tableName); err != nil {
		return 0, err
	}
	fmt.Print(t.summary())
	return len(t.withoutCross()), nil
}

// names builds the program without a fault and returns the names of the experiments to run.
func (c *contest) names() (names []string, err error) {
	if c.program, err = filepath.Abs(filepath.Join(c.module, "faulty-tarry")); err != nil {
		return nil, err
	}
	if err := c.build(); err != nil {
		return nil, err
	}
	out, err := exec.Command(c.program, "experiment", "list").Output()
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(out)) {
		name, _, _ := strings.Cut(line, " ")
		if name != "NAME" && !slices.Contains(measured, name) && c.of.MatchString(name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// build builds c.program from the current source in c.module.
func (c *contest) build() error {
	build := exec.Command("go", "build", "-trimpath", "-o", c.program, "./cmd/tarry")
	build.Dir = c.module
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("the program does not build: %s", out)
	}
	return nil
}

// faulty builds the program with a fault and runs those experiments in names that the fault can
// change. With c.keep it skips those that already have a result.
func (c *contest) faulty(f *flaw, names []string) (err error) {
	began := time.Now()
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, err := os.Stat(c.rows(f, name))
		return !f.moves(name) || c.keep && err == nil
	})
	if len(names) == 0 {
		return nil
	}
	restore, err := inject(c.module, f.Edits...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, restore()) }()
	if err := c.build(); err != nil {
		return err
	}
	for _, name := range names {
		if err := c.experiment(f, name); err != nil {
			return err
		}
	}
	fmt.Printf("%6.0f s  %s\n", time.Since(began).Seconds(), f.Name)
	return nil
}

// rows returns the path of the rows.csv that an experiment writes when it runs with the fault f.
func (c *contest) rows(f *flaw, experiment string) string {
	return filepath.Join(c.dir, f.folder(), experiment, "rows.csv")
}

// experiment runs an experiment with the fault f, which the program contains. If a fault makes it
// fail, its rows are missing. Without a fault its failure is an error.
func (c *contest) experiment(f *flaw, name string) error {
	if err := os.RemoveAll(filepath.Dir(c.rows(f, name))); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.limit)
	defer cancel()
	seeds := 0 // the experiment's own number
	if slices.Contains(sparing, name) {
		seeds = c.repeat
	}
	run := exec.CommandContext(ctx, c.program, "experiment", name, "-o", filepath.Join(c.dir, f.folder()),
		"--no-tables", "--repeat", strconv.Itoa(seeds))
	out, err := run.CombinedOutput()
	if err == nil {
		return nil
	}
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	err = fmt.Errorf("%s: %w: %s", name, cmp.Or(ctx.Err(), err), lines[len(lines)-1])
	if f.Name == soundName {
		return err
	}
	fmt.Printf("failed    %s, %v\n", f.Name, err)
	return nil
}
