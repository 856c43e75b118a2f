package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tarry-mr/tarry/actors/state"
	"github.com/tarry-mr/tarry/dfs/stores"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/internal/globs"
	"github.com/tarry-mr/tarry/mapreduce"
)

// about describes the run to which a --state directory belongs. A later process can resume the run
// only if its own description is equal.
type about struct {
	Command string   // with its arguments and the flags that change the output
	Output  string   // absolute
	Inputs  []string // absolute, each with its size and time
}

// reportFlags lists flags that change only the reports of a run, not its work.
var reportFlags = []string{"state", "chaos", "json", "quiet", "counters", "no-progress", "events"}

// commandLine returns the command as it was called, without the flags of reportFlags.
func commandLine(cmd *cobra.Command) string {
	var flags []string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains(reportFlags, f.Name) {
			flags = append(flags, fmt.Sprintf("--%s=%s", f.Name, f.Value))
		}
	})
	slices.Sort(flags)
	list := slices.Concat(cmd.Flags().Args(), flags)
	for i, word := range list {
		if words.Shown(word) != word { // in full: Shown shortens long words
			list[i] = strconv.Quote(word)
		}
	}
	return cmd.CommandPath() + " " + strings.Join(list, " ")
}

// newAbout describes a run. It rejects an output or inputs that another process cannot find again.
func newAbout(cmd *cobra.Command, output string, inputs []string) (a about, err error) {
	for _, name := range append([]string{output}, inputs...) {
		switch {
		case stores.Named(name):
			return a, usageError("--state: %s cannot be resumed: inputs and output must be on this machine", words.Shown(name))
		case name == stdinName:
			return a, usageError("--state: standard input can be read only once; want files")
		}
	}
	a.Command = commandLine(cmd)
	if a.Output, err = filepath.Abs(output); err != nil {
		return a, err
	}
	for _, arg := range inputs {
		paths, err := globs.Expand(arg)
		for _, path := range paths {
			var info os.FileInfo
			if info, err = os.Stat(path); err != nil {
				break
			}
			if !info.Mode().IsRegular() {
				return a, usageError("--state: %s is no regular file and can be read only once", words.Shown(path))
			}
			full, _ := filepath.Abs(path) // Abs has just worked for the output
			a.Inputs = append(a.Inputs, fmt.Sprintf("%s, %d bytes of %v", words.Shown(full), info.Size(), info.ModTime().UTC()))
		}
		if err != nil {
			return a, plainPathError(arg, err)
		}
	}
	return a, nil
}

// sameAs returns an error with the difference if text describes another run.
func (a *about) sameAs(text json.RawMessage) error {
	var was about
	if err := json.Unmarshal(text, &was); err != nil {
		return fmt.Errorf("what it belongs to cannot be read: %w", err)
	}
	switch {
	case was.Command != a.Command:
		return fmt.Errorf("it belongs to another command: %s", was.Command)
	case was.Output != a.Output:
		return fmt.Errorf("it belongs to the output %s", words.Shown(was.Output))
	case slices.Equal(was.Inputs, a.Inputs):
		return nil
	}
	for i, in := range a.Inputs {
		if i >= len(was.Inputs) || in != was.Inputs[i] {
			return fmt.Errorf("input %s is new or has changed; remove the directory to begin anew", in)
		}
	}
	return errors.New("an input is no longer there; remove the directory to begin anew")
}

// saved is the state of a run in the --state directory; the zero value keeps none.
type saved struct {
	*state.Dir
	dir   string
	about about
}

// openState opens the directory of a run and rejects one that belongs to another run.
func (r *runFlags) openState(cmd *cobra.Command) (s saved, err error) {
	s.dir = r.stateDir
	if s.about, err = newAbout(cmd, r.Output, r.Inputs); err != nil {
		return s, err
	}
	dir, err := state.Open(r.stateDir, r.parts)
	if err != nil {
		return s, s.fault(err)
	}
	if !dir.Fresh() {
		err = s.about.sameAs(dir.About())
	}
	if err != nil {
		return s, errors.Join(s.fault(err), dir.Close())
	}
	s.Dir = dir
	return s, nil
}

// fault returns an error that names the directory once.
func (s saved) fault(err error) error {
	text := words.OneLine(plainPathError(s.dir, err))
	return configError("--state %s: %s", words.Shown(s.dir), strings.TrimPrefix(text, s.dir+": "))
}

// begin records the description of the run before any work.
func (s saved) begin() error {
	if s.Dir == nil || !s.Fresh() {
		return nil
	}
	text, err := json.Marshal(s.about)
	if err == nil {
		err = s.Begin(text)
	}
	if err != nil {
		return s.fault(err)
	}
	return nil
}

// between returns the directory for the outputs of all stages but the last.
func (s saved) between() string { return filepath.Join(s.dir, "stages") }

// key returns the name under which the state records a stage, or "" without a state directory.
func (s saved) key(stage int) string {
	if s.Dir == nil {
		return ""
	}
	return fmt.Sprint("stage ", stage)
}

// done reports whether the state says that a stage has succeeded and its output is still complete.
func (s saved) done(stage int, output string) (how state.Succeeded, yes bool) {
	if s.Dir == nil {
		return how, false
	}
	if _, err := os.Stat(filepath.Join(output, "_SUCCESS")); err != nil {
		return how, false
	}
	return s.Succeeded(s.key(stage))
}

// resumable returns to, changed so that a later process with this state can complete the output.
func (s saved) resumable(to mapreduce.Destination, stage int) mapreduce.Destination {
	if s.Dir == nil {
		return to
	}
	return to.Resumable(s.Token(s.key(stage)))
}
