package hammoud12

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/mapreduce"
)

// partitionSizes runs the maps of a plan and gives the bytes from each map to each reduce.
func partitionSizes(
	ctx context.Context, p *mapreduce.Plan, size heatSize, unit int,
) (sizes [][]float64, err error) {
	defer func() { err = errors.Join(err, p.AbortJob()) }()
	if err := errors.Join(p.SetupJob(),
		p.Prepare(ctx, mapreduce.PrepareOptions{Reduces: size.reduces})); err != nil {
		return nil, err
	}
	splits, err := p.Splits(ctx, func(source int) []mapreduce.Block {
		var blocks []mapreduce.Block
		length := int64(size.split / unit)
		for at := int64(0); at < p.Sources()[source].Size(); at += length {
			blocks = append(blocks,
				mapreduce.Block{Offset: at, Length: min(length, p.Sources()[source].Size()-at)})
		}
		return blocks
	})
	if err != nil {
		return nil, err
	}
	for i, split := range splits {
		out, err := p.RunMap(ctx, &mapreduce.MapAttempt{Index: i, Split: split})
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

// Fig6 is [Hammoud12 Fig 6]: the sizes of partitions by map and reduce. The paper's are only in the
// figure; ours are measured.
func Fig6(ctx context.Context, o study.Options) (*study.Result, error) {
	size := heatSize{maps: 20, reduces: 20, split: 1_000_000}
	if o.Quick {
		size = heatSize{maps: 10, reduces: 10, split: 100_000}
	}
	r := &study.Result{Setup: fig6Setup(size)}
	seeds := o.Repeats(1, 10)
	reduces := map[string]study.Sample{}
	for _, j := range heatJobs() {
		var uneven [4][]float64
		for i := range seeds {
			sizes, err := heatSizes(ctx, j, o.Seed+uint64(i), size)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", j.name, err)
			}
			if i == 0 {
				r.Figures = append(r.Figures, study.Figure{
					Name: j.name, Title: "Bytes of each partition, " + j.name, X: "reduce",
					Y: "map", Cells: sizes,
				})
			}
			for k, v := range unevenness(sizes) {
				uneven[k] = append(uneven[k], v)
			}
		}
		for k, what := range [4]string{
			"largest over mean partition of a map", "Gini index of the partitions of maps",
			"largest over mean reduce", "Gini index of the reduces",
		} {
			r.Add(study.Shown(j.name+": "+what, "",
				study.BySeed(uneven[k])).OldSaying("uneven, in the figure only"))
		}
		reduces[j.name] = study.BySeed(uneven[3])
	}
	r.Add(study.Shown("Gini index of the reduces, Sort2 over Sort1", "×",
		reduces["sort2"].Over(reduces["sort1"])).OldSaying("the same program, more skew in the second"))
	r.Notes = fig6Notes()
	return r, nil
}

// heatSizes runs the maps of a benchmark and gives the bytes from each to each reduce.
func heatSizes(
	ctx context.Context, j heatJob, seed uint64, size heatSize,
) ([][]float64, error) {
	plan, err := j.plan(ctx, seed, size)
	if err != nil {
		return nil, err
	}
	return partitionSizes(ctx, plan, size, j.unit)
}

// unevenness tells how uneven partitions are: the largest over the mean and the Gini index, first
// of the partitions of maps, then of the reduces.
func unevenness(sizes [][]float64) [4]float64 {
	reduces := make([]float64, len(sizes[0]))
	for _, row := range sizes {
		for i, b := range row {
			reduces[i] += b
		}
	}
	all := slices.Concat(sizes...)
	return [4]float64{
		slices.Max(all) / setup.Average(all), gini(all),
		slices.Max(reduces) / setup.Average(reduces), gini(reduces),
	}
}

// fig6Setup names the choices.
func fig6Setup(size heatSize) []string {
	return []string{
		fmt.Sprintf("%d maps of %d KB each and %d reduces, run by the engine's own maps and "+
			"partitioners; bytes are those that a shuffle would move. The paper's data sizes and "+
			"its numbers of maps and reduces are not known.", size.maps, size.split/1000,
			size.reduces),
		"Sort1: TeraSort of records with uniform keys; Sort2: the same job, keys of a Zipf " +
			"distribution over 1,000 words (exponent 1.05). Ranges of keys come from a sample, " +
			"and equal keys stay together.",
		"WordCount: text with a Zipf vocabulary of 500,000 words; the maps combine, keys are " +
			"hashed.",
		"K-means: one round over points around 20 centers with weights 1/k, half of a map's " +
			"points of one center; the number of the nearest center is the key, hashed, and " +
			"points are not combined.",
	}
}

// fig6Notes say what a reader should know.
func fig6Notes() []string {
	return []string{
		"A range partitioner evens out any distribution of distinct keys; what is left is the " +
			"skew of equal keys. Combining evens out WordCount: a map sends a word once, however " +
			"often it comes.",
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
