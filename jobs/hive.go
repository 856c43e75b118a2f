package jobs

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/tarry-mr/tarry/mapreduce"
)

// The four queries of Hive's benchmark (HIVE-396), which come from Pavlo et al., A comparison of
// approaches to large-scale data analysis, SIGMOD 2009. Zaharia et al. measure delay scheduling
// with them (§5.1).

// The tables, with bars between columns:
//
//	documents  a key of 10 bytes, a text
//	rankings   address|rank|seconds
//	visits     client|address|day|revenue|program|country|language|word|seconds
const (
	documentKeyBytes = 10
	rankingColumns   = 3
	visitColumns     = 9
	hiveSeparator    = '|'
)

// columnsOf fills columns with a row's columns, and reports whether there are exactly as many.
func columnsOf(row []byte, columns [][]byte) bool {
	row, last := withoutCR(row), len(columns)-1
	for i := range last {
		var found bool
		if columns[i], row, found = bytes.Cut(row, []byte{hiveSeparator}); !found {
			return false
		}
	}
	columns[last] = row
	return bytes.IndexByte(row, hiveSeparator) < 0
}

// badRow returns the error for a row with the wrong column count.
func badRow(row []byte, table string, columns int) error {
	return mapreduce.BadRecord(fmt.Errorf("row %s: not the %d columns of %s", cut(row), columns, table))
}

// HiveSearch is the text search. It writes the documents whose text, after the key of 10 bytes,
// contains the given text. Its input is Lines. An empty text selects all.
func HiveSearch(text string) mapreduce.MapOnly[[]byte, Line] {
	pattern := []byte(text)
	return mapreduce.MapOnly[[]byte, Line]{
		Name: "hivesearch",
		Map: func(document []byte, emit func(Line)) error {
			if bytes.Contains(document[min(documentKeyBytes, len(document)):], pattern) {
				emit(Line{First: document})
			}
			return nil
		},
	}
}

// Ranked is a page and its rank.
type Ranked = mapreduce.Pair[[]byte, int64]

// HiveSelect is the selection: it writes the address and rank of each page whose rank is greater
// than above. Its input is Lines of the table rankings; other rows are errors.
func HiveSelect(above int64) mapreduce.MapOnly[[]byte, Ranked] {
	return mapreduce.MapOnly[[]byte, Ranked]{
		Name: "hiveselect",
		Map: func(row []byte, emit func(Ranked)) error {
			var columns [rankingColumns][]byte
			if !columnsOf(row, columns[:]) {
				return badRow(row, "rankings", rankingColumns)
			}
			rank, err := number(columns[0], columns[1])
			if err == nil && rank > above {
				emit(mapreduce.MakePair(columns[0], rank))
			}
			return err
		},
	}
}

// Revenue is a client's address, or a prefix of it, and the exact decimal sum of its revenue.
type Revenue = mapreduce.Pair[[]byte, string]

// HiveAggregate is the aggregation: it writes the total revenue of each client's visits. With
// prefix above 0 it groups clients by the first prefix bytes of their address; the benchmark's
// smaller aggregation uses 7. Its input is Lines of the table visits; other rows are errors.
// Revenue is a number as Mean reads it.
func HiveAggregate(prefix int) mapreduce.Job[[]byte, []byte, Sum, Revenue] {
	return mapreduce.Job[[]byte, []byte, Sum, Revenue]{
		Name: "hiveaggregate",
		Map: func(row []byte, emit func([]byte, Sum)) error {
			var columns [visitColumns][]byte
			if !columnsOf(row, columns[:]) {
				return badRow(row, "visits", visitColumns)
			}
			client := columns[0]
			revenue, err := decimal(client, columns[3])
			if prefix > 0 {
				client = client[:min(prefix, len(client))]
			}
			if err == nil {
				emit(client, revenue)
			}
			return err
		},
		Combine: Sum.plus,
		Reduce: single(func(client []byte, s Sum) Revenue {
			return mapreduce.MakePair(client, decimalText(s.units()))
		}),
	}
}

// HiveJoinOptions select the visits for HiveJoin. The zero value selects all.
type HiveJoinOptions struct {
	// From is the first day and To the day after the last, as in 1999-01-31; empty means no bound.
	From, To string
}

// pageSide is the key of HiveJoin: a page, and whether the record is a visit. Ranks come first.
type pageSide = mapreduce.Pair[[]byte, bool]

