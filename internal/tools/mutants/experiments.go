package main

import (
	"bytes"
	"cmp"
	"context"
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

// Faults test the experiments, too: each row with a verdict must notice at least one fault. To that
// end, the rows with a fault are compared with those without.

// flaw is a fault, from a list in a file, that the experiments must notice.
type flaw struct {
	Name  string   `yaml:"name"`
	Edits []mutant `yaml:"edits"` // only their File, Old and New
	// Of are patterns of the names of the experiments that the fault can change; none means all.
	Of []string `yaml:"of"`
}

// contest contains the settings with which the experiments run.
type contest struct {
	dir     string         // for what they write, a folder for each fault
	module  string         // the copy with the faults
	program string         // the tarry command, built from module
	repeat  int            // seeds
	limit   time.Duration  // of one experiment
	of      *regexp.Regexp // experiments to run
	keep    bool           // reuse results that dir has already
}

// soundName is the folder of the program without a fault.
const soundName = "sound"

// measured are the experiments that read a clock, and differ from run to run.
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

// moves reports whether the fault can change an experiment's results.
func (f *flaw) moves(experiment string) bool {
	return len(f.Of) == 0 || slices.ContainsFunc(f.Of, func(pattern string) bool {
		ok, err := path.Match(pattern, experiment)
		return ok && err == nil
	})
}

// run runs the experiments without a fault, and with each fault whose name matches only. It writes
// the table of all results in dir to tableName.md and tableName.csv. It returns the number of rows
// that notice no fault.
func (c *contest) run(list []flaw, only *regexp.Regexp, tableName string) (unnoticed int, err error) {
	if err := os.MkdirAll(c.dir, 0o777); err != nil {
		return 0, err
	}
	if err := together(c.module, list); err != nil {
		return 0, err
	}
	names, err := c.build()
	if err != nil {
		return 0, err
	}
	sound := flaw{Name: soundName}
	if err := c.faulty(&sound, 0, names); err != nil {
		return 0, err
	}
	for i := range list {
		if only.MatchString(list[i].Name) {
			if err := c.faulty(&list[i], i+1, names); err != nil {
				return 0, err
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

// build builds the program with all faults and returns the names of the experiments to run.
func (c *contest) build() (names []string, err error) {
	if c.program, err = filepath.Abs(filepath.Join(c.module, "faulty-tarry")); err != nil {
		return nil, err
	}
	build := exec.Command("go", "build", "-trimpath", "-o", c.program, "./cmd/tarry")
	build.Dir = c.module
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("the faults do not build: %s", out)
	}
	out, err := exec.Command(c.program, "experiment", "list").Output()
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(out)) {
		if name, _, _ := strings.Cut(line, " "); name != "NAME" && !slices.Contains(measured, name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// faulty runs the experiments that the numbered fault can change.
func (c *contest) faulty(f *flaw, number int, names []string) error {
	began := time.Now()
	for _, name := range names {
		if f.moves(name) && c.of.MatchString(name) {
			if err := c.experiment(f, number, name); err != nil {
				return err
			}
		}
	}
	fmt.Printf("%6.0f s  %s\n", time.Since(began).Seconds(), f.Name)
	return nil
}

// experiment runs an experiment with a fault; 0 is none. If it fails with one, it writes no rows.
func (c *contest) experiment(f *flaw, fault int, name string) error {
	dir := filepath.Join(c.dir, f.folder())
	if _, err := os.Stat(filepath.Join(dir, name, "rows.csv")); err == nil && c.keep {
		return nil
	}
	if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.limit)
	defer cancel()
	seeds := 0 // its own choice
	if slices.Contains(sparing, name) {
		seeds = c.repeat
	}
	run := exec.CommandContext(ctx, c.program, "experiment", name, "-o", dir, "--no-tables", "--repeat", strconv.Itoa(seeds))
	run.Env = append(os.Environ(), number+"="+strconv.Itoa(fault))
	out, err := run.CombinedOutput()
	if err != nil && fault == 0 {
		return fmt.Errorf("%s fails without a fault: %w: %s", name, cmp.Or(ctx.Err(), err), out)
	}
	if err != nil {
		lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
		fmt.Printf("failed    %s, %s: %v: %s\n", f.Name, name, cmp.Or(ctx.Err(), err), lines[len(lines)-1])
	}
	return nil
}
