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
		Long: `Keep the documents of tarry gen with a text behind their key of 10 bytes: the text search of Hive's
benchmark, which Zaharia et al. measure delay scheduling with. One in 10,000 has the text.`,
	}, func() (jobStages, error) {
		bind := text(jobs.HiveSearch(pattern), lines)
		return oneStage(bind, bind).with(noReduce), nil
	})
	cmd.Flags().StringVar(&pattern, "pattern", pattern, "the text that is searched for")
	return cmd
}

func newRunHiveSelect(start starter) *cobra.Command {
	above := 10
	cmd := jobCommand(start, &cobra.Command{
		Use:   "hiveselect",
		Short: "Select pages by rank (Hive's benchmark)",
		Long: `Write address, tab, rank of the pages with a rank above a given one: the selection of Hive's
benchmark. Reads the table rankings of tarry gen.`,
	}, func() (jobStages, error) {
		bind := text(jobs.HiveSelect(int64(above)), lines)
		return oneStage(bind, bind).with(noReduce), nil
	})
	number(cmd.Flags(), &above, "above", above, span(0, 1e15), "ranks above this one are selected")
	return cmd
}

func newRunHiveAggregate(start starter) *cobra.Command {
	prefix, top := 0, 0
	cmd := jobCommand(start, &cobra.Command{
		Use:   "hiveaggregate",
		Short: "Sum revenue by client (Hive's benchmark)",
		Long: `Write each client, tab, the sum of the revenue of its visits: the aggregation of Hive's benchmark.
Reads the table visits of tarry gen. Sums are exact.`,
	}, func() (jobStages, error) {
		return oneStage(text(jobs.HiveAggregate(prefix), lines), nil).top(top, 0), nil
	})
	number(cmd.Flags(), &prefix, "prefix", 0, span(1, 1_000_000),
		"take clients whose addresses begin with so many equal bytes together")
	topFlag(cmd, &top)
	return cmd
}

func newRunHiveJoin(start starter) *cobra.Command {
	o := jobs.HiveJoinOptions{From: "1999-01-01", To: "2000-01-01"}
	top := jobs.TopOptions{Lines: 1, Column: 2}
	cmd := jobCommand(start, &cobra.Command{
		Use:   "hivejoin",
		Short: "Join visits with ranks, find the best client (Hive's benchmark)",
		Long: `Find the client whose visits within some days had the most revenue, and the mean rank of the pages
that it visited: the join of Hive's benchmark, in three jobs. Reads the tables rankings and visits,
in any order: rows of three columns are those of rankings, rows of nine those of visits. Writes
client, tab, revenue, tab, mean rank. Visits to pages without a rank do not count.`,
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
	cmd.Flags().StringVar(&o.From, "from", o.From, "first day of the visits")
	cmd.Flags().StringVar(&o.To, "until", o.To, "the day after the last one")
	number(cmd.Flags(), &top.Lines, "lines", top.Lines, span(1, 1_000_000), "how many clients", "k")
	return cmd
}
