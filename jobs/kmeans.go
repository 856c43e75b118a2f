package jobs

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"iter"
	"math"
	"slices"
	"strconv"

	"github.com/tarry-mr/tarry/mapreduce"
)

// KMeansOptions say how KMeans divides points.
type KMeansOptions struct {
	// Clusters is how many there are, 1 to 10,000.
	Clusters int
	// Rounds is the most rounds; 0 is 20.
	Rounds int
	// Seed selects the points that centers begin at.
	Seed uint64
	// Separator stands between the coordinates of a point; 0 is a tab.
	Separator byte
}

// Check says what of the options cannot be.
func (o KMeansOptions) Check() error {
	if o.Clusters < 1 || o.Clusters > mostClusters || o.Rounds < 0 {
		return fmt.Errorf("jobs: %d clusters, %d rounds: want 1 to %d clusters, and a round", o.Clusters, o.Rounds, mostClusters)
	}
	return nil
}

// Cluster is the center of a cluster, and how many points it is the mean of.
type Cluster struct {
	Center []float64
	Size   int64
}

// mostClusters bounds what a map holds: a sum for each coordinate of each center.
const mostClusters = 10_000

// KMeans divides points into clusters, each point to the nearest center, and moves each center into
// the mean of its points, until no center moves or there were enough rounds (Lloyd, 1982). A center
// without points stays. The centers begin at different points of the input, chosen by their
// coordinates and the seed; the best division may be another one. Distances are Euclid's, of equal
// ones the first center is nearest.
//
// The input are files of a point a line: numbers as Mean reads them, as many in each line. They are
// read anew in each round, so that no points are held in memory; sources that can be read only once,
// and fewer different points than clusters, are errors. Means are of exact sums, so that the centers
// do not depend on how the jobs ran.
func KMeans(ctx context.Context, run Runner, src []mapreduce.Source, o KMeansOptions) ([]Cluster, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	for _, s := range src {
		if s.Size() < 0 {
			return nil, fmt.Errorf("jobs: %s can be read only once, and k-means reads its points in each round", s.Name())
		}
	}
	o.Separator, o.Rounds = cmp.Or(o.Separator, '\t'), cmp.Or(o.Rounds, 20)
	centers, err := o.start(ctx, run, src)
	if err != nil {
		return nil, err
	}
	for range o.Rounds {
		moved, _, err := collect(ctx, run, func(out mapreduce.Output[mapreduce.Pair[int32, Cluster]]) (*mapreduce.Plan, error) {
			return o.round(centers).Bind(mapreduce.Lines(src...), out)
		})
		if err != nil {
			return nil, err
		}
		next := slices.Clone(centers) // maps that were abandoned may still look at the old ones
		for i := range next {
			next[i].Size = 0
		}
		stays := true
		for _, m := range moved {
			stays = stays && slices.Equal(m.Second.Center, centers[m.First].Center)
			next[m.First] = m.Second
		}
		if centers = next; stays {
			break
		}
	}
	return centers, nil
}

// coordinates reads a point into exact and rounded numbers, which are emptied first.
func (o KMeansOptions) coordinates(line []byte, exact []Sum, rounded []float64) ([]Sum, []float64, error) {
	exact, rounded = exact[:0], rounded[:0]
	for more := true; more; {
		var text []byte
		text, line, more = bytes.Cut(line, []byte{o.Separator})
		n, err := decimal(text, text)
		if err != nil {
			return exact, rounded, err
		}
		f, _ := strconv.ParseFloat(string(text), 64) // a number that decimal reads is one
		exact, rounded = append(exact, n), append(rounded, f)
	}
	return exact, rounded, nil
}

// seededPoint is a point behind a number that comes of it and the seed.
type seededPoint = mapreduce.Pair[uint64, []float64]

