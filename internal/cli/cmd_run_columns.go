package cli

import (
	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/jobs"
	"github.com/tarry-mr/tarry/mapreduce"
)

func newRunDistinct(start starter) *cobra.Command {
	var o jobs.DistinctOptions
	between, count, top := "", false, 0
	cmd := jobCommand(start, &cobra.Command{
		Use:   "distinct",
		Short: "Write each line once",
		Long: `Write each line, or each text of a column, once, in byte order within each part, as sort -u does;
with --count text, tab, how many lines have it.`,
		Example: `  tarry run distinct names.txt -o -
  tarry run distinct --column 1 --count --top 10 visits.tsv -o -`,
	}, func() (jobStages, error) {
		var err error
		if o.Separator, err = separator(between, '\t'); err != nil {
			return jobStages{}, err
		}
		if count {
			return oneStage(func(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
				return jobs.DistinctCount(o).Bind(mapreduce.Lines(src...), mapreduce.Text[jobs.Count](to))
			}, nil).top(top, 0), nil
		}
		return oneStage(func(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
			return jobs.Distinct(o).Bind(mapreduce.Lines(src...), mapreduce.Text[jobs.Line](to))
		}, func(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
			return jobs.MapsOnly(jobs.Distinct(o)).Bind(mapreduce.Lines(src...), mapreduce.Text[jobs.Line](to))
		}), nil
	})
	number(cmd.Flags(), &o.Column, "column", 0, span(1, 1_000_000), "what counts, from 1 (default: the whole line)")
	cmd.Flags().BoolVar(&count, "count", false, "write how many lines have each text, too")
	separatorFlag(cmd, &between)
	topFlag(cmd, &top)
	needs(cmd, "column", "field-separator")
	needs(cmd, "count", "top")
	return cmd
}

func newRunHistogram(start starter) *cobra.Command {
	var o jobs.HistogramOptions
	between := ""
	cmd := jobCommand(start, &cobra.Command{
		Use:   "histogram",
		Short: "Count numbers by buckets of one width",
		Long: `Count decimal numbers, a line each or in a column, by buckets of one width, of which one begins at
0. Writes the least number of each bucket that is not empty, tab, how many numbers are in it; the
parts one after the other are in order. All of it is exact.`,
		Example: `  tarry gen numbers --size 10MB --seed 1 -o numbers.txt
  tarry run histogram --width 1000000 numbers.txt -o -
  tarry run histogram -t, --column 2 --width 0.5 prices.csv -o -`,
	}, func() (jobStages, error) {
		var err error
		if o.Separator, err = separator(between, '\t'); err != nil {
			return jobStages{}, err
		}
		job, err := jobs.Histogram(o)
		return oneStage(func(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
			return job.Bind(mapreduce.Lines(src...), mapreduce.Text[jobs.Bucket](to))
		}, nil), err
	})
	cmd.Flags().StringVar(&o.Width, "width", "1", "width of a bucket, a decimal number above 0")
	number(cmd.Flags(), &o.Column, "column", 0, span(1, 1_000_000), "where the numbers are, from 1 (default: the whole line)")
	separatorFlag(cmd, &between)
	needs(cmd, "column", "field-separator")
	return cmd
}

func newRunSecondarySort(start starter) *cobra.Command {
	return jobCommand(start, &cobra.Command{
		Use:   "secondarysort",
		Short: "Sort each key's numbers",
		Long: `Sort each key's numbers. Reads lines of key, tab, integer; writes key, tab, number, tab, its place
among the key's, from 1. The numbers are part of what the engine sorts by: no reduce holds them.`,
		Example: `  tarry gen pairs --size 10MB --seed 1 -o pairs.txt
  tarry run secondarysort pairs.txt -o sorted`,
	}, func() (jobStages, error) {
		return oneStage(func(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
			return jobs.SecondarySort().Bind(mapreduce.KeyValueLines('\t', src...), mapreduce.Text[jobs.Placed](to))
		}, nil), nil
	})
}

func newRunMovingAverage(start starter) *cobra.Command {
	window := 3
	cmd := jobCommand(start, &cobra.Command{
		Use:   "movingaverage",
		Short: "Take the mean of each key's last numbers",
		Long: `Take the mean of each key's last numbers at each time. Reads lines of key, tab, time, tab, number,
in any order: a time is an integer, a number as tarry run mean reads it. Writes key, tab, time, tab,
mean of the number at that time and those before it. Sums are exact: nothing drifts.`,
		Example: `  tarry run movingaverage --window 7 temperatures.tsv -o -`,
	}, func() (jobStages, error) {
		job, err := jobs.MovingAverage(window)
		return oneStage(func(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
			return job.Bind(mapreduce.Lines(src...), mapreduce.Text[jobs.Averaged](to))
		}, nil), err
	})
	number(cmd.Flags(), &window, "window", window, span(1, 1_000_000), "numbers that a mean is of")
	return cmd
}

func newRunAdjacency(start starter) *cobra.Command {
	return jobCommand(start, &cobra.Command{
		Use:   "adjacency",
		Short: "Make the adjacency list of a graph from its edges",
		Long: `Make the adjacency list of a graph. Reads an edge a line: a node, tab, the node that it leads to;
writes each node that edges begin at, tab, those that they lead to, each once, in byte order, with
commas between. In these a comma, a percent sign and control characters are written as in a URL.`,
		Example: `  tarry run adjacency edges.tsv -o graph`,
	}, func() (jobStages, error) {
		return oneStage(func(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
			return jobs.Adjacency().Bind(mapreduce.KeyValueLines('\t', src...), mapreduce.Text[jobs.Neighbors](to))
		}, nil), nil
	})
}
