package cli

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/tarry-mr/tarry/actors/serve"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/jobs"
	"github.com/tarry-mr/tarry/mapreduce"
)

func adjacencyJob(j *jobCommand) {
	j.Use, j.Short = "adjacency", "Make the adjacency list of a graph from its edges"
	j.Long = `Make the adjacency list of a graph. Read an edge per line: source node, tab, target node. Write each
source, tab, its distinct targets in byte order, separated by commas. In targets, a comma, a percent
sign and control characters are escaped as in a URL.`
	j.Example = `  tarry run adjacency edges.tsv -o graph`
	c := j.columnFlags(2, 2, edgeColumns)
	j.make = func() (serve.Stage, error) { return text(jobs.Adjacency(), c.Pairs), nil }
}

func pageRankJob(j *jobCommand) {
	j.Use, j.Short = "pagerank", "Rank the nodes of a graph by its links"
	j.Long = `Rank the nodes of a graph by its links. Read a node, tab and the node that it links to on each line,
or a node alone. Write each node, tab and its rank: the fraction of all readers who are there. With
probability --damping a reader follows a random link of the node; otherwise, and from a node without
links, the reader goes to a random node. Repeated links count once. The graph is kept in memory, in
addition to --memory.`
	j.Example = `  tarry run pagerank links.tsv --top 10`
	j.rounds = true
	o := jobs.PageRankOptions{Damping: 0.85, Rounds: 20}
	c := j.columnFlags(1, 2, edgeColumns)
	number(j.Flags(), &o.Damping, "damping", o.Damping, span(0.01, 0.99), "fraction of the readers who follow a link")
	number(j.Flags(), &o.Rounds, "rounds", o.Rounds, span(1, 1_000_000), "run `N` iterations")
	j.topFlag()
	j.make = func() (serve.Stage, error) {
		return inRounds(j, func(
			ctx context.Context, run jobs.Runner, src []mapreduce.Source,
		) ([]mapreduce.Pair[[]byte, string], error) {
			ranks, err := jobs.PageRank(ctx, run, c.tabbed(src), o)
			lines := make([]mapreduce.Pair[[]byte, string], len(ranks))
			for i, r := range ranks {
				lines[i] = mapreduce.MakePair(r.First, plain(r.Second))
			}
			return lines, err
		}), o.Check()
	}
}

func componentsJob(j *jobCommand) {
	j.Use, j.Short = "components", "Find the connected components of a graph"
	j.Long = `Find the connected components of a graph. Read a node, tab and a node that it is connected with on
each line, or a node alone. Write each node, tab and the first node, in byte order, of its
component. The graph is kept in memory, in addition to --memory.`
	j.rounds = true
	c := j.columnFlags(1, 2, "take the two nodes from these columns, by numbers from 1 or names (default: all columns)")
	j.make = func() (serve.Stage, error) {
		return inRounds(j, func(ctx context.Context, run jobs.Runner, src []mapreduce.Source) ([]jobs.Member, error) {
			return jobs.Components(ctx, run, c.tabbed(src))
		}), nil
	}
}

func kMeansJob(j *jobCommand) {
	j.Use, j.Short = "kmeans", "Divide points into clusters around centers"
	j.Long = `Divide points into clusters. Assign each point to the nearest center and move each center to the
mean of its points, until no center moves or --rounds is reached. Read a point per line: decimal
numbers as in tarry run mean. Write each center as such a line, followed by the number of its
points. The first centers are points drawn by k-means++ [Arthur07], the same ones for the same
--start. Each iteration reads the files, so standard input and pipes are rejected.`
	j.Example = `  tarry run kmeans --clusters 3 --csv --header --columns height,weight people.csv`
	j.rounds = true
	o := jobs.KMeansOptions{Clusters: 2, Rounds: 20}
	number(j.Flags(), &o.Clusters, "clusters", o.Clusters, span(1, 10_000), "make `N` clusters")
	number(j.Flags(), &o.Rounds, "rounds", o.Rounds, span(1, 1_000_000), "run at most `N` iterations")
	number(j.Flags(), &o.Seed, "start", 0, seeds, "draw the first centers from this seed")
	c := j.columnFlags(1, 0, "take the coordinates from these columns, by numbers from 1 or names (default: all columns)")
	j.make = func() (serve.Stage, error) {
		o.Separator = c.Separator
		return inRounds(j, func(ctx context.Context, run jobs.Runner, src []mapreduce.Source) ([]string, error) {
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
			return lines, err
		}), o.Check()
	}
}

// plain returns a number without an exponent, so that tarry run top can read it.
func plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// inRounds returns a stage whose work runs further jobs, one or more per round. The stage then
// writes the records that work returns, one per line.
func inRounds[O any](
	j *jobCommand, work func(ctx context.Context, run jobs.Runner, src []mapreduce.Source) ([]O, error),
) serve.Stage {
	return func(
		ctx context.Context, run serve.Runner, src []mapreduce.Source, to mapreduce.Destination,
	) (*mapreduce.Plan, error) {
		list, err := work(ctx, jobs.Runner(run), src)
		if err != nil {
			return nil, err
		}
		write := mapreduce.MapOnly[O, O]{Name: j.Name(), Map: func(rec O, emit func(O)) error {
			emit(rec)
			return nil
		}}
		return write.Bind(mapreduce.Slice(list), mapreduce.Text[O](to))
	}
}
