package zaharia10

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// Reassign is [Zaharia10 §3.2 and §4]: how long until a job or a pool has its share, by waiting for
// slots to free and by killing.
func Reassign(ctx context.Context, o study.Options) (*study.Result, error) {
	r := &study.Result{Setup: reassignSetup()}
	err := r.AddRows(ctx, o, waitForShare, minimumTimeout, fairTimeout, newestKilled)
	if err != nil {
		return nil, err
	}
	r.Notes = []string{
		"The formula is of tasks that end evenly in time; with a lognormal factor of sigma 1 they " +
			"do after a few of their lengths.",
		"The times are those at which the JobTracker has handed out the slots; a live node frees " +
			"them a heartbeat later.",
	}
	return r, nil
}

// reassignSetup names the choices.
func reassignSetup() []string {
	return []string{
		"§3.2: 310 nodes of 10 map slots (Facebook's 3,100), event drive; naive fair sharing; ten " +
			"jobs with maps of 114.4 s on average (27.1 freed a second), lognormal factor of " +
			"sigma 1; after 1,000 s a job of 271 maps comes, less than an equal share.",
		"§4: 100 map slots on 25 nodes, event drive; a pool whose job has all slots with maps of " +
			"600 s; a second pool's job with 100 maps comes at 100 s; order pools, rounds of " +
			"preemption each 15 s (Hadoop's default). Minimum share 40 with T_min = 60 s; or " +
			"T_fair = 120 s alone, where a pool may claim its fair share of 50.",
		"Which are killed: the same with maps of 400 s, lognormal factor of sigma 0.5, that have " +
			"run for an hour, so that they are of all ages.",
	}
}

// waitForShare measures how long a new job waits for 271 slots, against F T / S.
func waitForShare(ctx context.Context, o study.Options) ([]study.Row, error) {
	const comes, every = 1000 * time.Second, 100 * time.Millisecond
	const share = 271
	task := 114400 * time.Millisecond
	var list []setup.Tenant
	for range 10 {
		list = append(list, setup.Tenant{User: "u", Map: task, Spread: 1})
	}
	list = append(list, setup.Tenant{User: "u", At: comes, Maps: share, Map: task, Spread: 1})
	w := setup.Tenants(list...)
	c, err := setup.Contest(ctx, simulator.Config{
		Cluster: simulator.Cluster{Nodes: 310, MapSlots: 10}, Seed: o.Seed,
		Sample: every, Until: comes + 30*time.Second,
	}, setup.Preset("fair", nil), o.Repeats(2, 10),
		func(*rand.Rand) workload.Workload { return w })
	if err != nil {
		return nil, err
	}
	took := setup.Timelines(c, len(list), every, func(t setup.Timeline) float64 {
		return t.Reach(comes, 0.98*share, len(list)-1) / 0.98
	})
	return []study.Row{
		study.FormulaRow("§3.2: until a new job has 271 of 3,100 slots, by waiting alone", "s",
			share*task.Seconds()/3100, 1, took).Saying("F T / S, 27.1 slots freed a second"),
	}, nil
}

// The pools that wait for their shares.
const (
	poolComes = 100 * time.Second
	poolEvery = time.Second
	poolRound = 15 * time.Second // of preemption
	hogMap    = 600 * time.Second
)

// starved runs a pool that comes to a cluster that another one holds, with these allocations.
func starved(
	ctx context.Context, o study.Options, a scheduling.Allocations, mode scheduling.PreemptionMode,
) (*simulator.Contest, error) {
	return hogged(ctx, o, a, mode, hogMap, 0, poolComes)
}

// hogged is starved with maps of the first pool of a length and sigma, and the second pool's job at
// a time.
func hogged(
	ctx context.Context, o study.Options, a scheduling.Allocations, mode scheduling.PreemptionMode,
	hog time.Duration, sigma float64, comes time.Duration,
) (*simulator.Contest, error) {
	w := setup.Tenants(
		setup.Tenant{Pool: "hog", User: "u", Map: hog, Spread: sigma},
		setup.Tenant{Pool: "starved", User: "v", At: comes, Maps: 100, Map: hog})
	p := setup.Preset("hfs", func(p *scheduling.Policy) {
		p.Pools, p.Spread, p.Preemption.Mode = a, false, mode
	})
	return setup.Contest(ctx, simulator.Config{
		Cluster: simulator.Cluster{Nodes: 25, MapSlots: 4}, Seed: o.Seed, Sample: poolEvery,
		Until: comes + 400*time.Second,
	}, p, o.Repeats(2, 10), func(*rand.Rand) workload.Workload { return w })
}