// joined is one record about a page: either its rank, or the client and revenue of a visit.
type joined struct {
	Rank            int64
	Client, Revenue []byte
}

// Visited is a visit in the output of HiveJoin: the client, the rank of the visited page, and the
// revenue, as text of the table visits.
type Visited struct {
	Client  []byte
	Rank    int64
	Revenue []byte
}

// HiveJoin is the first job of the join: it joins visits in a range of days with the rank of their
// page. Its input is Lines of the tables rankings and visits, in any order: rows of three columns
// belong to rankings, rows of nine to visits, and others are errors. [HiveTotals] reads its output.
// The ranks of one page are held in memory. Invalid days are an error.
func HiveJoin(o HiveJoinOptions) (mapreduce.Job[[]byte, pageSide, joined, Visited], error) {
	for _, day := range []string{o.From, o.To} {
		if _, err := time.Parse(time.DateOnly, day); day != "" && err != nil {
			return mapreduce.Job[[]byte, pageSide, joined, Visited]{},
				fmt.Errorf("jobs: %s is no day, such as 1999-01-31", cut([]byte(day)))
		}
	}
	from, to := []byte(o.From), []byte(o.To)
	return mapreduce.Job[[]byte, pageSide, joined, Visited]{
		Name: "hivejoin",
		Map: func(row []byte, emit func(pageSide, joined)) error {
			var page [rankingColumns][]byte
			if columnsOf(row, page[:]) {
				rank, err := number(page[0], page[1])
				if err == nil {
					emit(mapreduce.MakePair(page[0], false), joined{Rank: rank})
				}
				return err
			}
			var visit [visitColumns][]byte
			if !columnsOf(row, visit[:]) {
				return mapreduce.BadRecord(fmt.Errorf("row %s: neither the %d columns of rankings nor the %d of visits",
					cut(row), rankingColumns, visitColumns))
			}
			if day := visit[2]; bytes.Compare(day, from) >= 0 && (len(to) == 0 || bytes.Compare(day, to) < 0) {
				emit(mapreduce.MakePair(visit[1], true), joined{Client: visit[0], Revenue: visit[3]})
			}
			return nil
		},
		ReduceTask: func(*mapreduce.Task) (mapreduce.Reducer[pageSide, joined, Visited], error) {
			return mapreduce.Reducer[pageSide, joined, Visited]{Pairs: func(rows iter.Seq2[pageSide, joined], emit func(Visited)) error {
				var ranks []int64
				for at, row := range rows {
					if !at.Second {
						ranks = append(ranks, row.Rank)
						continue
					}
					for _, rank := range ranks {
						emit(Visited{Client: row.Client, Rank: rank, Revenue: row.Revenue})
					}
				}
				return nil
			}}, nil
		},
		GroupFields: 1,
	}, nil
}

// ClientTotal is a client, its exact total revenue in decimals, and the mean of the ranks.
type ClientTotal struct {
	Client  []byte
	Revenue string
	Rank    float64
}

// totals are the sums over a client's visits. Ranks is a Sum, since the sum of 64-bit ranks could
// overflow one integer.
type totals struct{ Revenue, Ranks Sum }

// HiveTotals is the second job of the join: it writes the total revenue and the mean rank of each
// client. Its input is Lines written by [HiveJoin]. The query's result, the client with the most
// revenue, is Top of its output by column 2.
func HiveTotals() mapreduce.Job[[]byte, []byte, totals, ClientTotal] {
	return mapreduce.Job[[]byte, []byte, totals, ClientTotal]{
		Name: "hivetotals",
		Map: func(line []byte, emit func([]byte, totals)) error {
			columns := bytes.Split(line, []byte{'\t'})
			if len(columns) != 3 {
				return mapreduce.Permanent(errors.New("not the columns that hivejoin writes"))
			}
			rank, err := decimal(columns[0], columns[1])
			if err != nil {
				return err
			}
			revenue, err := decimal(columns[0], columns[2])
			if err == nil {
				emit(columns[0], totals{Revenue: revenue, Ranks: rank})
			}
			return err
		},
		Combine: totals.plus,
		Reduce: single(func(client []byte, t totals) ClientTotal {
			return ClientTotal{Client: client, Revenue: decimalText(t.Revenue.units()), Rank: t.Ranks.mean()}
		}),
	}
}

func (t totals) plus(o totals) totals {
	return totals{Revenue: t.Revenue.plus(o.Revenue), Ranks: t.Ranks.plus(o.Ranks)}
}
