package hammoud12

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"math"
	"math/rand/v2"

	"github.com/tarry-mr/tarry/internal/gen"
	"github.com/tarry-mr/tarry/jobs"
	"github.com/tarry-mr/tarry/mapreduce"
)

// heatSize is how large the jobs of Fig 6 are.
type heatSize struct {
	maps, reduces int
	split         int // bytes of a map's input
}

// heatJob is one of the paper's benchmarks.
type heatJob struct {
	name string
	plan func(ctx context.Context, seed uint64, size heatSize) (*mapreduce.Plan, error)
	unit int // bytes of the input to one of the plan's split lengths
}

// point is a place in the plane.
type point = [2]float64

// pointBytes is what a point takes as text.
const pointBytes = 32

// heatJobs are Sort1, Sort2, WordCount and K-means.
func heatJobs() []heatJob {
	return []heatJob{
		{"sort1", sortPlan(func(ctx context.Context, seed uint64, n int) ([]byte, error) {
			return generated(ctx, gen.Tera, seed, n)
		}), 1},
		{"sort2", sortPlan(skewedRecords), 1},
		{"wordcount", wordPlan, 1},
		{"kmeans", meansPlan, pointBytes},
	}
}

// generated makes n bytes of input.
func generated(ctx context.Context, kind gen.Kind, seed uint64, n int) ([]byte, error) {
	var b bytes.Buffer
	err := gen.Write(ctx, &b, gen.Config{Kind: kind, Bytes: int64(n), Seed: seed})
	return b.Bytes(), err
}

// sortPlan binds TeraSort to records.
func sortPlan(
	records func(ctx context.Context, seed uint64, n int) ([]byte, error),
) func(context.Context, uint64, heatSize) (*mapreduce.Plan, error) {
	return func(ctx context.Context, seed uint64, size heatSize) (*mapreduce.Plan, error) {
		data, err := records(ctx, seed, size.maps*size.split)
		if err != nil {
			return nil, err
		}
		return jobs.TeraSort().Bind(mapreduce.FixedSize(jobs.TeraRecordBytes,
			mapreduce.Bytes("records", data)),
			mapreduce.Raw[mapreduce.Pair[[]byte, []byte]](mapreduce.Writer("none", io.Discard)))
	}
}

// skewedRecords makes n bytes of TeraSort records whose keys are words of a Zipf distribution over
// 1,000.
func skewedRecords(ctx context.Context, seed uint64, n int) ([]byte, error) {
	data, err := generated(ctx, gen.Tera, seed, n)
	if err != nil {
		return nil, err
	}
	pairs, err := generated(ctx, gen.Pairs, seed, n/2) // a line takes less than half a record
	if err != nil {
		return nil, err
	}
	for at := 0; at+jobs.TeraRecordBytes <= len(data); at += jobs.TeraRecordBytes {
		word, rest, found := bytes.Cut(pairs, []byte("\t"))
		if !found {
			return nil,
				fmt.Errorf("%w: words for %d of %d bytes", io.ErrUnexpectedEOF, at, len(data))
		}
		_, pairs, _ = bytes.Cut(rest, []byte("\n"))
		key := data[at : at+jobs.TeraKeyBytes]
		for i := copy(key, word); i < len(key); i++ {
			key[i] = ' '
		}
	}
	return data, nil
}

// wordPlan binds WordCount to text.
func wordPlan(ctx context.Context, seed uint64, size heatSize) (*mapreduce.Plan, error) {
	text, err := generated(ctx, gen.Text, seed, size.maps*size.split)
	if err != nil {
		return nil, err
	}
	return jobs.WordCount().Bind(mapreduce.Chunks(mapreduce.Bytes("text", text)),
		mapreduce.Text[jobs.Count](mapreduce.Writer("none", io.Discard)))
}

// meansPlan binds one round of K-means to points: the map finds the nearest of twenty centers, the
// reduce of that center takes the mean. Points lie around the centers, the k-th of which has a
// weight of 1/k; half of a map's points are of one center, as data that was written by source or
// date would be.
func meansPlan(_ context.Context, seed uint64, size heatSize) (*mapreduce.Plan, error) {
	const clusters = 20
	r := rand.New(rand.NewPCG(seed, 6))
	centers, weights, sum := make([]point, clusters), make([]float64, clusters), 0.0
	for k := range centers {
		centers[k] = point{100 * r.Float64(), 100 * r.Float64()}
		weights[k] = 1 / float64(k+1)
		sum += weights[k]
	}
	pick := func() int {
		k, x := 0, r.Float64()*sum
		for x -= weights[0]; x >= 0 && k+1 < clusters; x -= weights[k] {
			k++
		}
		return k
	}
	var points []point
	for range size.maps {
		home := pick()
		for i := range size.split / pointBytes {
			k := home
			if i%2 == 1 {
				k = pick()
			}
			points = append(points,
				point{centers[k][0] + 3*r.NormFloat64(), centers[k][1] + 3*r.NormFloat64()})
		}
	}
	job := mapreduce.Job[point, int32, point, mapreduce.Pair[int32, point]]{
		Name: "k-means",
		Map: func(p point, emit func(int32, point)) error {
			emit(int32(nearest(centers, p)), p)
			return nil
		},
		Reduce: func(
			k int32, points iter.Seq[point], emit func(mapreduce.Pair[int32, point]),
		) error {
			var mean point
			n := 0.0
			for p := range points {
				n++
				mean[0] += (p[0] - mean[0]) / n
				mean[1] += (p[1] - mean[1]) / n
			}
			emit(mapreduce.MakePair(k, mean))
			return nil
		},
	}
	return job.Bind(mapreduce.Slice(points),
		new(mapreduce.Collected[mapreduce.Pair[int32, point]]).Output())
}

// nearest is the index of the center next to p, the first of those as near.
func nearest(centers []point, p point) int {
	best, at := 0, math.Inf(1)
	for k, c := range centers {
		if d := (p[0]-c[0])*(p[0]-c[0]) + (p[1]-c[1])*(p[1]-c[1]); d < at {
			best, at = k, d
		}
	}
	return best
}
