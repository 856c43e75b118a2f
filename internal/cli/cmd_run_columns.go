package cli

import (
	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/jobs"
	"github.com/tarry-mr/tarry/mapreduce"
)

func newRunDistinct(start starter) *cobra.Command {
	var c *columnFlags
	count, top := false, 0
	cmd := jobCommand(start, &cobra.Command{
		Use:   "distinct",
		Short: "Write each distinct line once",
		Long: `Write each distinct line once, in byte order within each part, as sort -u does; with --columns, each
distinct text of these columns. --count writes text, tab, number of lines. Records of --csv and
--tsv keep their form.`,
		Example: `  tarry run distinct --csv --header --columns city --count --top 10 customers.csv`,
	}, func() (jobStages, error) {
		var o jobs.DistinctOptions
		read := func(src []mapreduce.Source) mapreduce.Input[[]byte] { return c.Records(src, count) }
		if count {
			return oneStage(text(jobs.DistinctCount(o), read), nil).top(top, 0).reads(c), nil
		}
		return oneStage(text(jobs.Distinct(o), read), text(jobs.MapsOnly(jobs.Distinct(o)), read)).reads(c), nil
	})
	c = columnsFlag(cmd, 1, 0, "compare these columns, by numbers from 1 or names (default: the whole line)")
	cmd.Flags().BoolVar(&count, "count", false, "also write the number of lines with each text")
	topFlag(cmd, &top)
	needs(cmd, "columns", "field-separator")
	needs(cmd, "count", "top")
	return cmd
}

func newRunHistogram(start starter) *cobra.Command {
	var c *columnFlags
	width := ""
	cmd := jobCommand(start, &cobra.Command{
		Use:   "histogram",
		Short: "Count numbers by buckets of one width",
		Long: `Count decimal numbers by buckets of equal width, one of which begins at 0. Read one number per line,
or a column. For each bucket that is not empty, write its least number, tab, count. The
concatenated parts are in order. All results are exact.`,
		Example: `  tarry run histogram --csv --header --columns price --width 0.5 prices.csv`,
	}, func() (jobStages, error) {
		job, err := jobs.Histogram(jobs.HistogramOptions{Width: width})
		return oneStage(text(job, c.tabbed), nil).reads(c), err
	})
	cmd.Flags().StringVar(&width, "width", "1", "make buckets of this `WIDTH`, a decimal number above 0")
	c = columnsFlag(cmd, 1, 1, "take the numbers from this column, by its number from 1 or its name (default: the whole line)")
	needs(cmd, "columns", "field-separator")
	return cmd
}

func newRunSecondarySort(start starter) *cobra.Command {
	var c *columnFlags
	cmd := jobCommand(start, &cobra.Command{
		Use:   "secondarysort",
		Short: "Sort each key's numbers",
		Long: `Sort each key's numbers. Read lines of key, tab, integer; write key, tab, number, tab, the rank of
the number among those of the key, from 1. The engine sorts by key and number, so a reduce needs no
memory for the numbers of a key.`,
		Example: `  tarry run secondarysort --csv --header --columns user,seconds visits.csv`,
	}, func() (jobStages, error) {
		return oneStage(text(jobs.SecondarySort(), c.Pairs), nil).reads(c), nil
	})
	c = columnsFlag(cmd, 2, 2, "take the key and the integer from these columns, by numbers from 1 or names (default: all columns)")
	return cmd
}

func newRunMovingAverage(start starter) *cobra.Command {
	var c *columnFlags
	window := 3
	cmd := jobCommand(start, &cobra.Command{
		Use:   "movingaverage",
		Short: "Take the moving average of each key's numbers",
		Long: `Take the mean of each key's last numbers at each time. Read lines of key, tab, time, tab, number, in
any order; a time is an integer, a number as in tarry run mean. Write key, tab, time, tab, the mean
of the number at that time and of earlier ones. Sums are exact: errors do not accumulate.`,
		Example: `  tarry run movingaverage --window 7 --jsonl city,hour,celsius weather.jsonl`,
	}, func() (jobStages, error) {
		job, err := jobs.MovingAverage(window)
		return oneStage(text(job, c.tabbed), nil).reads(c), err
	})
	number(cmd.Flags(), &window, "window", window, span(1, 1_000_000), "average the last `N` numbers")
	c = columnsFlag(cmd, 3, 3, "take key, time and number from these columns, by numbers from 1 or names (default: all columns)")
	return cmd
}

func newRunAdjacency(start starter) *cobra.Command {
	var c *columnFlags
	cmd := jobCommand(start, &cobra.Command{
		Use:   "adjacency",
		Short: "Make the adjacency list of a graph from its edges",
		Long: `Make the adjacency list of a graph. Read an edge per line: source node, tab, target node. Write each
source, tab, its distinct targets in byte order, separated by commas. In targets, a comma, a percent
sign and control characters are escaped as in a URL.`,
		Example: `  tarry run adjacency edges.tsv -o graph`,
	}, func() (jobStages, error) {
		return oneStage(text(jobs.Adjacency(), c.Pairs), nil).reads(c), nil
	})
	c = columnsFlag(cmd, 2, 2, edgeColumns)
	return cmd
}
