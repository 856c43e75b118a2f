package cli

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/jobs"
	"github.com/tarry-mr/tarry/mapreduce"
)

// written returns a job that writes the records of a list, one per line.
func written[O any](name string, list []O) writeTo {
	job := mapreduce.MapOnly[O, O]{Name: name, Map: func(rec O, emit func(O)) error {
		emit(rec)
		return nil
	}}
	return func(to mapreduce.Destination) (*mapreduce.Plan, error) {
		return job.Bind(mapreduce.Slice(list), mapreduce.Text[O](to))
	}
}

// plain returns a number without an exponent, so that tarry run top can read it.
func plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

func newRunPageRank(start starter) *cobra.Command {
	var c *columnFlags
	o, top := jobs.PageRankOptions{Damping: 0.85, Rounds: 20}, 0
	cmd := jobCommand(start, &cobra.Command{
		Use:   "pagerank",
		Short: "Rank the nodes of a graph by its links",
		Long: `Rank the nodes of a graph by its links. Read a node, tab and the node that it links to on each line,
or a node alone. Write each node, tab and its rank: the fraction of all readers who are there. With
probability --damping a reader follows a random link of the node; otherwise, and from a node without
links, the reader goes to a random node. Repeated links count once. The graph is kept in memory, in
addition to --memory.`,
		Example: `  tarry run pagerank links.tsv --top 10`,
	}, func() (jobStages, error) {
		if err := o.Check(); err != nil {
			return jobStages{}, err
		}
		return inRounds(func(ctx context.Context, run jobs.Runner, src []mapreduce.Source) (writeTo, error) {
			ranks, err := jobs.PageRank(ctx, run, c.tabbed(src), o)
			lines := make([]mapreduce.Pair[[]byte, string], len(ranks))
			for i, r := range ranks {
				lines[i] = mapreduce.MakePair(r.First, plain(r.Second))
			}
			return written("pagerank", lines), err
		}).top(top, 0).reads(c), nil
	})
	c = columnsFlag(cmd, 1, 2, edgeColumns)
	number(cmd.Flags(), &o.Damping, "damping", o.Damping, span(0.01, 0.99), "fraction of the readers who follow a link")
	number(cmd.Flags(), &o.Rounds, "rounds", o.Rounds, span(1, 1_000_000), "run `N` iterations")
	topFlag(cmd, &top)
	return cmd
}

func newRunComponents(start starter) *cobra.Command {
	var c *columnFlags
	cmd := jobCommand(start, &cobra.Command{
		Use:   "components",
		Short: "Find the connected components of a graph",
		Long: `Find the connected components of a graph. Read a node, tab and a node that it is connected with on
each line, or a node alone. Write each node, tab and the first node, in byte order, of its
component. The graph is kept in memory, in addition to --memory.`,
	}, func() (jobStages, error) {
		return inRounds(func(ctx context.Context, run jobs.Runner, src []mapreduce.Source) (writeTo, error) {
			members, err := jobs.Components(ctx, run, c.tabbed(src))
			return written("components", members), err
		}).reads(c), nil
	})
	c = columnsFlag(cmd, 1, 2, "take the two nodes from these columns, by numbers from 1 or names (default: all columns)")
	return cmd
}

func newRunKMeans(start starter) *cobra.Command {
	var c *columnFlags
	o := jobs.KMeansOptions{Clusters: 2, Rounds: 20}
	cmd := jobCommand(start, &cobra.Command{
		Use:   "kmeans",
		Short: "Divide points into clusters around centers",
		Long: `Divide points into clusters. Assign each point to the nearest center and move each center to the
mean of its points, until no center moves or --rounds is reached. Read a point per line: decimal
numbers as in tarry run mean. Write each center as such a line, followed by the number of its
points. The first centers are points drawn by k-means++ [Arthur07], the same ones for the same
--start. Each iteration reads the files, so standard input and pipes are rejected.`,
		Example: `  tarry run kmeans --clusters 3 --csv --header --columns height,weight people.csv`,
	}, func() (jobStages, error) {
		o.Separator = c.Separator
		if err := o.Check(); err != nil {
			return jobStages{}, err
		}
		return inRounds(func(ctx context.Context, run jobs.Runner, src []mapreduce.Source) (writeTo, error) {
			for _, s := range src {
				if s.Size() < 0 {
					return nil, usageError("%s can be read only once: kmeans reads its points in each round", words.Shown(s.Name()))
				}
			}
			clusters, err := jobs.KMeans(ctx, run, c.Joined(src, o.Separator), o)
			lines := make([]string, len(clusters))
			for i, c := range clusters {
				var columns []string
				for _, x := range c.Center {
					columns = append(columns, plain(x))
				}
				lines[i] = strings.Join(append(columns, strconv.FormatInt(c.Size, 10)), string([]byte{o.Separator}))
			}
			if err != nil && strings.HasPrefix(err.Error(), "jobs: ") {
				err = errors.New(strings.TrimPrefix(err.Error(), "jobs: "))
			}
			return written("kmeans", lines), err
		}).reads(c), nil
	})
	number(cmd.Flags(), &o.Clusters, "clusters", o.Clusters, span(1, 10_000), "make `N` clusters")
	number(cmd.Flags(), &o.Rounds, "rounds", o.Rounds, span(1, 1_000_000), "run at most `N` iterations")
	number(cmd.Flags(), &o.Seed, "start", 0, seeds, "draw the first centers from this seed")
	c = columnsFlag(cmd, 1, 0, "take the coordinates from these columns, by numbers from 1 or names (default: all columns)")
	return cmd
}
