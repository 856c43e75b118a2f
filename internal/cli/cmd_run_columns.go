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
		Short: "Write each line once",
		Long: `Write each line, or what stands in some columns, once, in byte order within each part, as sort -u
does; with --count text, tab, how many lines have it. Records of --csv and --tsv stay such.`,
		Example: `  tarry run distinct --csv --header --columns city --count --top 10 customers.csv`,
	}, func() (jobStages, error) {
		var o jobs.DistinctOptions
		read := func(src []mapreduce.Source) mapreduce.Input[[]byte] { return c.Records(src, count) }
		if count {
			return oneStage(text(jobs.DistinctCount(o), read), nil).top(top, 0).reads(c), nil
		}
		return oneStage(text(jobs.Distinct(o), read), text(jobs.MapsOnly(jobs.Distinct(o)), read)).reads(c), nil
	})
	c = columnsFlag(cmd, 1, 0, "what counts: numbers from 1, or names (default: the whole line)")
	cmd.Flags().BoolVar(&count, "count", false, "write how many lines have each text, too")
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
		Long: `Count decimal numbers, a line each or in a column, by buckets of one width, of which one begins at
0. Writes the least number of each bucket that is not empty, tab, how many numbers are in it; the
parts one after the other are in order. All of it is exact.`,
		Example: `  tarry run histogram --csv --header --columns price --width 0.5 prices.csv`,
	}, func() (jobStages, error) {
		job, err := jobs.Histogram(jobs.HistogramOptions{Width: width})
		return oneStage(text(job, c.tabbed), nil).reads(c), err
	})
	cmd.Flags().StringVar(&width, "width", "1", "width of a bucket, a decimal number above 0")
	c = columnsFlag(cmd, 1, 1, "where the numbers are: a number from 1, or a name (default: the whole line)")
	needs(cmd, "columns", "field-separator")
	return cmd
}

func newRunSecondarySort(start starter) *cobra.Command {
	var c *columnFlags
	cmd := jobCommand(start, &cobra.Command{
		Use:   "secondarysort",
		Short: "Sort each key's numbers",
		Long: `Sort each key's numbers. Reads lines of key, tab, integer; writes key, tab, number, tab, its place
among the key's, from 1. The numbers are part of what the engine sorts by: no reduce holds them.`,
		Example: `  tarry run secondarysort --csv --header --columns user,seconds visits.csv`,
	}, func() (jobStages, error) {
		return oneStage(text(jobs.SecondarySort(), c.Pairs), nil).reads(c), nil
	})
	c = columnsFlag(cmd, 2, 2, "the key and the integer: numbers from 1, or names (default: all columns)")
	return cmd
}

func newRunMovingAverage(start starter) *cobra.Command {
	var c *columnFlags
	window := 3
	cmd := jobCommand(start, &cobra.Command{
		Use:   "movingaverage",
		Short: "Take the mean of each key's last numbers",
		Long: `Take the mean of each key's last numbers at each time. Reads lines of key, tab, time, tab, number,
in any order: a time is an integer, a number as tarry run mean reads it. Writes key, tab, time, tab,
mean of the number at that time and those before it. Sums are exact: nothing drifts.`,
		Example: `  tarry run movingaverage --window 7 --jsonl city,hour,celsius weather.jsonl`,
	}, func() (jobStages, error) {
		job, err := jobs.MovingAverage(window)
		return oneStage(text(job, c.tabbed), nil).reads(c), err
	})
	number(cmd.Flags(), &window, "window", window, span(1, 1_000_000), "numbers that a mean is of")
	c = columnsFlag(cmd, 3, 3, "key, time and number: numbers from 1, or names (default: all columns)")
	return cmd
}

func newRunAdjacency(start starter) *cobra.Command {
	var c *columnFlags
	cmd := jobCommand(start, &cobra.Command{
		Use:   "adjacency",
		Short: "Make the adjacency list of a graph from its edges",
		Long: `Make the adjacency list of a graph. Reads an edge a line: a node, tab, the node that it leads to;
writes each node that edges begin at, tab, those that they lead to, each once, in byte order, with
commas between. In these a comma, a percent sign and control characters are written as in a URL.`,
		Example: `  tarry run adjacency edges.tsv -o graph`,
	}, func() (jobStages, error) {
		return oneStage(text(jobs.Adjacency(), c.Pairs), nil).reads(c), nil
	})
	c = columnsFlag(cmd, 2, 2, edgeColumns)
	return cmd
}
