package own

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// CapacityQueues is what the Capacity Scheduler promises of its queues, measured: guaranteed parts,
// what is borrowed and given back, and limits on users.
func CapacityQueues(ctx context.Context, o study.Options) (*study.Result, error) {
	r := &study.Result{Setup: []string{
		"100 map slots on 25 nodes, order capacity, event drive; queues wide (60 %) and narrow " +
			"(40 %); jobs with more maps than they can run, of 10 s with a lognormal factor of " +
			"sigma 0.3, without data, each of its own user.",
		"Slots held are means from 100 to 400 s, unless said.",
		"What is claimed is what Hadoop's guide of the scheduler promises.",
	}}
	if err := r.AddRows(ctx, o, queueShares, queueBorrows, queueUsers); err != nil {
		return nil, err
	}
	r.Notes = []string{
		"Nothing is killed: a queue has its capacity back as the maps of the others end, the " +
			"last of them after about twice their mean time.",
	}
	return r, nil
}

// twoQueues are the queues; change may set more of the narrow one.
func twoQueues(change func(narrow *scheduling.QueueConfig)) []scheduling.QueueConfig {
	list := []scheduling.QueueConfig{
		{Name: "wide", Capacity: 60}, {Name: "narrow", Capacity: 40},
	}
	change(&list[1])
	return list
}

// queued runs tenants under the order capacity.
func queued(
	ctx context.Context, o study.Options, queues []scheduling.QueueConfig, w workload.Workload,
) (*simulator.Contest, error) {
	p := setup.Preset("capacity", func(p *scheduling.Policy) { p.Queues = queues })
	return setup.Contest(ctx, simulator.Config{
		Cluster: simulator.Cluster{Nodes: shareSlots / 4}, Seed: o.Seed, Sample: shareEvery,
		Until: shareEnd,
	}, p, o.Repeats(2, 10), func(*rand.Rand) workload.Workload { return w })
}

// inQueue is an endless job of a user.
func inQueue(queue, user string) setup.Tenant {
	return setup.Tenant{Queue: queue, User: user, Map: shareMap, Spread: 0.3}
}

// heldBy is the mean number of slots of jobs together.
func heldBy(c *simulator.Contest, all int, jobs ...int) study.Sample {
	return setup.OldTimelines(c, all, shareEvery, func(t setup.Timeline) float64 {
		return t.Mean(shareFrom, shareEnd, jobs...)
	})
}

// queueShares measures what queues under pressure hold, and the most that one may.
func queueShares(ctx context.Context, o study.Options) ([]study.Row, error) {
	none := func(*scheduling.QueueConfig) {}
	crowd := setup.Tenants(inQueue("wide", "a"), inQueue("narrow", "b"), inQueue("narrow", "c"),
		inQueue("narrow", "d"))
	pressed, err := queued(ctx, o, twoQueues(none), crowd)
	if err != nil {
		return nil, err
	}
	bounded, err := queued(ctx, o,
		twoQueues(func(q *scheduling.QueueConfig) { q.Max = 50 }),
		setup.Tenants(inQueue("narrow", "b")))
	if err != nil {
		return nil, err
	}
	return []study.Row{
		study.OwnRow("one job in the wide queue, three in the narrow one: slots of the wide one",
			"slots", "its capacity, 60", study.Between(59, 61), heldBy(pressed, 4, 0)),
		study.OwnRow("narrow queue alone, maximum 50 %: slots", "slots", "50",
			study.Between(49, 50.5), heldBy(bounded, 1, 0)),
	}, nil
}

// queueBorrows measures a queue that has all slots while the other one is empty, and how fast the
// other one has its capacity when it is not.
func queueBorrows(ctx context.Context, o study.Options) ([]study.Row, error) {
	const comes = 200 * time.Second
	late := inQueue("wide", "a")
	late.At = comes
	c, err := queued(ctx, o, twoQueues(func(*scheduling.QueueConfig) {}),
		setup.Tenants(inQueue("narrow", "b"), late))
	if err != nil {
		return nil, err
	}
	alone := setup.OldTimelines(c, 2, shareEvery,
		func(t setup.Timeline) float64 { return t.Mean(comes/2, comes, 0) })
	back := setup.OldTimelines(c, 2, shareEvery,
		func(t setup.Timeline) float64 { return t.Reach(comes, 59, 1) })
	after := setup.OldTimelines(c, 2, shareEvery,
		func(t setup.Timeline) float64 { return t.Mean(comes+3*shareMap, shareEnd, 0) })
	return []study.Row{
		study.OwnRow("wide queue empty: slots of the narrow one", "slots",
			"it borrows all that is idle: 100", study.More(98), alone),
		study.OwnRow("wide queue comes: until it has its capacity", "s",
			"within about a map's time, 10 s, as maps end", study.Less(1.5*shareMap.Seconds()),
			back),
		study.OwnRow("afterwards: slots of the narrow queue", "slots", "its capacity, 40",
			study.Between(39, 41), after),
	}, nil
}

// queueUsers measures the limits on users.
func queueUsers(ctx context.Context, o study.Options) ([]study.Row, error) {
	users := []string{"a", "b", "c", "d", "e"}
	one := []scheduling.QueueConfig{{Name: "wide", Capacity: 100, UserLimit: 25}}
	share := func(n int) (*simulator.Contest, error) {
		var list []setup.Tenant
		for _, u := range users[:n] {
			list = append(list, inQueue("wide", u))
		}
		return queued(ctx, o, one, setup.Tenants(list...))
	}
	two, err := share(2)
	if err != nil {
		return nil, err
	}
	five, err := share(5)
	if err != nil {
		return nil, err
	}
	greedy, err := queued(ctx, o,
		twoQueues(func(q *scheduling.QueueConfig) { q.UserFactor = 1 }),
		setup.Tenants(inQueue("narrow", "b")))
	if err != nil {
		return nil, err
	}
	return []study.Row{
		study.OwnRow("user limit of 25 %, two users: slots of the first", "slots",
			"an equal part, 50", study.Between(49, 51), heldBy(two, 2, 0)),
		study.OwnRow("user limit of 25 %, five users: slots of the fourth", "slots",
			"a quarter, 25", study.Between(24, 26), heldBy(five, 5, 3)),
		study.OwnRow("user limit of 25 %, five users: slots of the fifth", "slots",
			"waits until another one is done", study.Less(2), heldBy(five, 5, 4)),
		study.OwnRow("user factor of 1, the rest of the cluster idle: slots of the user", "slots",
			"the queue's capacity, 40", study.Between(39, 40.5), heldBy(greedy, 1, 0)),
	}, nil
}
