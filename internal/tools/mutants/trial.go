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

// verdict is what the tests said of a fault.
type verdict string

const (
	noticed verdict = "noticed"
	timeout verdict = "timeout" // the tests did not end, as they do without the fault
	tooSlow verdict = "SLOW"    // the tests are too slow even without the fault: no verdict
	lives   verdict = "ALIVE"
	noGo    verdict = "no Go"
	equal   verdict = "equal" // listed as equivalent to the right code
)

// lasted matches the time of a package's tests, without the build, in their output.
var lasted = regexp.MustCompile(`(?m)^ok\s+\S+\s+([0-9.]+s)`)

// trial tries faults in a copy of the module.
type trial struct {
	dir        string
	limit      time.Duration
	also       []string
	equivalent []equivalent
	sound      map[string]time.Duration // how long a package's tests take without a fault

	kept     map[string]string // the text of files with gates, as it was
	binaries map[string]string // tests with gates, by package
}

// try applies the fault, runs the tests, and restores the file.
func (t *trial) try(m *mutant) (v verdict, err error) {
	packages := m.Test
	if len(packages) == 0 {
		packages = []string{"./" + filepath.ToSlash(filepath.Dir(m.File))}
	}
	packages = append(slices.Clip(packages), t.also...)
	for _, p := range packages {
		if err := t.time(p); err != nil {
			return "", err
		}
	}
	path := filepath.Join(t.dir, m.File)
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	faulty, err := m.apply(text)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(path, faulty, 0o666); err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.WriteFile(path, text, 0o666)) }()
	for _, p := range packages {
		if v := t.test(p); v != lives {
			return v, nil
		}
	}
	return lives, nil
}

// test runs a package's tests and returns their verdict. At the limit the tests end themselves, or
// the go command kills them, which has two minutes more for that.
func (t *trial) test(p string) verdict {
	ctx, cancel := context.WithTimeout(context.Background(), t.limit+2*time.Minute)
	defer cancel()
	// The tests must notice the fault, not vet.
	c := exec.CommandContext(ctx, "go", "test", "-failfast", "-vet=off", "-timeout", t.limit.String(), p)
	c.Dir = t.dir
	v, _ := t.judge(ctx, c, p)
	return v
}

// judge runs c, the tests of package p, and returns the verdict and what they print.
func (t *trial) judge(ctx context.Context, c *exec.Cmd, p string) (verdict, []byte) {
	c.WaitDelay = time.Second
	out, err := c.CombinedOutput()
	switch {
	case err == nil:
		return lives, out
	case ctx.Err() != nil:
		return tooSlow, out
	}
	return t.failed(p, out), out
}

// failed returns the verdict on tests that failed: the fault was noticed, they did not end, or the
// package does not build.
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

// time measures a package's tests without a fault, once. This also builds what they need.
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

func (t *trial) command(verb string, args ...string) ([]byte, error) {
	c := exec.Command("go", append([]string{verb}, args...)...)
	c.Dir = t.dir
	return c.CombinedOutput()
}

// thoseInGo returns the faults that build. It counts the others in the census.
func (t *trial) thoseInGo(list []mutant, c *census) (valid []mutant, err error) {
	for _, m := range list {
		ok, err := t.isGo(&m)
		if err != nil {
			return nil, err
		}
		if ok {
			valid = append(valid, m)
		} else {
			c.add(&m, noGo, 0)
		}
	}
	return valid, nil
}

// isGo reports whether a fault builds; gates of others may be in place.
func (t *trial) isGo(m *mutant) (ok bool, err error) {
	if err := t.keep(m.File); err != nil {
		return false, err
	}
	path := filepath.Join(t.dir, m.File)
	text, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	faulty, err := m.apply([]byte(t.kept[m.File]))
	if err != nil {
		return false, err
	}
	if err := os.WriteFile(path, faulty, 0o666); err != nil {
		return false, err
	}
	_, bad := t.command("build", m.pkg())
	return bad == nil, os.WriteFile(path, text, 0o666)
}
