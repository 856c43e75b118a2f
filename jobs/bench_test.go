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
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// ctx is the context of examples and benchmarks.
var ctx = context.Background()

// benchmark measures a job with one reduce, run in this goroutine by RunLocal.
func benchmark(b *testing.B, bind func(to mapreduce.Destination) (*mapreduce.Plan, error)) {
	b.ReportAllocs()
	for b.Loop() {
		plan, err := bind(mapreduce.Writer("nowhere", io.Discard))
		require.NoError(b, err)
		var bytes int64
		for _, s := range plan.Sources() {
			bytes += s.Size()
		}
		b.SetBytes(bytes)
		require.NoError(b, plan.SetupJob())
		require.NoError(b, plan.Prepare(ctx, cluster.PrepareOptions{Reduces: 1}))
		splits, err := plan.Splits(ctx, nil)
		require.NoError(b, err)
		outputs := make([]*cluster.MapOutput, len(splits))
		for i, split := range splits {
			outputs[i], err = plan.RunMap(ctx, &cluster.MapAttempt{Index: i, Split: split})
			require.NoError(b, err)
		}
		for i := range plan.Reduces() {
			next := 0
			a := &cluster.ReduceAttempt{Index: i, Next: func(context.Context) (cluster.Segment, error) {
				if next == len(outputs) {
					return cluster.Segment{}, io.EOF
				}
				next++
				return outputs[next-1].Segment(i), nil
			}}
			require.NoError(b, plan.RunReduce(ctx, a))
		}
		for _, o := range outputs {
			o.Release()
		}
		require.NoError(b, plan.AbortJob())
	}
}

// madeOf returns 4 MiB of generated input.
func madeOf(b *testing.B, kind gen.Kind) mapreduce.Source {
	return mapreduce.Bytes(string(kind), []byte(table(b, kind, 4<<20, 2000)))
}

// BenchmarkJobs measures each job that has no benchmark of its own.
func BenchmarkJobs(b *testing.B) {
	type to = mapreduce.Destination
	type plan = *mapreduce.Plan
	for _, c := range []struct {
		name string
		kind gen.Kind
		bind func(src mapreduce.Source, to to) (plan, error)
	}{
		{"secondarysort", gen.Pairs, func(src mapreduce.Source, to to) (plan, error) {
			return SecondarySort().Bind(mapreduce.KeyValueLines('\t', src), mapreduce.Text[Placed](to))
		}},
		{"distinct", gen.Lines, func(src mapreduce.Source, to to) (plan, error) {
			return Distinct().Bind(mapreduce.Lines(src), mapreduce.Text[Line](to))
		}},
		{"histogram", gen.Numbers, func(src mapreduce.Source, to to) (plan, error) {
			job, err := Histogram("1000")
			require.NoError(b, err)
			return job.Bind(mapreduce.Lines(src), mapreduce.Text[Bucket](to))
		}},
		{"movingaverage", gen.Pairs, func(src mapreduce.Source, to to) (plan, error) {
			job, err := MovingAverage(7)
			require.NoError(b, err)
			return job.Bind(mapreduce.Lines(src), mapreduce.Text[Averaged](to))
		}},
		{"adjacency", gen.Pairs, func(src mapreduce.Source, to to) (plan, error) {
			return Adjacency().Bind(mapreduce.KeyValueLines('\t', src), mapreduce.Text[Neighbors](to))
		}},
		{"teravalidate", gen.Tera, func(src mapreduce.Source, to to) (plan, error) {
			return TeraValidate(true).Bind(mapreduce.FixedSize(TeraRecordBytes, src), mapreduce.Text[TeraFact](to))
		}},
		{"scan", gen.Lines, func(src mapreduce.Source, to to) (plan, error) {
			job, err := Scan(ScanOptions{Percent: 0.5})
			require.NoError(b, err)
			return job.Bind(mapreduce.Lines(src), mapreduce.Text[Line](to))
		}},
		{"mean", gen.Pairs, func(src mapreduce.Source, to to) (plan, error) {
			means := mapreduce.Text[mapreduce.Pair[[]byte, float64]](to)
			return Mean().Bind(mapreduce.KeyValueLines('\t', src), means)
		}},
		{"top", gen.Pairs, func(src mapreduce.Source, to to) (plan, error) {
			return TopBy(TopOptions{Lines: 10}).Bind(mapreduce.Lines(src), mapreduce.Text[Line](to))
		}},
		{"grep -c", gen.Lines, func(src mapreduce.Source, to to) (plan, error) {
			job, err := GrepCount("a", GrepOptions{}, src)
			require.NoError(b, err)
			return job.Bind(mapreduce.Chunks(src), mapreduce.Raw[[]byte](to))
		}},
		{"sort -t -k", gen.Pairs, func(src mapreduce.Source, to to) (plan, error) {
			keys := []SortKey{{Field: 2, Numeric: true}}
			return bindSortBy(SortByOptions{Keys: keys, Separator: '\t'})([]mapreduce.Source{src}, to)
		}},
		{"hivesearch", gen.Documents, func(src mapreduce.Source, to to) (plan, error) {
			return HiveSearch(gen.SearchPattern).Bind(mapreduce.Lines(src), mapreduce.Text[Line](to))
		}},
		{"hiveselect", gen.Rankings, func(src mapreduce.Source, to to) (plan, error) {
			return HiveSelect(10).Bind(mapreduce.Lines(src), mapreduce.Text[Ranked](to))
		}},
		{"hiveaggregate", gen.Visits, func(src mapreduce.Source, to to) (plan, error) {
			return HiveAggregate(0).Bind(mapreduce.Lines(src), mapreduce.Text[Revenue](to))
		}},
		{"hivejoin", gen.Visits, func(src mapreduce.Source, to to) (plan, error) {
			job, err := HiveJoin(HiveJoinOptions{})
			require.NoError(b, err)
			return job.Bind(mapreduce.Lines(src, madeOf(b, gen.Rankings)), mapreduce.Text[Visited](to))
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			src := madeOf(b, c.kind)
			if c.name == "movingaverage" { // it reads key, time, number: insert a time
				text := strings.ReplaceAll(table(b, c.kind, 4<<20, 2000), "\t", "\t1\t")
				src = mapreduce.Bytes(c.name, []byte(text))
			}
			benchmark(b, func(to to) (plan, error) { return c.bind(src, to) })
		})
	}
}

// BenchmarkRounds measures computations of several jobs, in this goroutine. It reports the time of
// a round, and that of the preparation.
func BenchmarkRounds(b *testing.B) {
	edges := mapreduce.Bytes("edges", []byte(table(b, gen.Pairs, 1<<20, 20_000)))
	var points strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&points, "%d.5\t%d\n", i%977, i%613)
	}
	cloud := []mapreduce.Source{mapreduce.Bytes("points", []byte(points.String()))}
	b.Run("pagerank", func(b *testing.B) {
		for b.Loop() {
			_, err := PageRank(ctx, locally, mapreduce.Lines(edges), PageRankOptions{Rounds: 5})
			require.NoError(b, err)
		}
	})
	b.Run("components", func(b *testing.B) {
		for b.Loop() {
			_, err := Components(ctx, locally, mapreduce.Lines(edges))
			require.NoError(b, err)
		}
	})
	b.Run("kmeans", func(b *testing.B) {
		for b.Loop() {
			_, err := KMeans(ctx, locally, mapreduce.Lines(cloud...), KMeansOptions{Clusters: 8, Rounds: 5})
			require.NoError(b, err)
		}
	})
}
