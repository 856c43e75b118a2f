package jobs

import (
	"bytes"
	"fmt"
	"maps"
	"math/big"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/internal/gen"
	"github.com/tarry-mr/tarry/mapreduce"
)

// table returns a table of Hive's benchmark, of this kind and size, as package gen generates it.
func table(t testing.TB, kind gen.Kind, bytesOf int64, pages int) string {
	var b bytes.Buffer
	require.NoError(t, gen.Write(t.Context(), &b, gen.Config{Kind: kind, Bytes: bytesOf, Seed: 2, Words: pages}))
	return b.String()
}

func TestHiveSearchEqualsTool(t *testing.T) {
	documents := table(t, gen.Documents, 20_000, 0)
	for _, pattern := range []string{"a", "qu", "z7", "", gen.SearchPattern} {
		want := shell(t, `grep '^.\{10\}.*`+pattern+`' || true`, documents)
		for _, s := range settings()[1:] {
			if s.block > 0 && s.block < 64 {
				continue
			}
			got := run(t, s, text(HiveSearch(pattern), mapreduce.Lines(sources(documents)...)))
			require.Equal(t, want, got, "%q %+v", pattern, s)
		}
	}
	few := mapreduce.Lines(sources("b123456789\nshort b\n0123456789b\n")...)
	require.Equal(t, "0123456789b\n", run(t, settings()[0], text(HiveSearch("b"), few)), "the key is not searched")
}

func TestHiveSelectEqualsTool(t *testing.T) {
	rankings := table(t, gen.Rankings, 40_000, 0)
	for _, above := range []int64{0, 1, 10, 100_000} {
		want := shell(t, fmt.Sprintf(`awk -F '|' '$2 > %d { print $1 "\t" $2 }'`, above), rankings)
		for _, s := range []setting{{0, 1, true}, {0, 1, false}, {64, 1, false}, {4096, 1, false}} {
			got := run(t, s, text(HiveSelect(above), mapreduce.Lines(sources(rankings)...)))
			require.Equal(t, want, got, "%d %+v", above, s)
		}
	}
}

// cents parses an amount with exactly two decimals and returns it in hundredths.
func cents(t *testing.T, amount string) int64 {
	n, err := strconv.ParseInt(strings.Replace(amount, ".", "", 1), 10, 64)
	require.NoError(t, err)
	return n
}

// inDecimals formats an amount in hundredths as a decimal number without redundant zeros.
func inDecimals(n int64) string {
	return strings.TrimRight(strings.TrimRight(big.NewRat(n, 100).FloatString(2), "0"), ".")
}

func TestHiveAggregateEqualsLoop(t *testing.T) {
	visits := table(t, gen.Visits, 60_000, 50)
	for _, prefix := range []int{0, 2, 7} {
		sums := map[string]int64{}
		for line := range strings.Lines(visits) {
			columns := strings.Split(line, "|")
			client := columns[0]
			if prefix > 0 {
				client = client[:prefix]
			}
			sums[client] += cents(t, columns[3])
		}
		var want []string
		for client, sum := range sums {
			want = append(want, client+"\t"+inDecimals(sum)+"\n")
		}
		slices.Sort(want)
		for _, s := range []setting{{0, 1, true}, {0, 1, false}, {997, 3, false}, {4096, 2, false}} {
			got := run(t, s, text(HiveAggregate(prefix), mapreduce.Lines(sources(visits)...)))
			require.Equal(t, want, sortedLines(got), "%d %+v", prefix, s)
		}
	}
}

// hiveJoin runs all jobs of the join.
func hiveJoin(t *testing.T, s setting, o HiveJoinOptions, files ...string) string {
	visited := run(t, s, text(must(HiveJoin(o)), mapreduce.Lines(sources(files...)...)))
	totals := run(t, s, text(HiveTotals(), mapreduce.Lines(sources(visited)...)))
	revenue := &Table{Columns: []string{"2"}}
	return run(t, s, text(revenue.Top(3), revenue.Numbered(sources(totals))))
}

