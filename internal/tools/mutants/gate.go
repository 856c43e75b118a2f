package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// To build a package and its tests takes longer than to run them. So random faults are built
// together. Each is behind a gate: an expression that is the faulty one if the environment has the
// fault's number, otherwise the right one.
const (
	number = "MUTANT"                 // in the environment
	chosen = "mutantIs(§)"            // § is the number of a fault
	either = "mutantOf(mutantIs(§), " // with two values: the faulty one and the right one
)

// gates is the source of the functions that gates call. It is added to each package with a gate.
// Its names begin with mutant, so that they do not collide with the package's.
const gates = `

import (
	mutantOS "os"
	mutantConv "strconv"
)

var mutantNow = func() int {
	n, _ := mutantConv.Atoi(mutantOS.Getenv("` + number + `"))
	return n
}()

func mutantIs(n int) bool { return n == mutantNow }

func mutantOf[T any](faulty bool, with, as T) T {
	if faulty {
		return with
	}
	return as
}
`

// atRandom tries the first n faults of the list that are valid Go.
func (t *trial) atRandom(list []mutant, n int, c *census) error {
	for len(list) > 0 && c.tried < n {
		together, alone, rest, err := t.gather(list, n-c.tried, c)
		if err != nil {
			return err
		}
		if err := t.eachGated(together, c); err != nil {
			return err
		}
		if err := t.closeGates(); err != nil {
			return err
		}
		if err := t.eachAlone(alone, c); err != nil {
			return err
		}
		list = rest
	}
	return nil
}

// gather takes up to n faults from the list. It returns in together those that do not overlap, and
// puts their gates into the source; in alone those without a gate, or whose gate does not build;
// and in rest those that it did not take. It counts equivalent faults, and those that are not Go,
// in the census.
func (t *trial) gather(list []mutant, n int, c *census) (together, alone, rest []mutant, err error) {
	var ungated []mutant
	equivalents := 0
	for i, m := range list {
		switch {
		case len(together)+len(ungated)+equivalents == n:
			rest = append(rest, list[i])
		case t.isEquivalent(&m):
			equivalents++
			c.add(&m, equal, 0)
		case slices.ContainsFunc(together, m.overlaps):
			rest = append(rest, m)
		case m.gate == "":
			ungated = append(ungated, m)
		default:
			together = append(together, m)
		}
	}
	for {
		lines, err := t.placeGates(together)
		if err != nil {
			return nil, nil, nil, err
		}
		bad, err := t.refused(together, lines)
		if err != nil {
			return nil, nil, nil, err
		}
		if len(bad) == 0 {
			break
		}
		if err := t.closeGates(); err != nil {
			return nil, nil, nil, err
		}
		for _, i := range slices.Backward(bad) {
			ungated = append(ungated, together[i])
			together = slices.Delete(together, i, i+1)
		}
	}
	alone, err = t.thoseInGo(ungated, c)
	return together, alone, rest, err
}

// refused builds the packages with gates, and returns the indexes of the faults whose gates, at
// these lines, do not build.
func (t *trial) refused(list []mutant, lines [][2]int) (bad []int, err error) {
	args := []string{"-gcflags=-e"}
	for i := range list {
		if p := list[i].pkg(); !slices.Contains(args, p) {
			args = append(args, p)
		}
	}
	out, failed := t.command("build", args...)
	if failed == nil {
		return nil, nil
	}
	for _, found := range place.FindAllSubmatch(out, -1) {
		line, _ := strconv.Atoi(string(found[2]))
		for i := range list {
			if list[i].File == filepath.Clean(string(found[1])) && lines[i][0] <= line && line <= lines[i][1] {
				bad = append(bad, i)
			}
		}
	}
	slices.Sort(bad)
	if bad = slices.Compact(bad); len(bad) == 0 {
		err = fmt.Errorf("gates do not build: %s", out)
	}
	return bad, err
}

// place matches the file and line of a compiler's error.
var place = regexp.MustCompile(`(?m)^(\S+\.go):(\d+):`)

func (m *mutant) pkg() string { return "./" + filepath.ToSlash(filepath.Dir(m.File)) }

func (m *mutant) overlaps(o mutant) bool { return m.File == o.File && m.from < o.to && o.from < m.to }