// untilHeld is how long the second pool waits for so many slots.
func untilHeld(c *simulator.Contest, slots float64) study.Sample {
	return setup.Timelines(c, 2, poolEvery,
		func(t setup.Timeline) float64 { return t.Reach(poolComes, slots, 1) })
}

// killedMaps is how many maps of the first pool's job were killed.
func killedMaps(r *simulator.Result) float64 { return float64(r.Jobs[0].Preempted.Killed) }

// minimumShares gives the second pool a minimum share.
func minimumShares(timeout time.Duration) scheduling.Allocations {
	return scheduling.Allocations{Pools: []scheduling.PoolConfig{
		{Name: "starved", Min: [2]int{40, 0}, MinTimeout: timeout},
	}}
}

// minimumTimeout measures when a pool has its minimum share.
func minimumTimeout(ctx context.Context, o study.Options) ([]study.Row, error) {
	const timeout = 60 * time.Second
	on, err := starved(ctx, o, minimumShares(timeout), scheduling.PreemptOn)
	if err != nil {
		return nil, err
	}
	off, err := starved(ctx, o, minimumShares(timeout), scheduling.PreemptOff)
	if err != nil {
		return nil, err
	}
	return []study.Row{
		study.SaidRow("T_min = 60 s: until the pool has its minimum share", "s",
			"tasks are killed if it does not have it within T_min",
			study.Between(timeout.Seconds(), (timeout+poolRound+5*time.Second).Seconds()),
			untilHeld(on, 40)),
		study.FollowsRow("T_min = 60 s: maps killed", "", "what the minimum share lacks, 40",
			study.Between(39.5, 40.5), setup.Each(on, killedMaps)),
		study.OwnRow("no preemption: until the pool has its minimum share", "s",
			"waits for the maps to end", study.More(300), untilHeld(off, 40)),
	}, nil
}

// fairTimeout measures when a pool that is starved has its fair share.
func fairTimeout(ctx context.Context, o study.Options) ([]study.Row, error) {
	const timeout = 120 * time.Second
	c, err := starved(ctx, o, scheduling.Allocations{FairTimeout: timeout}, scheduling.PreemptOn)
	if err != nil {
		return nil, err
	}
	return []study.Row{
		study.SaidRow("T_fair = 120 s: until the pool has its fair share", "s",
			"tasks are killed if it is starved of its fair share",
			study.Between(timeout.Seconds(), (timeout+poolRound+5*time.Second).Seconds()),
			untilHeld(c, 50)),
		study.FollowsRow("T_fair = 120 s: maps killed", "", "what the fair share lacks, 50",
			study.Between(49.5, 50.5), setup.Each(c, killedMaps)),
	}, nil
}

// newestKilled measures how old the maps are that are killed.
func newestKilled(ctx context.Context, o study.Options) ([]study.Row, error) {
	const hog, comes = 400 * time.Second, time.Hour
	c, err := hogged(ctx, o, minimumShares(30*time.Second), scheduling.PreemptOn, hog, 0.5, comes)
	if err != nil {
		return nil, err
	}
	// What runs at a time has run for E[X²] / 2E[X] on average: with sigma 0.5, 0.64 of the mean.
	const age = 0.64 * 400
	return []study.Row{
		study.SaidRow("work lost by a map that is killed", "s",
			fmt.Sprintf("the most recently launched: less than half the mean age, %g s", age/2),
			study.Less(age/2), setup.Each(c, func(r *simulator.Result) float64 {
				return r.Jobs[0].Preempted.LostS / killedMaps(r) // no number if none was killed
			})),
	}, nil
}
