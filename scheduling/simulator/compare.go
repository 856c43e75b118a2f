package simulator

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"
	"time"

	"github.com/tarry-mr/tarry/internal/statistics"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// Contender is a policy in a comparison.
type Contender struct {
	Name   string
	Policy scheduling.Policy

	// Progress, if not nil, is called like Config.Progress, with the number of the repetition from
	// 0, and once more at its end. It is called concurrently.
	Progress func(turn int, now time.Duration, done int)
}

// Estimate is the mean of a figure over the repetitions, with the half-width of its 95 % confidence
// interval (Student's t); 0 for one repetition.
type Estimate struct {
	Mean float64 `json:"mean"`
	Half float64 `json:"ci95"`
}

// String returns text such as "12.35 ± 0.42", with more decimals for smaller means.
func (e Estimate) String() string {
	decimals := 4
	switch x := max(math.Abs(e.Mean), e.Half); {
	case x == 0:
		decimals = 0
	case x >= 1000:
		decimals = 0
	case x >= 100:
		decimals = 1
	case x >= 2:
		decimals = 2
	}
	return fmt.Sprintf("%.*f ± %.*f", decimals, e.Mean, decimals, e.Half)
}

// Contest holds the results of one contender, by repetition.
type Contest struct {
	Contender
	Results []*Result
}

// Over estimates a figure of this contender.
func (c *Contest) Over(figure func(*Result) float64) Estimate {
	values := make([]float64, len(c.Results))
	for i, r := range c.Results {
		values[i] = figure(r)
	}
	return estimate(values)
}

// Minus estimates the paired difference of a figure, by repetition: both contenders had the same
// jobs, blocks and task times, so that most of the randomness cancels.
func (c *Contest) Minus(o *Contest, figure func(*Result) float64) Estimate {
	values := make([]float64, min(len(c.Results), len(o.Results)))
	for i := range values {
		values[i] = figure(c.Results[i]) - figure(o.Results[i])
	}
	return estimate(values)
}

// Compare runs each contender on the same workloads with the same seeds, from Config.Seed up, in
// parallel on all processors. load returns the workload of a repetition for its seed; it is called
// once per repetition, and the workload is not changed. The results do not depend on the number of
// processors. Config.Policy is not used; the callbacks must be safe for concurrent calls.
func Compare(ctx context.Context, cfg Config, contenders []Contender, repeat int, load func(seed uint64) (*workload.Workload, error)) ([]Contest, error) {
	repeat = max(1, repeat)
	out := make([]Contest, len(contenders))
	for i, c := range contenders {
		out[i] = Contest{Contender: c, Results: make([]*Result, repeat)}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	type cell struct {
		contender, turn int
		w               *workload.Workload
	}
	cells := make(chan cell)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(contenders)*repeat) {
		wg.Go(func() {
			for x := range cells {
				c := &contenders[x.contender]
				one := cfg
				one.Policy, one.Seed = c.Policy, cfg.Seed+uint64(x.turn)
				if c.Progress != nil {
					one.Progress = func(now time.Duration, done int) { c.Progress(x.turn, now, done) }
				}
				res, err := Run(ctx, one, x.w)
				if err != nil {
					cancel(fmt.Errorf("%s: %w", c.Name, err))
					continue
				}
				if c.Progress != nil {
					c.Progress(x.turn, res.End, res.Report.Jobs)
				}
				out[x.contender].Results[x.turn] = res
			}
		})
	}
	for turn := range repeat {
		w, err := load(cfg.Seed + uint64(turn))
		if err != nil {
			cancel(err)
			break
		}
		for i := range contenders {
			cells <- cell{i, turn, w}
		}
	}
	close(cells)
	wg.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return out, nil
}

// estimate returns the mean and the half-width of its 95 % confidence interval.
func estimate(values []float64) Estimate {
	switch len(values) {
	case 0:
		return Estimate{}
	case 1:
		return Estimate{Mean: values[0]}
	}
	return Estimate{Mean: statistics.Mean(values), Half: statistics.Half(values)}
}