// HiveJoin and HiveTotals write what nested loops compute. Some pages have several rows, some
// visits are to pages without a row, and either table may be the first input.
func TestHiveJoinEqualsLoop(t *testing.T) {
	rankings, visits := table(t, gen.Rankings, 40*64, 0), table(t, gen.Visits, 60_000, 60)
	visits = strings.ReplaceAll(visits, ".", "") // some clients become equal, and revenues whole numbers
	visits = strings.ReplaceAll(visits, "wwwexamplecom", "www.example.com")
	short := visits
	visits = ""
	for line := range strings.Lines(short) {
		visits += line[:1] + line[strings.IndexByte(line, '|'):]
	}
	rankings += rankings[:5*64]
	type client struct{ revenue, ranks, n int64 }
	o := HiveJoinOptions{From: "1999-01-01", To: "2003-01-01"}
	sums := map[string]client{}
	for row := range strings.Lines(visits) {
		v := strings.Split(row, "|")
		for page := range strings.Lines(rankings) {
			if p := strings.Split(page, "|"); p[0] == v[1] && v[2] >= o.From && v[2] < o.To {
				c := sums[v[0]]
				sums[v[0]] = client{c.revenue + cents(t, v[3]), c.ranks + cents(t, p[1]), c.n + 1}
			}
		}
	}
	require.Greater(t, len(sums), 3)
	names := slices.SortedFunc(maps.Keys(sums), func(a, b string) int { return int(sums[b].revenue - sums[a].revenue) })
	want := ""
	for _, name := range names[:3] {
		c := sums[name]
		want += fmt.Sprintf("%s\t%d\t%v\n", name, c.revenue, float64(c.ranks)/float64(c.n))
	}
	for _, s := range []setting{{0, 1, true}, {0, 1, false}, {997, 3, false}, {4096, 2, false}} {
		require.Equal(t, want, hiveJoin(t, s, o, rankings, visits), "%+v", s)
		require.Equal(t, want, hiveJoin(t, s, o, visits, rankings), "%+v", s)
	}
}

func TestHiveJobsNameTheBadRow(t *testing.T) {
	_, err := HiveJoin(HiveJoinOptions{From: "1999-13-01"})
	require.ErrorContains(t, err, `"1999-13-01" is no day`)
	in := mapreduce.Lines(sources("a|1\n")...)
	for reason, bind := range map[string]binding{
		`row "a|1": not the 3 columns of rankings`:                         text(HiveSelect(1), in),
		`row "a|1": not the 9 columns of visits`:                           text(HiveAggregate(0), in),
		`row "a|1": neither the 3 columns of rankings nor the 9 of visits`: text(must(HiveJoin(HiveJoinOptions{})), in),
		"not the columns that hivejoin writes":                             text(HiveTotals(), in),
	} {
		require.ErrorContains(t, failure(t, bind), reason)
	}
}

func ExampleHiveSearch() {
	documents := mapreduce.Bytes("documents", []byte("key0000001a text XYZ\nXYZ0000002another\n"))
	example(HiveSearch("XYZ").Bind(mapreduce.Lines(documents), mapreduce.Text[Line](mapreduce.Writer("-", os.Stdout))))
	// Output:
	// key0000001a text XYZ
}

func ExampleHiveSelect() {
	rankings := mapreduce.Bytes("rankings", []byte("http://a/|12|3\nhttp://b/|10|1\n"))
	example(HiveSelect(10).Bind(mapreduce.Lines(rankings), mapreduce.Text[Ranked](mapreduce.Writer("-", os.Stdout))))
	// Output:
	// http://a/	12
}

const someVisits = "1.1.1.1|http://a/|1999-02-01|0.50|curl|DEU|de-DE|tea|3\n" +
	"1.1.1.2|http://a/|1999-03-01|7.25|curl|DEU|de-DE|tea|1\n" +
	"1.1.1.1|http://b/|1999-04-01|0.75|curl|DEU|de-DE|tea|9\n" +
	"1.1.1.1|http://b/|2005-01-01|100.00|curl|DEU|de-DE|tea|9\n"

func ExampleHiveAggregate() {
	visits := mapreduce.Bytes("visits", []byte(someVisits))
	example(HiveAggregate(0).Bind(mapreduce.Lines(visits), mapreduce.Text[Revenue](mapreduce.Writer("-", os.Stdout))))
	// Output:
	// 1.1.1.1	101.25
	// 1.1.1.2	7.25
}

func ExampleHiveJoin() {
	rankings := mapreduce.Bytes("rankings", []byte("http://a/|12|3\nhttp://b/|10|1\n"))
	visits := mapreduce.Bytes("visits", []byte(someVisits))
	job, err := HiveJoin(HiveJoinOptions{From: "1999-01-01", To: "2000-01-01"})
	if err != nil {
		panic(err)
	}
	var found strings.Builder
	example(job.Bind(mapreduce.Lines(rankings, visits), mapreduce.Text[Visited](mapreduce.Writer("found", &found))))
	totals := mapreduce.Text[ClientTotal](mapreduce.Writer("-", os.Stdout))
	example(HiveTotals().Bind(mapreduce.Lines(mapreduce.Bytes("found", []byte(found.String()))), totals))
	// Output:
	// 1.1.1.1	1.25	11
	// 1.1.1.2	7.25	12
}