// placeGates puts the gates of faults into the copy, fault i with the number i+1. It returns the
// first and the last line of each gate.
func (t *trial) placeGates(list []mutant) (lines [][2]int, err error) {
	lines = make([][2]int, len(list))
	for i := range list {
		file := list[i].File
		if _, ok := t.kept[file]; ok {
			continue
		}
		if err := t.keep(file); err != nil {
			return nil, err
		}
		text := t.kept[file]
		var out strings.Builder
		at := 0
		for _, i := range order(list, file) {
			out.WriteString(text[at:list[i].from])
			lines[i][0] = 1 + strings.Count(out.String(), "\n")
			out.WriteString(strings.ReplaceAll(list[i].gate, "§", strconv.Itoa(i+1)))
			lines[i][1] = 1 + strings.Count(out.String(), "\n")
			at = list[i].to
		}
		out.WriteString(text[at:])
		if err := os.WriteFile(filepath.Join(t.dir, file), []byte(out.String()), 0o666); err != nil {
			return nil, err
		}
		helper := packageName.FindString(text) + gates
		if err := os.WriteFile(filepath.Join(t.dir, filepath.Dir(file), "mutant_gates.go"), []byte(helper), 0o666); err != nil {
			return nil, err
		}
	}
	return lines, nil
}

var packageName = regexp.MustCompile(`(?m)^package \w+`)

// order returns the indexes of the faults of a file, in the order of their positions in it.
func order(list []mutant, file string) (indexes []int) {
	for i := range list {
		if list[i].File == file {
			indexes = append(indexes, i)
		}
	}
	slices.SortFunc(indexes, func(a, b int) int { return list[a].from - list[b].from })
	return indexes
}

func (t *trial) keep(file string) error {
	if _, ok := t.kept[file]; ok {
		return nil
	}
	text, err := os.ReadFile(filepath.Join(t.dir, file))
	if t.kept == nil {
		t.kept = map[string]string{}
	}
	t.kept[file] = string(text)
	return err
}

// closeGates restores the files without gates.
func (t *trial) closeGates() error {
	for name, text := range t.kept {
		file := filepath.Join(t.dir, name)
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			return err
		}
		if err := os.RemoveAll(filepath.Join(filepath.Dir(file), "mutant_gates.go")); err != nil {
			return err
		}
	}
	clear(t.kept)
	return nil
}

// eachGated runs the tests with each of the gated faults in turn, and counts the verdicts.
func (t *trial) eachGated(list []mutant, c *census) error {
	t.binaries = map[string]string{}
	for i := range list {
		began := time.Now()
		v := lives
		for _, p := range append([]string{list[i].pkg()}, t.also...) {
			if err := t.compile(p); err != nil {
				return err
			}
			if v == lives {
				v = t.runGated(p, i+1)
			}
			if v == timeout || v == tooSlow {
				v = t.again(p, i+1)
			}
		}
		c.add(&list[i], v, time.Since(began))
	}
	return nil
}

// again repeats the tests of p, which did not end with a fault: the machine may have been busy. So
// it first times them again without the fault.
func (t *trial) again(p string, fault int) verdict {
	began := time.Now()
	if v := t.runGated(p, 0); v != lives {
		return tooSlow
	}
	t.sound[p] = time.Since(began)
	return t.runGated(p, fault)
}

// compile builds a package's tests with all gates, once, and times them without a fault.
func (t *trial) compile(p string) error {
	if t.binaries[p] != "" {
		return nil
	}
	name, err := filepath.Abs(filepath.Join(t.dir, strings.NewReplacer(".", "", "/", "_").Replace(p)+".test"))
	if err != nil {
		return err
	}
	if out, err := t.command("test", "-c", "-vet=off", "-o", name, p); err != nil {
		return fmt.Errorf("%s does not build: %s", p, out)
	}
	t.binaries[p] = name
	began := time.Now()
	if v := t.runGated(p, 0); v != lives {
		return fmt.Errorf("%s fails with the gates shut: %s", p, v)
	}
	if t.sound == nil {
		t.sound = map[string]time.Duration{}
	}
	t.sound[p] = time.Since(began)
	fmt.Printf("sound    %5.1f s  %s\n", t.sound[p].Seconds(), p)
	return nil
}

// patience is how long a package's tests may take with a fault: five times as long as without, half a
// minute at least and the limit at most.
func (t *trial) patience(p string) time.Duration {
	sound, ok := t.sound[p]
	if !ok {
		return t.limit
	}
	return min(t.limit, max(30*time.Second, 5*sound))
}

// runGated runs a package's tests with a fault.
func (t *trial) runGated(p string, fault int) verdict {
	limit := t.patience(p)
	ctx, cancel := context.WithTimeout(context.Background(), limit+time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, t.binaries[p], "-test.failfast", "-test.timeout", limit.String())
	c.Dir = filepath.Join(t.dir, p)
	c.Env = append(os.Environ(), number+"="+strconv.Itoa(fault))
	// Remove the failures that rapid records: it would repeat them in the next run.
	defer func() { _ = os.RemoveAll(filepath.Join(c.Dir, "testdata", "rapid")) }()
	v, out := t.judge(ctx, c, p)
	if fault == 0 && v != lives {
		fmt.Printf("%s\n", out)
	}
	return v
}
