// Command mutants puts deliberate faults into a copy of the module, one at a time, and reports
// which of them the tests notice:
//
//	go run ./internal/tools/mutants                                  # those of internal/tools/mutants/list.yaml
//	go run ./internal/tools/mutants -only 'commit|cordon'            # some of them
//	go run ./internal/tools/mutants -random 50 -seed 1 ./scheduling  # faults at random places of a package
//	go run ./internal/tools/mutants -experiments out/faults          # which rows of experiments notice which
//
// A fault that no test notices is alive. The exit code is 1 if a listed fault is alive. If a random
// fault is alive because it changes no behavior, add it to internal/tools/mutants/equivalent.yaml
// with the reason. Faults that do not build are not counted. Tests that do not end in time notice a
// fault only if they take less than a third of that time without it.
//
// With -experiments, the faults are those of internal/tools/mutants/experiments.yaml. Each row of
// an experiment that has a verdict must notice one of them; the exit code is 1 if a row does not.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
)

// mutant is a fault: in File, New replaces Old, a text that occurs there once.
type mutant struct {
	Name string   `yaml:"name"` // the rule that it breaks
	File string   `yaml:"file"`
	Old  string   `yaml:"old"`
	New  string   `yaml:"new"`
	Test []string `yaml:"test"` // packages whose tests must notice; by default that of File
	at   int      // offset of Old in the file for random faults; -1 for listed ones
}

func main() {
	only := flag.String("only", "", "names of the list's faults to try, a regular expression")
	random := flag.Int("random", 0, "so many faults at random places of the packages named")
	seed := flag.Uint64("seed", 1, "of the random places")
	limit := flag.Duration("limit", 4*time.Minute, "time for the tests of one package with one fault")
	also := flag.String("also", "", "packages whose tests are run when a fault's own let it pass, with commas")
	var c contest
	of := flag.String("of", "", "with -experiments: names of those to run, a regular expression")
	table := flag.String("table", "experiments/faults", "with -experiments: the table to write, without .md and .csv")
	flag.StringVar(&c.dir, "experiments", "", "a folder for what the experiments write with each fault")
	flag.IntVar(&c.repeat, "repeat", 4, "with -experiments: seeds of those that take long")
	flag.BoolVar(&c.keep, "keep", false, "with -experiments: run only what the folder does not have")
	flag.Parse()
	if c.dir != "" {
		c.limit = *limit
		unnoticed, err := runContest(&c, *only, *of, *table)
		if err != nil {
			fmt.Fprintln(os.Stderr, "mutants:", err)
			os.Exit(2)
		}
		os.Exit(min(unnoticed, 1))
	}
	t := trial{limit: *limit, also: strings.FieldsFunc(*also, func(r rune) bool { return r == ',' })}
	alive, err := run(*only, *random, *seed, &t, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	}
	if alive > 0 && *random == 0 {
		os.Exit(1)
	}
}

func run(only string, random int, seed uint64, t *trial, args []string) (alive int, err error) {
	list, err := readList("internal/tools/mutants/list.yaml")
	if random > 0 {
		list, err = placeAtRandom(args, seed)
	}
	if err != nil {
		return 0, err
	}
	wanted, err := regexp.Compile(only)
	if err != nil {
		return 0, err
	}
	if t.equivalent, err = readEquivalent("internal/tools/mutants/equivalent.yaml"); err != nil {
		return 0, err
	}
	if t.dir, err = copyModule(); err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(t.dir) }()
	list = slices.DeleteFunc(list, func(m mutant) bool { return !wanted.MatchString(m.Name) })
	if random == 0 {
		random = len(list)
	}
	var c census
	err = t.each(list, random, &c)
	fmt.Printf("%d of %d noticed", c.tried-c.alive-c.equal, c.tried)
	if c.equal > 0 {
		fmt.Printf(", %d equivalent", c.equal)
	}
	fmt.Println()
	return c.alive, err
}

// runContest runs the experiments with the faults of experiments.yaml; see contest.run.
func runContest(c *contest, only, of, table string) (unnoticed int, err error) {
	list, err := readFlaws("internal/tools/mutants/experiments.yaml")
	if err != nil {
		return 0, err
	}
	wanted, err := regexp.Compile(only)
	if err != nil {
		return 0, err
	}
	if c.of, err = regexp.Compile(of); err != nil {
		return 0, err
	}
	if c.module, err = copyModule(); err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(c.module) }()
	return c.run(list, wanted, table)
}

// census counts the faults tried, by verdict.
type census struct{ tried, alive, equal int }

func (c *census) add(m *mutant, v verdict, took time.Duration) {
	if v != noGo {
		c.tried++
	}
	switch v {
	case lives, tooSlow:
		c.alive++
	case equal:
		c.equal++
	default: // noticed, or the fault does not build
	}
	fmt.Printf("%-8s %5.1f s  %s\n", v, took.Seconds(), m.Name)
}

// each tries the first n faults of the list that build, and counts the verdicts in c.
func (t *trial) each(list []mutant, n int, c *census) error {
	for i := range list {
		if c.tried == n {
			break
		}
		began := time.Now()
		v, err := t.try(&list[i])
		if err != nil {
			return fmt.Errorf("%s: %w", list[i].Name, err)
		}
		c.add(&list[i], v, time.Since(began))
	}
	return nil
}

func readList(path string) (list []mutant, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	err = yaml.UnmarshalWithOptions(text, &list, yaml.Strict())
	for i := range list {
		list[i].at = -1
	}
	return list, err
}

// copyModule copies the module's working tree, without what git ignores, to a temporary directory.
func copyModule() (dir string, err error) {
	out, err := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		return "", err
	}
	dir, err = os.MkdirTemp("", "mutants-")
	for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		if err != nil {
			break
		}
		var data []byte
		if data, err = os.ReadFile(name); os.IsNotExist(err) {
			err = nil // removed in the working tree
			continue
		}
		to := filepath.Join(dir, name)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(to), 0o777)
		}
		if err == nil {
			err = os.WriteFile(to, data, 0o666)
		}
	}
	return dir, err
}

// inject puts faults into dir, a copy of the module. restore restores the files.
func inject(dir string, faults ...mutant) (restore func() error, err error) {
	sound := map[string][]byte{}
	restore = func() (err error) {
		for path, text := range sound {
			err = errors.Join(err, os.WriteFile(path, text, 0o666))
		}
		return err
	}
	for i := range faults {
		path := filepath.Join(dir, faults[i].File)
		text, err := os.ReadFile(path)
		if err == nil && sound[path] == nil {
			sound[path] = text
		}
		if err == nil {
			text, err = faults[i].apply(text)
		}
		if err == nil {
			err = os.WriteFile(path, text, 0o666)
		}
		if err != nil {
			return nil, errors.Join(err, restore())
		}
	}
	return restore, nil
}

// apply returns the text of m's file with the fault.
func (m *mutant) apply(text []byte) ([]byte, error) {
	if m.at >= 0 {
		return bytes.Join([][]byte{text[:m.at], []byte(m.New), text[m.at+len(m.Old):]}, nil), nil
	}
	if n := bytes.Count(text, []byte(m.Old)); n != 1 {
		return nil, fmt.Errorf("%s has the text %d times, want once: %s", m.File, n, m.Old)
	}
	return bytes.Replace(text, []byte(m.Old), []byte(m.New), 1), nil
}
