package cli

import (
	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/internal/gen"
	"github.com/tarry-mr/tarry/jobs"
)

func newRunHiveSearch(start starter) *cobra.Command {
	pattern := gen.SearchPattern
	cmd := jobCommand(start, &cobra.Command{
		Use:   "hivesearch",
		Short: "Search texts (Hive's benchmark)",
		Long: `Keep the documents of tarry gen that contain a text after their key of 10 bytes: the text search of
Hive's benchmark, with which Zaharia et al. measure delay scheduling. One document in 10,000
contains the text.`,
	}, func() (jobStages, error) {
		bind := text(jobs.HiveSearch(pattern), lines)
		return oneStage(bind, bind).with(noReduce), nil
	})
	cmd.Flags().StringVar(&pattern, "pattern", pattern, "search for this `TEXT`")
	return cmd
}

func newRunHiveSelect(start starter) *cobra.Command {
	above := 10
	cmd := jobCommand(start, &cobra.Command{
		Use:   "hiveselect",
		Short: "Select pages by rank (Hive's benchmark)",
		Long: `Write address, tab, rank of the pages with a rank above --above: the selection of Hive's benchmark.
Read the table rankings of tarry gen.`,
	}, func() (jobStages, error) {
		bind := text(jobs.HiveSelect(int64(above)), lines)
		return oneStage(bind, bind).with(noReduce), nil
	})
	number(cmd.Flags(), &above, "above", above, span(0, 1e15), "select ranks above `N`")
	return cmd
}

func newRunHiveAggregate(start starter) *cobra.Command {
	prefix, top := 0, 0
	cmd := jobCommand(start, &cobra.Command{
		Use:   "hiveaggregate",
		Short: "Sum revenue by client (Hive's benchmark)",
		Long: `Write each client, tab, the total revenue of its visits: the aggregation of Hive's benchmark. Read
the table visits of tarry gen. Sums are exact.`,
	}, func() (jobStages, error) {
		return oneStage(text(jobs.HiveAggregate(prefix), lines), nil).top(top, 0), nil
	})
	number(cmd.Flags(), &prefix, "prefix", 0, span(1, 1_000_000),
		"group clients by the first `N` bytes of their address (default: the whole address)")
	topFlag(cmd, &top)
	return cmd
}

func newRunHiveJoin(start starter) *cobra.Command {
	o := jobs.HiveJoinOptions{From: "1999-01-01", To: "2000-01-01"}
	top := jobs.TopOptions{Lines: 1, Column: 2}
	cmd := jobCommand(start, &cobra.Command{
		Use:   "hivejoin",
		Short: "Join visits with ranks, find the best client (Hive's benchmark)",
		Long: `Find the client whose visits in a period had the highest revenue, and the mean rank of the pages
that it visited: the join of Hive's benchmark, in three jobs. Read the tables rankings and visits in
any order: rows of three columns belong to rankings, rows of nine to visits. Write client, tab,
revenue, tab, mean rank. Visits to pages without a rank are ignored.`,
		Example: `  tarry gen rankings --size 10MB -o rankings.txt
  tarry gen visits --size 100MB --seed 1 -o visits.txt
  tarry run hivejoin rankings.txt visits.txt`,
	}, func() (jobStages, error) {
		job, err := jobs.HiveJoin(o)
		if err != nil {
			return jobStages{}, err
		}
		return jobStages{all: []stage{
			{bind: text(job, lines)},
			{bind: text(jobs.HiveTotals(), lines)},
			{bind: topStage(top)},
		}}, nil
	})
	cmd.Flags().StringVar(&o.From, "from", o.From, "take visits from this `DAY` on")
	cmd.Flags().StringVar(&o.To, "until", o.To, "take visits before this `DAY`")
	number(cmd.Flags(), &top.Lines, "lines", top.Lines, span(1, 1_000_000), "write `N` clients", "k")
	return cmd
}
