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

// Experiments are held against faults too: each row that is judged must move with one at least. A
// fault is built into a program of its own, whose rows are held against those of the sound one.

// flaw is one fault of the list for experiments.
type flaw struct {
	Name  string   `yaml:"name"`
	Edits []mutant `yaml:"edits"` // only their File, Old and New
	// Of are patterns of the names of the experiments that can move with it; none means all.
	Of []string `yaml:"of"`
}

// contest is how the experiments are run.
type contest struct {
	dir    string         // for what the programs write, a folder for each fault
	module string         // the copy with the fault
	repeat int            // seeds
	limit  time.Duration  // of one experiment
	of     *regexp.Regexp // experiments to run
	keep   bool           // what is there already
}

// soundName is the folder of the program without a fault.
const soundName = "sound"

// measured are the experiments that read a clock, and differ from run to run.
var measured = []string{"delay-overhead", "validation"}

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

// folder is the name of a fault as a folder.
func (f *flaw) folder() string {
	return strings.Trim(regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(f.Name), "-"), "-")
}

// moves tells whether an experiment can move with the fault.
func (f *flaw) moves(experiment string) bool {
	return len(f.Of) == 0 || slices.ContainsFunc(f.Of, func(pattern string) bool {
		ok, err := path.Match(pattern, experiment)
		return ok && err == nil
	})
}

// run runs the experiments without a fault and with those of the list that only names, and writes
// the table of all that the folder has to tableName with .md and .csv. It returns how many rows
// notice nothing.
func (c *contest) run(list []flaw, only *regexp.Regexp, tableName string) (unnoticed int, err error) {
	if err := os.MkdirAll(c.dir, 0o777); err != nil {
		return 0, err
	}
	names, err := c.one(soundName, func(string) bool { return true })
	if err != nil {
		return 0, err
	}
	for i := range list {
		f := &list[i]
		if !only.MatchString(f.Name) {
			continue
		}
		began := time.Now()
		if err := c.faulty(f); err != nil {
			return 0, fmt.Errorf("%s: %w", f.Name, err)
		}
		fmt.Printf("%6.0f s  %s\n", time.Since(began).Seconds(), f.Name)
	}
	t, err := c.table(list, names)
	if err != nil {
		return 0, err
	}
	if err := t.write(tableName); err != nil {
		return 0, err
	}
	fmt.Print(t.summary())
	return len(t.unnoticed()), nil
}

// faulty runs the experiments with a fault, and takes it back.
func (c *contest) faulty(f *flaw) (err error) {
	kept := map[string][]byte{}
	defer func() {
		for file, text := range kept {
			err = errors.Join(err, os.WriteFile(filepath.Join(c.module, file), text, 0o666))
		}
	}()
	for i := range f.Edits {
		m := &f.Edits[i]
		file := filepath.Join(c.module, m.File)
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if kept[m.File] == nil {
			kept[m.File] = text
		}
		bad, err := m.apply(text)
		if err != nil {
			return err
		}
		if err := os.WriteFile(file, bad, 0o666); err != nil {
			return err
		}
	}
	_, err = c.one(f.folder(), f.moves)
	return err
}

// one builds the program as the copy stands and runs the experiments that move. It returns the names
// of all experiments.
func (c *contest) one(folder string, moves func(string) bool) (names []string, err error) {
	program, err := filepath.Abs(filepath.Join(c.module, "faulty-tarry"))
	if err != nil {
		return nil, err
	}
	build := exec.Command("go", "build", "-trimpath", "-o", program, "./cmd/tarry")
	build.Dir = c.module
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("does not build: %s", out)
	}
	out, err := exec.Command(program, "experiment", "list").Output()
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(out)) {
		if name, _, _ := strings.Cut(line, " "); name != "NAME" && !slices.Contains(measured, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		if !moves(name) || !c.of.MatchString(name) {
			continue
		}
		if err := c.experiment(program, folder, name); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// experiment runs one. With a fault it may fail: its rows are then missing, and notice nothing.
func (c *contest) experiment(program, folder, name string) error {
	dir := filepath.Join(c.dir, folder)
	if _, err := os.Stat(filepath.Join(dir, name, "rows.csv")); err == nil && c.keep {
		return nil
	}
	if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.limit)
	defer cancel()
	run := exec.CommandContext(ctx, program, "experiment", name, "-o", dir, "--no-tables", "--repeat", strconv.Itoa(c.repeat))
	out, err := run.CombinedOutput()
	if err != nil && folder == soundName {
		return fmt.Errorf("%s fails without a fault: %w: %s", name, cmp.Or(ctx.Err(), err), out)
	}
	if err != nil {
		last := out[bytes.LastIndexByte(bytes.TrimSpace(out), '\n')+1:]
		fmt.Printf("failed    %s, %s: %v: %s\n", folder, name, cmp.Or(ctx.Err(), err), bytes.TrimSpace(last))
	}
	return nil
}
