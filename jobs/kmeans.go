package jobs

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"

	"github.com/tarry-mr/tarry/mapreduce"
)

// KMeansOptions are the options of KMeans.
type KMeansOptions struct {
	// Clusters is the number of clusters, 1 to 10,000.
	Clusters int
	// Rounds is the maximum number of rounds; 0 means 20.
	Rounds int
	// Seed determines the random choice of initial centers.
	Seed uint64
	// Separator is the byte between a point's coordinates; 0 means a tab.
	Separator byte
}

// Check returns an error if the options are invalid.
func (o KMeansOptions) Check() error {
	if o.Clusters < 1 || o.Clusters > maxClusters || o.Rounds < 0 {
		return fmt.Errorf("jobs: %d clusters, %d rounds: want 1 to %d clusters, and a round", o.Clusters, o.Rounds, maxClusters)
	}
	return nil
}

// Cluster is the center of a cluster and the number of its points.
type Cluster struct {
	Center []float64
	Size   int64
}

// maxClusters limits the memory of a map: a sum for each coordinate of each center.
const maxClusters = 10_000

// KMeans divides points into clusters. Each round assigns each point to the nearest center and
// moves each center to the mean of its points, until no center moves or Rounds is reached (Lloyd,
// 1982). A center without points stays. Distances are Euclidean; among equal ones the first center
// is nearest.
//
// The initial centers are input points chosen by k-means++ [Arthur07]: the first is random, and
// each further one is drawn with a probability proportional to the square of its distance from the
// nearest center so far. Beyond 32 centers, several are drawn in one round, as in k-means||
// [Bahmani12]. The draw depends only on the seed and on the coordinates and file offsets of the
// points, not on how the jobs run.
//
// The input is Lines of one point each: numbers as Mean reads them, the same count in each line. It
// is read in every round, so that no points are held in memory: sources that can be read only once
// are errors, and so are fewer distinct points than clusters. Means are computed from exact sums,
// so the centers do not depend on how the jobs run.
func KMeans(ctx context.Context, run Runner, in mapreduce.Input[[]byte], o KMeansOptions) ([]Cluster, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	o.Separator, o.Rounds = cmp.Or(o.Separator, '\t'), cmp.Or(o.Rounds, 20)
	centers, err := o.start(ctx, run, in)
	if err != nil {
		return nil, err
	}
	for range o.Rounds {
		moved, _, err := collect(ctx, run, o.round(centers).Over(in))
		if err != nil {
			return nil, err
		}
		next := slices.Clone(centers) // abandoned maps may still read the old ones
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

// points reads points for one task. The point that it read last is valid until the next one.
type points struct {
	separator byte
	centers   []Cluster // a point has as many numbers as these
	exact     []Sum
	rounded   []float64
}

// read parses the point in a line.
func (p *points) read(line []byte) error {
	p.exact, p.rounded, line = p.exact[:0], p.rounded[:0], withoutCR(line)
	for rest, more := line, true; more; {
		var text []byte
		text, rest, more = bytes.Cut(rest, []byte{p.separator})
		n, err := decimal(text, text)
		if err != nil {
			return err
		}
		f, _ := strconv.ParseFloat(string(text), 64) // cannot fail: decimal accepts only valid numbers
		p.exact, p.rounded = append(p.exact, n), append(p.rounded, f)
	}
	if len(p.centers) > 0 && len(p.rounded) != len(p.centers[0].Center) {
		return mapreduce.BadRecord(fmt.Errorf("point %s: %d coordinates, where others have %d",
			cut(line), len(p.rounded), len(p.centers[0].Center)))
	}
	return nil
}

// nearest returns the index of the center nearest to the point, and the squared distance.
func (p *points) nearest() (best int32, least float64) {
	least = math.Inf(1)
	point := p.rounded
	for i, c := range p.centers {
		d := 0.0
		for j, x := range c.Center {
			d += (x - point[j]) * (x - point[j])
		}
		if d < least {
			best, least = int32(i), d
		}
	}
	return best, least
}

// maxDraws limits the number of jobs that draw centers.
const maxDraws = 32

// start chooses the initial centers by k-means++.
func (o KMeansOptions) start(ctx context.Context, run Runner, in mapreduce.Input[[]byte]) (centers []Cluster, err error) {
	for draw := range maxDraws {
		n := 1
		if left := o.Clusters - len(centers); left == 0 {
			return centers, nil
		} else if draw > 0 {
			n = (left + maxDraws - draw - 1) / (maxDraws - draw)
		}
		points, _, err := collect(ctx, run, o.draw(uint64(draw), n, slices.Clip(centers)).Over(in))
		if err != nil {
			return nil, err
		}
		for _, p := range points {
			centers = append(centers, Cluster{Center: p.Second})
		}
		if len(points) < n {
			break
		}
	}
	if len(centers) < o.Clusters {
		return nil, fmt.Errorf("jobs: %d different points are too few for %d clusters", len(centers), o.Clusters)
	}
	return centers, nil
}

// drawnPoint is a point after its waiting time, as float bits. Waiting times are exponentially
// distributed with the point's weight as rate. So each point is the first with a probability
// proportional to its weight.
type drawnPoint = mapreduce.Pair[uint64, []float64]

// draw returns the job that draws n distinct points, none of them a center yet.
func (o KMeansOptions) draw(number uint64, n int, centers []Cluster) mapreduce.Job[[]byte, drawnPoint, mapreduce.None, drawnPoint] {
	return mapreduce.Job[[]byte, drawnPoint, mapreduce.None, drawnPoint]{
		Name: "kmeans-start",
		MapTask: func(t *mapreduce.Task) (mapreduce.Mapper[[]byte, drawnPoint, mapreduce.None], error) {
			var first firstDrawn
			in := points{separator: o.Separator, centers: centers}
			return mapreduce.Mapper[[]byte, drawnPoint, mapreduce.None]{
				Map: func(line []byte, _ func(drawnPoint, mapreduce.None)) error {
					if err := in.read(line); err != nil {
						return err
					}
					weight := 1.0
					if len(centers) > 0 {
						_, weight = in.nearest()
					}
					if weight > 0 {
						wait := -math.Log(o.uniform(number, t.Offset(), in.rounded)) / weight
						first.keep(n, mapreduce.MakePair(math.Float64bits(wait), in.rounded))
					}
					return nil
				},
				Close: func(emit func(drawnPoint, mapreduce.None)) error {
					for _, p := range first {
						emit(p, mapreduce.None{})
					}
					return nil
				},
			}, nil
		},
		ReduceTask: func(*mapreduce.Task) (mapreduce.Reducer[drawnPoint, mapreduce.None, drawnPoint], error) {
			var first firstDrawn
			return mapreduce.Reducer[drawnPoint, mapreduce.None, drawnPoint]{
				Reduce: func(p drawnPoint, _ iter.Seq[mapreduce.None], emit func(drawnPoint)) error {
					if len(first) < n && first.keep(n, p) {
						emit(p)
					}
					return nil
				},
			}, nil
		},
		Reducers: 1,
	}
}

// uniform returns a pseudorandom number between 0 and 1, exclusive, that depends on the seed, the
// draw, the point and its offset.
func (o KMeansOptions) uniform(draw uint64, offset int64, point []float64) float64 {
	sum := mixed(o.Seed*0x9E3779B97F4A7C15 + draw)
	for _, x := range point {
		sum = mixed(sum ^ math.Float64bits(x+0)) // -0 + 0 is 0
	}
	return (float64(mixed(sum^uint64(offset))>>11) + 0.5) / (1 << 53)
}

// firstDrawn is a list of the drawn points with the smallest waiting times, in order, all distinct.
type firstDrawn []drawnPoint

// keep inserts p if it belongs to the first n points, and reports whether it did.
func (f *firstDrawn) keep(n int, p drawnPoint) bool {
	list := *f
	at, _ := slices.BinarySearchFunc(list, p, func(a, b drawnPoint) int {
		return cmp.Or(cmp.Compare(a.First, b.First), slices.Compare(a.Second, b.Second))
	})
	same := func(o drawnPoint) bool { return slices.Equal(o.Second, p.Second) }
	if at == n || slices.ContainsFunc(list[:at], same) {
		return false
	}
	if later := slices.IndexFunc(list[at:], same); later >= 0 {
		list = slices.Delete(list, at+later, at+later+1)
	}
	p.Second = slices.Clone(p.Second)
	*f = slices.Insert(list[:min(len(list), n-1)], at, p)
	return true
}

// round returns the job of one round: it moves each center to the mean of its points.
func (o KMeansOptions) round(centers []Cluster) mapreduce.Job[[]byte, int32, []Sum, mapreduce.Pair[int32, Cluster]] {
	return mapreduce.Job[[]byte, int32, []Sum, mapreduce.Pair[int32, Cluster]]{
		Name: "kmeans",
		MapTask: func(*mapreduce.Task) (mapreduce.Mapper[[]byte, int32, []Sum], error) {
			in := points{separator: o.Separator, centers: centers}
			return mapreduce.Mapper[[]byte, int32, []Sum]{Map: func(line []byte, emit func(int32, []Sum)) error {
				if err := in.read(line); err != nil {
					return err
				}
				center, _ := in.nearest()
				emit(center, in.exact)
				return nil
			}}, nil
		},
		Combine: func(a, b []Sum) []Sum {
			for i := range a {
				a[i] = a[i].plus(b[i])
			}
			return a
		},
		Reduce: single(func(center int32, sums []Sum) mapreduce.Pair[int32, Cluster] {
			c := Cluster{Center: make([]float64, len(sums))}
			for i, s := range sums {
				c.Center[i], c.Size = s.mean(), s.Count
			}
			return mapreduce.MakePair(center, c)
		}),
	}
}
