package cli

import (
	"time"

	"github.com/tarry-mr/tarry/actors/serve"
	"github.com/tarry-mr/tarry/internal/gen"
	"github.com/tarry-mr/tarry/jobs"
	"github.com/tarry-mr/tarry/mapreduce"
)

func teraSortJob(j *jobCommand) {
	j.Use, j.Short = "terasort", "Sort records of 100 bytes by their first 10"
	j.Long = `Sort records of 100 bytes, as tarry gen tera writes them, by their first 10. The concatenated parts
are sorted.`
	j.Example = `  tarry gen tera --size 100MB --seed 1 -o tera.dat
  tarry run terasort tera.dat -o sorted --reduces 4`
	j.binary = true
	j.make = func() (serve.Stage, error) {
		j.maps = raw(jobs.MapsOnly(jobs.TeraSort()), teraRecords)
		return raw(jobs.TeraSort(), teraRecords), nil
	}
}

func teraValidateJob(j *jobCommand) {
	j.Use, j.Short = "teravalidate", "Check that the records of terasort are in order"
	j.Long = `Check that the records of 100 bytes that tarry run terasort has written are in order, within and
across files in the order of IN. A record smaller than the previous one fails the job. Write the
number of records, their checksum (the sum of their CRC-32), and the number of records with the
previous one's key. If the checksum differs from that of the input (see --any-order), records were
lost or changed.`
	j.binary, j.reduces = true, oneReduce
	anyOrder := false
	j.Flags().BoolVar(&anyOrder, "any-order", false, "count records that are out of order instead of failing")
	j.make = func() (serve.Stage, error) { return text(jobs.TeraValidate(anyOrder), teraRecords), nil }
}

func scanJob(j *jobCommand) {
	j.Use, j.Short = "scan", "Keep a sample of the lines"
	j.Long = `Keep a sample of the lines, in the order of the input, as GridMix's webdataScan does. The bytes of a
line and --sample decide whether it is kept. Equal lines are therefore kept or dropped together,
however the input is split.`
	j.reduces = noReduce
	o := jobs.ScanOptions{Percent: 0.5}
	number(j.Flags(), &o.Percent, "percent", o.Percent, span(0, 100), "keep `N` percent of the lines")
	number(j.Flags(), &o.Seed, "sample", 0, seeds, "select the kept lines by this seed")
	j.make = func() (serve.Stage, error) {
		job, err := jobs.Scan(o)
		return text(job, lines), err
	}
}

func sleepJob(j *jobCommand) {
	j.Use, j.Short = "sleep", "Sleep, to see what a scheduler does"
	j.Long = `Sleep, to see what a scheduler does. Each line of IN, such as 1.5s, is a map that sleeps that long.
Write the total time slept by maps, in seconds.`
	j.Example = `  tarry run sleep naps.txt --nodes 3 --map-slots 1 --reduce-time 2s`
	reduce := time.Duration(0)
	number(j.Flags(), &reduce, "reduce-time", 0, span(0, 1000*hour), "let each reduce sleep this long")
	j.make = func() (serve.Stage, error) {
		oneByOne := func(src []mapreduce.Source) mapreduce.Input[[]byte] { return mapreduce.NLines(1, src...) }
		return text(jobs.Sleep(reduce), oneByOne), nil
	}
}

func secondarySortJob(j *jobCommand) {
	j.Use, j.Short = "secondarysort", "Sort each key's numbers"
	j.Long = `Sort each key's numbers. Read lines of key, tab, integer; write key, tab, number, tab, the rank of
the number among those of the key, from 1. The engine sorts by key and number, so a reduce needs no
memory for the numbers of a key.`
	j.Example = `  tarry run secondarysort --csv --header --columns user,seconds visits.csv`
	c := j.columnFlags(2, 2, "take the key and the integer from these columns, by numbers from 1 or names (default: all columns)")
	j.make = func() (serve.Stage, error) { return text(jobs.SecondarySort(), c.Pairs), nil }
}

func hiveSearchJob(j *jobCommand) {
	j.Use, j.Short = "hivesearch", "Search texts (Hive's benchmark)"
	j.Long = `Keep the documents of tarry gen that contain a text after their key of 10 bytes: the text search of
Hive's benchmark, with which Zaharia et al. measure delay scheduling. One document in 10,000
contains the text.`
	j.reduces = noReduce
	pattern := gen.SearchPattern
	j.Flags().StringVar(&pattern, "pattern", pattern, "search for this `TEXT`")
	j.make = func() (serve.Stage, error) { return text(jobs.HiveSearch(pattern), lines), nil }
}

func hiveSelectJob(j *jobCommand) {
	j.Use, j.Short = "hiveselect", "Select pages by rank (Hive's benchmark)"
	j.Long = `Write address, tab, rank of the pages with a rank above --above: the selection of Hive's benchmark.
Read the table rankings of tarry gen.`
	j.reduces = noReduce
	above := 10
	number(j.Flags(), &above, "above", above, span(0, 1e15), "select ranks above `N`")
	j.make = func() (serve.Stage, error) { return text(jobs.HiveSelect(int64(above)), lines), nil }
}

func hiveAggregateJob(j *jobCommand) {
	j.Use, j.Short = "hiveaggregate", "Sum revenue by client (Hive's benchmark)"
	j.Long = `Write each client, tab, the total revenue of its visits: the aggregation of Hive's benchmark. Read
the table visits of tarry gen. Sums are exact.`
	prefix := 0
	number(j.Flags(), &prefix, "prefix", 0, span(1, 1_000_000),
		"group clients by the first `N` bytes of their address (default: the whole address)")
	j.topFlag()
	j.make = func() (serve.Stage, error) { return text(jobs.HiveAggregate(prefix), lines), nil }
}

func hiveJoinJob(j *jobCommand) {
	j.Use, j.Short = "hivejoin", "Join visits with ranks, find the best client (Hive's benchmark)"
	j.Long = `Find the client whose visits in a period had the highest revenue, and the mean rank of the pages
that it visited: the join of Hive's benchmark, in three jobs. Read the tables rankings and visits in
any order: rows of three columns belong to rankings, rows of nine to visits. Write client, tab,
revenue, tab, mean rank. Visits to pages without a rank are ignored.`
	j.Example = `  tarry gen rankings --size 10MB -o rankings.txt
  tarry gen visits --size 100MB --seed 1 -o visits.txt
  tarry run hivejoin rankings.txt visits.txt`
	o := jobs.HiveJoinOptions{From: "1999-01-01", To: "2000-01-01"}
	j.then, j.top, j.topOf.Columns = text(jobs.HiveTotals(), lines), 1, []string{"2"}
	j.Flags().StringVar(&o.From, "from", o.From, "take visits from this `DAY` on")
	j.Flags().StringVar(&o.To, "until", o.To, "take visits before this `DAY`")
	number(j.Flags(), &j.top, "lines", j.top, span(1, 1_000_000), "write `N` clients", "k")
	j.make = func() (serve.Stage, error) {
		job, err := jobs.HiveJoin(o)
		return text(job, lines), err
	}
}
