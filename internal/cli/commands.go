package cli

import "github.com/spf13/cobra"

// commands returns the constructors of the commands, each in its own file cmd_NAME.go.
func commands() []func(*program) *cobra.Command {
	return []func(*program) *cobra.Command{
		newConfig, newDelay, newDocs, newExperiment, newRun, newFS, newGen,
		newJob, newNode, newPlay, newPolicy, newScenario, newServe, newSubmit, newEvents, newSim,
		newVersion, newView, newWhatIf,
	}
}

// jobCommands returns the commands of the jobs; each passes its stages to start.
func jobCommands(p *program, start starter) []*cobra.Command {
	return []*cobra.Command{
		newRunWordCount(start),
		newRunSort(start),
		newRunTeraSort(start),
		newRunGrep(p, start),
		newRunIndex(start),
		newRunMean(start),
		newRunTop(start),
		newRunDistinct(start),
		newRunHistogram(start),
		newRunSecondarySort(start),
		newRunMovingAverage(start),
		newRunAdjacency(start),
		newRunTeraValidate(start),
		newRunScan(start),
		newRunSleep(start),
		newRunPageRank(start),
		newRunComponents(start),
		newRunKMeans(start),
		newRunHiveSearch(start),
		newRunHiveSelect(start),
		newRunHiveAggregate(start),
		newRunHiveJoin(start),
	}
}
