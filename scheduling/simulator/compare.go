package simulator

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

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
// interval (Student's t); 0 for one repetition, or if all are equal.
type Estimate struct {
	Mean float64 `json:"mean"`
	Half float64 `json:"ci95,omitzero"`
}

// Below reports whether the whole interval is below 0.
func (e Estimate) Below() bool { return e.Mean+e.Half < 0 }

// String returns text such as "12.35 ± 0.42", with more decimals for smaller means, or only the
// mean if there is no interval.
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
	if e.Half == 0 {
		return fmt.Sprintf("%.*f", decimals, e.Mean)
	}
	return fmt.Sprintf("%.*f ± %.*f", decimals, e.Mean, decimals, e.Half)
}

// Contest holds the results of one contender, by repetition.
type Contest struct {
	Contender
	Results []*Result
}

// Over returns the mean of a figure over the repetitions, with its confidence interval.
func (c *Contest) Over(figure func(*Result) float64) Estimate {
	values := make([]float64, len(c.Results))
	for i, r := range c.Results {
		values[i] = figure(r)
	}
	return EstimateOf(values)
}

// Minus returns the mean over the repetitions of c's figure minus o's. In a repetition both have
// the same jobs, blocks and task times, so that the interval is narrow.
func (c *Contest) Minus(o *Contest, figure func(*Result) float64) Estimate {
	values := make([]float64, min(len(c.Results), len(o.Results)))
	for i := range values {
		values[i] = figure(c.Results[i]) - figure(o.Results[i])
	}
	return EstimateOf(values)
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
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(runtime.GOMAXPROCS(0))
	run := func(i, turn int, w *workload.Workload) error {
		c, one := &contenders[i], cfg
		one.Policy, one.Seed = c.Policy, cfg.Seed+uint64(turn)
		if c.Progress != nil {
			one.Progress = func(now time.Duration, done int) { c.Progress(turn, now, done) }
		}
		res, err := Run(ctx, one, w)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		if c.Progress != nil {
			c.Progress(turn, res.End, res.Report.Jobs)
		}
		out[i].Results[turn] = res
		return nil
	}
	for turn := range repeat {
		w, err := load(cfg.Seed + uint64(turn))
		if err != nil {
			all.Go(func() error { return err })
			break
		}
		for i := range contenders {
			all.Go(func() error { return run(i, turn, w) })
		}
	}
	if err := all.Wait(); err != nil {
		return nil, err
	}
	return out, nil
}

// EstimateOf returns the mean of values, of which there is at least one, with its interval.
func EstimateOf(values []float64) Estimate {
	if len(values) < 2 {
		return Estimate{Mean: statistics.Mean(values)}
	}
	return Estimate{Mean: statistics.Mean(values), Half: statistics.Half(values)}
}
