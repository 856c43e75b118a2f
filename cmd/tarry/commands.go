package main

import (
	"slices"

	"github.com/spf13/cobra"
)

// command is a line of the table of commands.
type command struct {
	name, short string
	make        func(*program) *cobra.Command // without Short
}

// commands is the table of commands: one constructor a line, each in its own file cmd_NAME.go.
func commands() []command {
	return []command{
		{"batch", "Run several jobs at once on one emulated cluster", newBatch},
		{"config", "Check the configuration files of schedulers, show what flags and environment say", newConfig},
		{"delay", "Work out how long maps should wait for a slot beside their data", newDelay},
		{"experiment", "Reproduce published tables and figures, published and ours side by side", newExperiment},
		{"run", "Run a job on an emulated cluster in this process", newRun},
		{"fsck", "Show how files lie in the block store, and what damage does to them", newFsck},
		{"gen", "Make deterministic input of any size", newGen},
		{"get", "Copy a file out of the block store of a server, tarry serve", newGet},
		{"history", "List the jobs of a server, tarry serve, that have ended", newHistory},
		{"job", "Watch and change the jobs of a server, tarry serve", newJob},
		{"ls", "List a directory of the block store of a server, tarry serve", newLs},
		{"node", "Watch and change the nodes of a server, tarry serve", newNode},
		{"play", "Serve the playground: the scheduler in the browser", newPlay},
		{"policy", "Watch and change the scheduler of a server, tarry serve", newPolicy},
		{"put", "Copy a file into the block store of a server, tarry serve", newPut},
		{"rm", "Remove a file of the block store of a server, or a directory with all in it", newRm},
		{"scenario", "Check a scheduler's answers against scenarios", newScenario},
		{"serve", "Keep a cluster up that takes jobs from several users over HTTP", newServe},
		{"streaming", "Hand a job to Hadoop Streaming by a line of your own", newStreaming},
		{"submit", "Hand a job to a server, tarry serve", newSubmit},
		{"events", "Read what a live or simulated cluster recorded with --events", newEvents},
		{"sim", "Simulate a cluster of any size in virtual time, with the scheduler that runs live", newSim},
		{"tune", "Look for settings of a scheduler that serve a goal better", newTune},
		{"version", "Print the version of this program", newVersion},
		{"view", "Make a page on which a recorded run can be watched", newView},
		{"whatif", "Run a recorded run again under other settings, in the simulator", newWhatIf},
	}
}

// command makes a command of the table. One that nobody asks for has neither flags nor
// sub-commands: it stands in the list of commands, and costs nothing.
func (p *program) command(c command) *cobra.Command {
	cmd := &cobra.Command{Use: c.name, Run: func(*cobra.Command, []string) {}}
	if p.asked == nil || p.asked[0] == c.name {
		cmd = c.make(p)
	}
	cmd.Short = c.short
	return cmd
}

// jobMaker makes the command of a job.
type jobMaker struct {
	name string
	make func(*program, starter) *cobra.Command
}

// jobMakers make the commands of the jobs, each by itself.
func jobMakers() []jobMaker {
	plain := func(make func(starter) *cobra.Command) func(*program, starter) *cobra.Command {
		return func(_ *program, s starter) *cobra.Command { return make(s) }
	}
	return []jobMaker{
		{"wordcount", plain(newRunWordCount)},
		{"sort", plain(newRunSort)},
		{"terasort", plain(newRunTeraSort)},
		{"grep", newRunGrep},
		{"index", plain(newRunIndex)},
		{"mean", plain(newRunMean)},
		{"top", plain(newRunTop)},
		{"distinct", plain(newRunDistinct)},
		{"histogram", plain(newRunHistogram)},
		{"secondarysort", plain(newRunSecondarySort)},
		{"movingaverage", plain(newRunMovingAverage)},
		{"adjacency", plain(newRunAdjacency)},
		{"teravalidate", plain(newRunTeraValidate)},
		{"scan", plain(newRunScan)},
		{"sleep", plain(newRunSleep)},
		{"pagerank", plain(newRunPageRank)},
		{"components", plain(newRunComponents)},
		{"kmeans", plain(newRunKMeans)},
		{"hivesearch", plain(newRunHiveSearch)},
		{"hiveselect", plain(newRunHiveSelect)},
		{"hiveaggregate", plain(newRunHiveAggregate)},
		{"hivejoin", plain(newRunHiveJoin)},
	}
}

// makersFor are those of the job that a line names, or of all jobs.
func makersFor(line []string) []jobMaker {
	all := jobMakers()
	if len(line) > 0 {
		if i := slices.IndexFunc(all, func(m jobMaker) bool { return m.name == line[0] }); i >= 0 {
			return all[i : i+1]
		}
	}
	return all
}

// askedFor gives the commands that a command line names first, those that have to be made for it; nil
// where others might matter: behind flags and in lines that speak of commands, as completion, help
// and config do. The name of the list of all commands is the empty one.
func askedFor(args []string) []string {
	if len(args) == 0 || len(args) == 1 && slices.Contains([]string{"-h", "--help", "--version"}, args[0]) {
		return []string{""}
	}
	known := func(c command) bool { return c.name == args[0] }
	if args[0] == "config" || !slices.ContainsFunc(commands(), known) {
		return nil
	}
	return args
}
