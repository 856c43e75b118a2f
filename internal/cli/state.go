package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/dfs/stores"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/internal/globs"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// about is what the directory of --state belongs to. Whoever starts again must be the same.
type about struct {
	Command string   // with its arguments, and the flags that bear on the output
	Jobs    string   // of a batch: the sum over its file
	Outputs []string // absolute
	Inputs  []stamp  // of all jobs
}

// stamp tells one content of an input file from another.
type stamp struct {
	Name     string // absolute
	Size     int64
	Modified time.Time
}

// told are flags that bear on what is told of a run, not on what it does.
var told = []string{"state", "chaos", "json", "quiet", "counters", "no-progress", "events", "trace-out", "cpuprofile", "memprofile"}

// commandLine is the command as it was called, without what is told of it.
func commandLine(cmd *cobra.Command, args []string) string {
	var flags []string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains(told, f.Name) {
			flags = append(flags, fmt.Sprintf("--%s=%s", f.Name, f.Value))
		}
	})
	sort.Strings(flags)
	list := []string{cmd.CommandPath()}
	for _, word := range append(slices.Clone(args), flags...) {
		if word == "" || strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsGraphic(r) || strings.ContainsRune(" \"'\\", r) }) {
			word = strconv.Quote(word)
		}
		list = append(list, word)
	}
	return strings.Join(list, " ")
}

// add notes an output and the inputs of a job. They must be such that another process finds the
// same.
func (a *about) add(output string, inputs []string) error {
	if stores.Named(output) {
		return usageError("--state: %s cannot be resumed: it takes an output on this machine", words.Shown(output))
	}
	full, err := filepath.Abs(output)
	if err != nil {
		return err
	}
	a.Outputs = append(a.Outputs, full)
	for _, arg := range inputs {
		if arg == stdinName {
			return usageError("--state: standard input can be read only once; want files")
		}
		if stores.Named(arg) {
			return usageError("--state: %s: it takes inputs on this machine", words.Shown(arg))
		}
		paths, err := globs.Expand(arg)
		if err != nil {
			return plainPathError(arg, err)
		}
		for _, path := range paths {
			s, err := stampOf(path)
			if err != nil {
				return err
			}
			a.Inputs = append(a.Inputs, s)
		}
	}
	return nil
}

func stampOf(path string) (stamp, error) {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}, plainPathError(path, err)
	}
	if !info.Mode().IsRegular() {
		return stamp{}, usageError("--state: %s is no regular file and can be read only once", words.Shown(path))
	}
	full, err := filepath.Abs(path)
	return stamp{Name: full, Size: info.Size(), Modified: info.ModTime().Round(0).UTC()}, err
}

// openState opens the directory of --state, without the flag nothing. What belongs to something else
// is refused.
func (r *clusterFlags) openState(a *about) error {
	if r.stateDir == "" {
		return nil
	}
	s, err := actors.OpenStateOf(r.stateDir, r.parts)
	if err != nil {
		return r.stateError(err)
	}
	if !s.Fresh() {
		err = a.sameAs(s.About())
	}
	if err != nil {
		return errors.Join(r.stateError(err), s.Close())
	}
	r.state = s
	return nil
}

// stateError says whose directory it is, once.
func (r *clusterFlags) stateError(err error) error {
	text := words.OneLine(plainPathError(r.stateDir, err))
	text = strings.TrimPrefix(text, r.stateDir+": ")
	return configError("--state %s: %s", words.Shown(r.stateDir), text)
}

// sameAs says in what a command differs from that which the directory belongs to.
func (a *about) sameAs(text json.RawMessage) error {
	var was about
	if err := json.Unmarshal(text, &was); err != nil {
		return fmt.Errorf("what it belongs to cannot be read: %w", err)
	}
	switch {
	case was.Command != a.Command:
		return fmt.Errorf("it belongs to another command: %s", was.Command)
	case was.Jobs != a.Jobs:
		return errors.New("it belongs to a batch of other jobs; remove it to begin anew")
	case !slices.Equal(was.Outputs, a.Outputs):
		return fmt.Errorf("it belongs to the output %s", words.Shown(strings.Join(was.Outputs, ", ")))
	case slices.Equal(was.Inputs, a.Inputs):
		return nil
	}
	for i, in := range was.Inputs {
		if i >= len(a.Inputs) || in != a.Inputs[i] {
			return fmt.Errorf("input %s has changed since; remove the directory to begin anew", words.Shown(in.Name))
		}
	}
	return fmt.Errorf("input %s is new; remove the directory to begin anew", words.Shown(a.Inputs[len(was.Inputs)].Name))
}

// beginState writes down what the directory belongs to, before anything is done.
func (r *clusterFlags) beginState(a *about) error {
	if r.state == nil || !r.state.Fresh() {
		return nil
	}
	text, err := json.Marshal(a)
	if err == nil {
		err = r.state.Begin(text)
	}
	if err != nil {
		return r.stateError(err)
	}
	return nil
}

// closeState lets go of the directory. That it could not be kept harms no output.
func (p *program) closeState(r *clusterFlags) {
	if r.state == nil {
		return
	}
	if err := r.state.Close(); err != nil {
		fmt.Fprintf(p.stderr, "tarry: warning: %v\n", r.stateError(err))
	}
}

// saved is what a job knows of --state: nothing, if state is nil.
type saved struct {
	state *actors.State
	job   string // its name there
	dir   string // for what one stage writes for the next
}

// remember is what is saved of the job of a line; 0 is the only one.
func (r *clusterFlags) remember(line int) saved {
	job := fmt.Sprint("line ", line)
	return saved{r.state, job, filepath.Join(r.stateDir, fmt.Sprint("stages-", line))}
}

// key names a stage of the job.
func (s saved) key(stage int) string {
	if s.state == nil {
		return ""
	}
	return fmt.Sprint(s.job, " stage ", stage)
}

// done tells whether, and how, a stage has succeeded whose output is there still.
func (s saved) done(stage int, output string) (how actors.Succeeded, yes bool) {
	if s.state == nil {
		return how, false
	}
	if _, err := os.Stat(filepath.Join(output, "_SUCCESS")); err != nil {
		return how, false
	}
	return s.state.Succeeded(s.key(stage))
}

// resumable makes the output of a stage one that another process goes on with.
func (s saved) resumable(to mapreduce.Destination, stage int) mapreduce.Destination {
	if s.state == nil {
		return to
	}
	return to.Resumable(s.state.Token(s.key(stage)))
}

// earlier is the result of a job that had succeeded before, in all its stages.
func (s saved) earlier(output string, stages int) *result {
	how, yes := s.done(stages-1, output)
	if !yes {
		return nil
	}
	return &result{
		Job: how.Name, State: "succeeded", Earlier: true, Output: output,
		ElapsedSeconds: how.Elapsed.Seconds(), Counters: new(counter.Set), began: time.Now(),
	}
}

// finish removes what a killed process left of a job that had succeeded.
func (s saved) finish(to mapreduce.Destination) error {
	return errors.Join(to.Finish(), os.RemoveAll(s.dir))
}