// start chooses the points at which centers begin: those with the smallest numbers.
func (o KMeansOptions) start(ctx context.Context, run Runner, src []mapreduce.Source) ([]Cluster, error) {
	job := mapreduce.Job[[]byte, seededPoint, mapreduce.None, seededPoint]{
		Name: "kmeans-start",
		MapTask: func(*mapreduce.Task) (mapreduce.Mapper[[]byte, seededPoint, mapreduce.None], error) {
			var least []seededPoint // sorted, each once
			var exact []Sum
			var point []float64
			return mapreduce.Mapper[[]byte, seededPoint, mapreduce.None]{
				Map: func(line []byte, _ func(seededPoint, mapreduce.None)) (err error) {
					if exact, point, err = o.coordinates(line, exact, point); err != nil {
						return err
					}
					least = o.keep(least, point)
					return nil
				},
				Close: func(emit func(seededPoint, mapreduce.None)) error {
					for _, p := range least {
						emit(p, mapreduce.None{})
					}
					return nil
				},
			}, nil
		},
		ReduceTask: func(*mapreduce.Task) (mapreduce.Reducer[seededPoint, mapreduce.None, seededPoint], error) {
			left := o.Clusters
			return mapreduce.Reducer[seededPoint, mapreduce.None, seededPoint]{
				Reduce: func(p seededPoint, _ iter.Seq[mapreduce.None], emit func(seededPoint)) error {
					if left--; left >= 0 {
						emit(p)
					}
					return nil
				},
			}, nil
		},
		Reducers: 1,
	}
	points, _, err := collect(ctx, run, func(out mapreduce.Output[seededPoint]) (*mapreduce.Plan, error) {
		return job.Bind(mapreduce.Lines(src...), out)
	})
	if err != nil {
		return nil, err
	}
	if len(points) < o.Clusters {
		return nil, fmt.Errorf("jobs: %d different points are too few for %d clusters", len(points), o.Clusters)
	}
	var centers []Cluster
	for _, p := range points {
		if a, b := len(p.Second), len(points[0].Second); a != b {
			return nil, fmt.Errorf("jobs: points of %d and of %d coordinates", min(a, b), max(a, b))
		}
		centers = append(centers, Cluster{Center: p.Second})
	}
	return centers, nil
}

// keep puts a point among the least ones, if it is one.
func (o KMeansOptions) keep(least []seededPoint, point []float64) []seededPoint {
	sum, bits := fnv.New64a(), make([]byte, 0, 64)
	for _, x := range point {
		bits = binary.LittleEndian.AppendUint64(bits, math.Float64bits(x+0)) // -0 + 0 is 0
	}
	_, _ = sum.Write(bits) // never fails
	p := mapreduce.MakePair(mixed(sum.Sum64()^o.Seed*0x9E3779B97F4A7C15), point)
	at, found := slices.BinarySearchFunc(least, p, func(a, b seededPoint) int {
		return cmp.Or(cmp.Compare(a.First, b.First), slices.Compare(a.Second, b.Second))
	})
	if found || at == o.Clusters {
		return least
	}
	p.Second = slices.Clone(point)
	return slices.Insert(least[:min(len(least), o.Clusters-1)], at, p)
}

// round is the job that moves centers.
func (o KMeansOptions) round(centers []Cluster) mapreduce.Job[[]byte, int32, []Sum, mapreduce.Pair[int32, Cluster]] {
	return mapreduce.Job[[]byte, int32, []Sum, mapreduce.Pair[int32, Cluster]]{
		Name: "kmeans",
		MapTask: func(*mapreduce.Task) (mapreduce.Mapper[[]byte, int32, []Sum], error) {
			var exact []Sum
			var point []float64
			return mapreduce.Mapper[[]byte, int32, []Sum]{
				Map: func(line []byte, emit func(int32, []Sum)) (err error) {
					exact, point, err = o.coordinates(line, exact, point)
					switch dimensions := len(centers[0].Center); {
					case err != nil:
						return err
					case len(point) != dimensions:
						return mapreduce.Bad(fmt.Errorf("point %s: %d coordinates, where others have %d",
							cut(line), len(point), dimensions))
					}
					emit(nearest(centers, point), exact)
					return nil
				},
			}, nil
		},
		Combine: func(a, b []Sum) []Sum {
			for i := range a {
				a[i] = a[i].plus(b[i])
			}
			return a
		},
		Reduce: func(center int32, sums iter.Seq[[]Sum], emit func(mapreduce.Pair[int32, Cluster])) error {
			for all := range sums { // one, by Combine
				c := Cluster{Center: make([]float64, len(all))}
				for i, s := range all {
					c.Center[i], c.Size = s.mean(), s.Count
				}
				emit(mapreduce.MakePair(center, c))
			}
			return nil
		},
	}
}

// nearest is the number of the center that is nearest to a point.
func nearest(centers []Cluster, point []float64) (best int32) {
	least := math.Inf(1)
	for i, c := range centers {
		d := 0.0
		for j, x := range c.Center {
			d += (x - point[j]) * (x - point[j])
		}
		if d < least {
			best, least = int32(i), d
		}
	}
	return best
}
