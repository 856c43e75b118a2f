package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// verdict is the result of the tests with a fault.
type verdict string

const (
	noticed verdict = "noticed"
	timeout verdict = "timeout" // the tests did not end in time; without the fault they do
	tooSlow verdict = "SLOW"    // the tests are too slow even without the fault to tell
	lives   verdict = "ALIVE"
	noGo    verdict = "no Go"
	equal   verdict = "equal" // the fault changes nothing: it is in equivalent.yaml
)

// lasted matches the time of a package's tests, without the build, in their output.
var lasted = regexp.MustCompile(`(?m)^ok\s+\S+\s+([0-9.]+s)`)

// trial tries faults in a copy of the module.
type trial struct {
	dir        string
	limit      time.Duration
	also       []string
	equivalent []equivalent
	sound      map[string]time.Duration // by package, the time of its tests without a fault
}

// try runs the tests with the fault and returns the verdict. If they do not end, it measures their
// time without the fault and repeats them, because the machine may have been busy.
func (t *trial) try(m *mutant) (v verdict, err error) {
	if t.isEquivalent(m) {
		return equal, nil
	}
	packages := m.Test
	if len(packages) == 0 {
		packages = []string{"./" + filepath.ToSlash(filepath.Dir(m.File))}
	}
	for _, p := range append(slices.Clip(packages), t.also...) {
		for _, again := range []bool{false, true} {
			if again {
				delete(t.sound, p)
			}
			if err := t.time(p); err != nil {
				return "", err
			}
			if v, err = t.with(m, p); err != nil || v != timeout && v != tooSlow {
				break
			}
		}
		if err != nil || v != lives {
			break
		}
	}
	return v, err
}

// with runs the tests of package p with the fault, and then restores the file.
func (t *trial) with(m *mutant, p string) (v verdict, err error) {
	restore, err := inject(t.dir, *m)
	if err != nil {
		return "", err
	}
	v = t.test(p)
	// Remove the failures that rapid records: it would repeat them in the next run.
	return v, errors.Join(restore(), os.RemoveAll(filepath.Join(t.dir, p, "testdata", "rapid")))
}

// patience returns the time that a package's tests get with a fault: five times that without a
// fault, but at least half a minute and at most t.limit.
func (t *trial) patience(p string) time.Duration {
	return min(t.limit, max(30*time.Second, 5*t.sound[p]))
}

// test runs a package's tests and returns their verdict. The tests end themselves after their
// patience. The go command, which also builds them, gets two minutes more.
func (t *trial) test(p string) verdict {
	limit := t.patience(p)
	ctx, cancel := context.WithTimeout(context.Background(), limit+2*time.Minute)
	defer cancel()
	// The tests must notice the fault, not vet.
	c := exec.CommandContext(ctx, "go", "test", "-failfast", "-vet=off", "-timeout", limit.String(), p)
	c.Dir, c.WaitDelay = t.dir, time.Second
	out, err := c.CombinedOutput()
	switch {
	case err == nil:
		return lives
	case ctx.Err() != nil:
		return tooSlow
	}
	return t.failed(p, out)
}

// failed returns the verdict for the output of failed tests: they noticed the fault, did not end,
// or do not build.
func (t *trial) failed(p string, out []byte) verdict {
	ended := !bytes.Contains(out, []byte("panic: test timed out after ")) && !bytes.Contains(out, []byte("ran too long"))
	switch {
	case bytes.Contains(out, []byte("[build failed]")):
		return noGo
	case ended:
		return noticed
	case t.sound[p] < t.patience(p)/3:
		return timeout
	}
	return tooSlow
}

// time measures, once, the time of a package's tests without a fault. It also builds what they
// need.
func (t *trial) time(p string) error {
	if _, ok := t.sound[p]; ok {
		return nil
	}
	c := exec.Command("go", "test", "-count=1", "-vet=off", "-timeout", (3 * t.limit).String(), p)
	c.Dir = t.dir
	out, err := c.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s fails without a fault: %s", p, strings.TrimSpace(string(out)))
	}
	if t.sound == nil {
		t.sound = map[string]time.Duration{}
	}
	took := lasted.FindSubmatch(out)
	if took != nil {
		t.sound[p], err = time.ParseDuration(string(took[1]))
	} else {
		t.sound[p] = 0 // no tests
	}
	fmt.Printf("sound    %5.1f s  %s\n", t.sound[p].Seconds(), p)
	return err
}
