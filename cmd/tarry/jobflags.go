package main

import (
	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/scheduling"
)

// jobFlags are the flags of one job: of `tarry run`, and of a line of `tarry batch`.
type jobFlags struct {
	output    string
	overwrite bool
	compress  string
	reduces   int
	pool      string
	queue     string
	priority  string
}

// register adds the flags to the command and its sub-commands.
func (j *jobFlags) register(cmd *cobra.Command) {
	f := cmd.PersistentFlags()
	f.StringVarP(&j.output, "output", "o", "", "directory to write, which must not exist; - is standard output")
	f.BoolVar(&j.overwrite, "overwrite", false, "replace an existing output directory once the job is done")
	f.StringVar(&j.compress, "compress", "none", "compress the output: none, gzip, zstd or s2")
	f.IntVar(&j.reduces, "reduces", 0, "reduce tasks (default: one for each 64MiB of input)")
	f.StringVar(&j.pool, "pool", "", "pool of the job (default: the user's)")
	f.StringVar(&j.queue, "queue", "", "queue of the job (default: the one named default)")
	f.StringVar(&j.priority, "priority", "normal", "how important the job is to the scheduler: very_high, high, normal, low or very_low")

	_ = cmd.RegisterFlagCompletionFunc("compress", cobra.FixedCompletions([]string{"none", "gzip", "zstd", "s2"}, cobra.ShellCompDirectiveNoFileComp)) // an error: no such flag
	_ = cmd.RegisterFlagCompletionFunc("priority", cobra.FixedCompletions([]string{"very_high", "high", "normal", "low", "very_low"}, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.MarkPersistentFlagDirname("output")
}

// check refuses values that no job could work with.
func (j *jobFlags) check() error {
	if _, err := scheduling.ParsePriority(j.priority); err != nil {
		return usageError("--priority %s: want very_high, high, normal, low or very_low", shown(j.priority))
	}
	if j.output == "" {
		return usageError("where to? -o DIR, or -o - for standard output")
	}
	return nil
}

// The most tasks of a job: each takes some memory, 3 kB a map and 40 kB a reduce, whether it runs or
// not.
const (
	mostMaps    = 1_000_000
	mostReduces = 10_000
)
