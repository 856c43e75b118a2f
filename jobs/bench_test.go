package jobs

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/internal/gen"
	"github.com/tarry-mr/tarry/mapreduce"
)

// ctx is the context of examples and benchmarks.
var ctx = context.Background()

// benchmark measures a job with one reduce, run in this goroutine.
func benchmark(b *testing.B, bind binding) {
	b.ReportAllocs()
	for b.Loop() {
		plan, err := bind(mapreduce.Writer("nowhere", io.Discard))
		require.NoError(b, err)
		var bytes int64
		for _, s := range plan.Job().Sources {
			bytes += s.Size()
		}
		b.SetBytes(bytes)
		runAttempts(b, plan, 1, blocksOf(plan, 0))
	}
}

// BenchmarkJobs measures each job that has no benchmark of its own, on 4 MiB of generated input.
func BenchmarkJobs(b *testing.B) {
	of := func(kind gen.Kind) mapreduce.Source {
		return mapreduce.Bytes(string(kind), []byte(table(b, kind, 4<<20, 2000)))
	}
	lines, pairs, visits, rankings := of(gen.Lines), of(gen.Pairs), of(gen.Visits), of(gen.Rankings)
	keyed, tera := mapreduce.KeyValueLines('\t', pairs), mapreduce.FixedSize(TeraRecordBytes, of(gen.Tera))
	timed := strings.ReplaceAll(table(b, gen.Pairs, 4<<20, 2000), "\t", "\t1\t") // inserts a time
	for name, bind := range map[string]binding{
		"secondarysort": text(SecondarySort(), keyed),
		"distinct":      text(mapreduce.Distinct[[]byte](), mapreduce.Lines(lines)),
		"histogram":     text(must(Histogram("1000")), mapreduce.Lines(of(gen.Numbers))),
		"movingaverage": text(must(MovingAverage(7)), mapreduce.Lines(mapreduce.Bytes("timed", []byte(timed)))),
		"adjacency":     text(Adjacency(), keyed),
		"teravalidate":  text(TeraValidate(true), tera),
		"scan":          text(must(Scan(ScanOptions{Percent: 0.5})), mapreduce.Lines(lines)),
		"mean":          text(Mean(), keyed),
		"index":         text(Index(lines), mapreduce.Chunks(lines)),
		"top":           text(new(Table).Top(10), new(Table).Numbered([]mapreduce.Source{pairs})),
		"grep -c":       raw(must(GrepCount("a", GrepOptions{}, lines)), mapreduce.Chunks(lines)),
		"sort -t -k": text(must(SortBy(SortByOptions{Keys: []SortKey{{Field: 2, Numeric: true}}, Separator: '\t'})),
			mapreduce.Lines(pairs)),
		"hivesearch":    text(HiveSearch(gen.SearchPattern), mapreduce.Lines(of(gen.Documents))),
		"hiveselect":    text(HiveSelect(10), mapreduce.Lines(rankings)),
		"hiveaggregate": text(HiveAggregate(0), mapreduce.Lines(visits)),
		"hivejoin":      text(must(HiveJoin(HiveJoinOptions{})), mapreduce.Lines(visits, rankings)),
	} {
		b.Run(name, func(b *testing.B) { benchmark(b, bind) })
	}
}

// BenchmarkRounds measures computations of several jobs, in this goroutine.
func BenchmarkRounds(b *testing.B) {
	edges := mapreduce.Lines(sources(table(b, gen.Pairs, 1<<20, 20_000))...)
	var points strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&points, "%d.5\t%d\n", i%977, i%613)
	}
	cloud := mapreduce.Lines(sources(points.String())...)
	for name, compute := range map[string]func() error{
		"pagerank": func() error {
			_, err := PageRank(ctx, locally, edges, PageRankOptions{Rounds: 5})
			return err
		},
		"components": func() error {
			_, err := Components(ctx, locally, edges)
			return err
		},
		"kmeans": func() error {
			_, err := KMeans(ctx, locally, cloud, KMeansOptions{Clusters: 8, Rounds: 5})
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				require.NoError(b, compute())
			}
		})
	}
}
