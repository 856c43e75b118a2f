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

// written is a job that writes the records of a list, a line each.
func written[O any](name string, list []O) writeTo {
	job := mapreduce.MapOnly[O, O]{Name: name, Map: func(rec O, emit func(O)) error {
		emit(rec)
		return nil
	}}
	return func(to mapreduce.Destination) (*mapreduce.Plan, error) {
		return job.Bind(mapreduce.Slice(list), mapreduce.Text[O](to))
	}
}

// plain is a number without an exponent, so that tarry run top reads it.
func plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

func newRunPageRank(start starter) *cobra.Command {
	var c *columnFlags
	o, top := jobs.PageRankOptions{Damping: 0.85, Rounds: 20}, 0
	cmd := jobCommand(start, &cobra.Command{
		Use:   "pagerank",
		Short: "Rank the nodes of a graph by its links",
		Long: `Rank the nodes of a graph by its links. Reads a node, tab, and the node that it links to, a line
each, or a node alone; writes each node, tab, the part of all readers who are there. Readers follow
one of a node's links, each as likely, or go anywhere (--damping); so do all where no link leads on.
A link that is there twice is one link. The graph is held in memory, beside --memory.`,
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
	number(cmd.Flags(), &o.Damping, "damping", o.Damping, span(0.01, 0.99), "part of the readers who follow a link")
	number(cmd.Flags(), &o.Rounds, "rounds", o.Rounds, span(1, 1_000_000), "how often ranks are handed on")
	topFlag(cmd, &top)
	return cmd
}

func newRunComponents(start starter) *cobra.Command {
	var c *columnFlags
	cmd := jobCommand(start, &cobra.Command{
		Use:   "components",
		Short: "Find the connected components of a graph",
		Long: `Find the connected components of a graph. Reads a node, tab, and a node that it is connected with,
a line each, or a node alone; writes each node, tab, the first node, in byte order, of those that it
is connected with by any number of edges. The graph is held in memory, beside --memory.`,
	}, func() (jobStages, error) {
		return inRounds(func(ctx context.Context, run jobs.Runner, src []mapreduce.Source) (writeTo, error) {
			members, err := jobs.Components(ctx, run, c.tabbed(src))
			return written("components", members), err
		}).reads(c), nil
	})
	c = columnsFlag(cmd, 1, 2, "the two nodes: numbers from 1, or names (default: all columns)")
	return cmd
}

func newRunKMeans(start starter) *cobra.Command {
	var c *columnFlags
	o := jobs.KMeansOptions{Clusters: 2, Rounds: 20}
	cmd := jobCommand(start, &cobra.Command{
		Use:   "kmeans",
		Short: "Divide points into clusters around centers",
		Long: `Divide points into clusters, each point to the nearest center, and move each center into the mean of
its points, until no center moves or there were enough rounds. Reads a point a line: decimal
numbers, as tarry run mean reads them. Writes each center as such a line, with the number of its
points behind. Centers begin at points that k-means++ draws [Arthur07], the same ones for the same
--start. Files are read in each round: standard input and pipes are refused.`,
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
	number(cmd.Flags(), &o.Clusters, "clusters", o.Clusters, span(1, 10_000), "how many clusters")
	number(cmd.Flags(), &o.Rounds, "rounds", o.Rounds, span(1, 1_000_000), "the most rounds")
	number(cmd.Flags(), &o.Seed, "start", 0, seeds, "seed of the draw of the points that centers begin at")
	c = columnsFlag(cmd, 1, 0, "the coordinates: numbers from 1, or names (default: all columns)")
	return cmd
}
