package cli

import (
	"os/user"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/scheduling"
)

// The most tasks of a job: each takes some memory, 3 kB a map and 40 kB a reduce, whether it runs
// or not.
const (
	mostMaps    = 1_000_000
	mostReduces = 10_000
)

// jobFlags are the flags of one job: of `tarry run`, and of a line of `tarry batch`.
type jobFlags struct {
	output    string
	overwrite bool
	compress  string
	reduces   int
	maxSkips  int
	user      string
	pool      string
	queue     string
	priority  string

	saved saved // with --state
	stage int   // that runs
	// elsewhere: --on.
	elsewhere bool
	folder    string // what is between stages, where several runs of the program need it
}

// register adds the flags to the command, whose sub-commands are the jobs.
func (j *jobFlags) register(cmd *cobra.Command) {
	for _, job := range cmd.Commands() {
		j.registerOutput(job)
	}
	f := cmd.PersistentFlags()
	f.BoolVar(&j.overwrite, "overwrite", false, "replace an existing output directory once the job is done")
	f.StringVar(&j.compress, "compress", "none", "compress the output: none, gzip, zstd or s2")
	number(f, &j.reduces, "reduces", 0, span(0, mostReduces), "reduce tasks, 0 for none: what the maps emit is the output (default: one for each 64MiB of input, made a power of two)")
	number(f, &j.maxSkips, "max-skips", 0, span(0, 1e9),
		"leave out up to so many records on which the job's map fails, hangs or ends its goroutine; they are listed in _skipped.jsonl of the output")
	f.StringVar(&j.user, "user", "", "whose job it is to the scheduler (default: who runs this program)")
	f.StringVar(&j.pool, "pool", "", "pool of the job (default: the user's)")
	f.StringVar(&j.queue, "queue", "", "queue of the job (default: the one named default)")
	f.StringVar(&j.priority, "priority", "normal",
		"how important the job is to the scheduler: very_high, high, normal, low or very_low")

	grouped(cmd, "Output", "max-skips")
	grouped(cmd, "Scheduler", "user pool queue priority")
	complete(cmd, "compress", "none", "gzip", "zstd", "s2")
	complete(cmd, "priority", "very_high", "high", "normal", "low", "very_low")
}

// registerOutput adds --output to a job. Where -o means something else to the tool whose flags the job has,
// it has no short form.
func (j *jobFlags) registerOutput(job *cobra.Command) {
	short := "o"
	if job.Flags().ShorthandLookup(short) != nil {
		short = ""
	}
	job.Flags().StringVarP(&j.output, "output", short, stdoutName,
		"directory to write, in parts, which must not exist (default: standard output)")
	job.Flag("output").DefValue = ""  // said above
	_ = job.MarkFlagDirname("output") // an error: no such flag
}

// outputFlag is how --output of a command is best written.
func outputFlag(cmd *cobra.Command) string {
	if f := cmd.Flag("output"); f.Shorthand == "" {
		return "--output"
	}
	return "-o"
}

// check refuses values that no job could work with.
func (j *jobFlags) check() error {
	if _, err := scheduling.ParsePriority(j.priority); err != nil {
		return usageError("--priority %s: want very_high, high, normal, low or very_low", words.Shown(j.priority))
	}
	if j.output == "" {
		return usageError("--output: an empty name; without --output the result goes to standard output")
	}
	return nil
}

// submitOptions are the job's: its user is --user, or who runs this program.
func (j *jobFlags) submitOptions() actors.SubmitOptions {
	o := actors.SubmitOptions{Reduces: j.reduces, Pool: j.pool, Queue: j.queue, MaxSkips: j.maxSkips, User: j.user}
	o.Priority, _ = scheduling.ParsePriority(j.priority) // check found it good
	who, err := user.Lookup(j.user)
	if j.user == "" {
		who, err = user.Current()
	}
	if err != nil { // a user that this machine does not know is in no group
		return o
	}
	o.User = who.Username
	ids, _ := who.GroupIds() // none after an error
	for _, id := range ids {
		if g, err := user.LookupGroupId(id); err == nil {
			o.Groups = append(o.Groups, g.Name)
		}
	}
	return o
}
