package bench

import (
	"fmt"
	"path/filepath"
)

// Names of the queries, as command userjobs knows them.
const (
	HashJoin      = "hashjoin"
	SortMergeJoin = "mergejoin"
	DistinctItems = "distinct"
	TopAmounts    = "top"
	HighAmounts   = "p95"
)

// TopOf is the number of largest amounts that the query TopAmounts finds in each group.
const TopOf = 10

// queries returns contests of joins and aggregates over tables of text: jobs as a library's user
// writes them, against DuckDB's SQL with as many threads.
func (s Setup) queries() []Contest {
	sales, orders, users := s.Inputs.Tables.Sales, s.Inputs.Tables.Orders, s.Inputs.Tables.Users
	join := `SELECT user, city, amount FROM ` + duckTable(orders, "user INTEGER", "amount INTEGER") +
		` orders JOIN ` + duckTable(users, "user INTEGER", "city VARCHAR") + ` users USING (user)`
	amounts := duckTable(sales, "grp VARCHAR", "item INTEGER", "amount INTEGER")
	return []Contest{
		s.query(HashJoin, join, orders, users),
		s.query(SortMergeJoin, join, orders, users),
		s.query(DistinctItems, `SELECT grp, count(DISTINCT item) FROM `+amounts+` GROUP BY grp`, sales),
		s.query(TopAmounts, fmt.Sprintf(
			`SELECT grp, unnest(max(amount, %d)) FROM `, TopOf)+amounts+` GROUP BY grp`, sales),
		s.query(HighAmounts, `SELECT grp, quantile_disc(amount, 0.95) FROM `+amounts+` GROUP BY grp`, sales),
	}
}

func (s Setup) query(name, sql string, inputs ...string) Contest {
	duck := duck(fmt.Sprintf(`SET threads = %d; SET preserve_insertion_order = false; COPY (`, s.Cores)+sql+`) TO `+
		quoteSQL(filepath.Join(s.Memory, "duck.tsv"))+` (HEADER false, DELIMITER '\t', QUOTE '')`,
		filepath.Join(s.Memory, "duck.tsv"))
	duck.Result = Lines
	return Contest{
		Name: "query " + name, Input: inputs[0], Bytes: sizeOf(inputs...), Fresh: s.Size,
		Programs: append([]Program{s.userJob("tarry", Lines, name, inputs...)}, s.installed(duck)...),
	}
}

func queryTargets() []Target {
	var targets []Target
	for _, name := range []string{HashJoin, SortMergeJoin, DistinctItems, TopAmounts, HighAmounts} {
		targets = append(targets, Target{"joins and aggregates", "query " + name, "tarry", TimesOther, "DuckDB", 1.5})
	}
	return targets
}
