package hammoud12

import (
	"context"
	"errors"
	"slices"

	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// partitionSizes runs the maps of a plan and gives the bytes from each map to each reduce.
func partitionSizes(
	ctx context.Context, p *mapreduce.Plan, size heatSize, unit int,
) (sizes [][]float64, err error) {
	defer func() { err = errors.Join(err, p.AbortJob()) }()
	if err := errors.Join(p.SetupJob(),
		p.Prepare(ctx, cluster.PrepareOptions{Reduces: size.reduces})); err != nil {
		return nil, err
	}
	splits, err := p.Splits(ctx, func(source int) []cluster.Block {
		var blocks []cluster.Block
		length := int64(size.split / unit)
		for at := int64(0); at < p.Sources()[source].Size(); at += length {
			blocks = append(blocks,
				cluster.Block{Offset: at, Length: min(length, p.Sources()[source].Size()-at)})
		}
		return blocks
	})
	if err != nil {
		return nil, err
	}
	for i, split := range splits {
		out, err := p.RunMap(ctx, &cluster.MapAttempt{Index: i, Split: split})
		if err != nil {
			return nil, err
		}
		row := make([]float64, size.reduces)
		for r, b := range out.Sizes() {
			row[r] = float64(b)
		}
		out.Release()
		sizes = append(sizes, row)
	}
	return sizes, nil
}

// fig6 is [Hammoud12 Fig 6]: the sizes of partitions by map and reduce. The paper's are only in the
// figure; ours are measured.
func fig6(s *study.Study) {
	size := study.Pick(s, heatSize{10, 10, 100_000}, heatSize{20, 20, 1_000_000})
	s.Fill("maps", size.maps, "kilobytes", size.split/1000, "reduces", size.reduces)
	reduces := map[string]study.Sample{}
	for _, j := range heatJobs() {
		uneven := s.Seeds(s.Repeats(1, 10), func(seed uint64) []float64 {
			sizes := heatSizes(s, j, seed, size)
			if seed == s.Seed {
				s.Plot(j.name, "Bytes of each partition, "+j.name, "reduce", "map").Cells = sizes
			}
			return unevenness(sizes)
		})
		for k, what := range [4]string{
			"largest over mean partition of a map", "Gini index of the partitions of maps",
			"largest over mean reduce", "Gini index of the reduces",
		} {
			s.Shown(j.name+": "+what, "", uneven[k]).Saying("uneven, in the figure only")
		}
		reduces[j.name] = uneven[3]
	}
	s.Shown("Gini index of the reduces, Sort2 over Sort1", "×",
		reduces["sort2"].Over(reduces["sort1"])).Saying("the same program, more skew in the second")
}

// heatSizes runs the maps of a benchmark and gives the bytes from each to each reduce.
func heatSizes(s *study.Study, j heatJob, seed uint64, size heatSize) [][]float64 {
	plan, err := j.plan(s.Context(), seed, size)
	s.Check(err)
	sizes, err := partitionSizes(s.Context(), plan, size, j.unit)
	s.Check(err)
	return sizes
}

// unevenness tells how uneven partitions are: the largest over the mean and the Gini index, first
// of the partitions of maps, then of the reduces.
func unevenness(sizes [][]float64) []float64 {
	reduces := make([]float64, len(sizes[0]))
	for _, row := range sizes {
		for i, b := range row {
			reduces[i] += b
		}
	}
	all := slices.Concat(sizes...)
	return []float64{
		slices.Max(all) / study.Average(all), gini(all),
		slices.Max(reduces) / study.Average(reduces), gini(reduces),
	}
}

// gini is the Gini index of sizes: 0 if all are alike, near 1 if one has everything.
func gini(sizes []float64) float64 {
	x := slices.Sorted(slices.Values(sizes))
	sum, weighted := 0.0, 0.0
	for i, v := range x {
		sum += v
		weighted += float64(2*i+1-len(x)) * v
	}
	if sum == 0 {
		return 0
	}
	return weighted / (float64(len(x)) * sum)
}
