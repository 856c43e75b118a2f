package own

import (
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// capacityQueues measures what the Capacity Scheduler promises: guaranteed capacities, borrowed and
// returned slots, and limits on users.
func capacityQueues(s *study.Study) {
	// A busy queue has its capacity, and an only one its maximum.
	pressed := queued(s, twoQueues(scheduling.QueueConfig{}), inQueue("wide", "a"),
		inQueue("narrow", "b"), inQueue("narrow", "c"), inQueue("narrow", "d"))
	s.Row("one job in the wide queue, three in the narrow one: slots of the wide one", share(pressed, 0))
	bounded := queued(s, twoQueues(scheduling.QueueConfig{Max: 50}), inQueue("narrow", "b"))
	s.Row("narrow queue alone, maximum 50 %: slots", share(bounded, 0))

	// A queue borrows the slots of an empty one, which gets its capacity back once it has a job.
	const comes = 200 * time.Second
	late := inQueue("wide", "a")
	late.Submit = comes
	r := queued(s, twoQueues(scheduling.QueueConfig{}), inQueue("narrow", "b"), late)
	s.Row("wide queue empty: slots of the narrow one", setup.Held(r, comes/2, comes, 0))
	s.Row("wide queue comes: until it has its capacity", setup.Reached(r, comes, 59, 1))
	s.Row("afterwards: slots of the narrow queue", setup.Held(r, comes+3*shareMap, shareEnd, 0))

	// Users have limits.
	one := []scheduling.QueueConfig{{Name: "wide", Capacity: 100, UserLimit: 25}}
	var users []workload.Job
	for _, u := range []string{"a", "b", "c", "d", "e"} {
		users = append(users, inQueue("wide", u))
	}
	five := queued(s, one, users...)
	s.Row("user limit of 25 %, two users: slots of the first", share(queued(s, one, users[:2]...), 0))
	s.Row("user limit of 25 %, five users: slots of the fourth", share(five, 3))
	s.Row("user limit of 25 %, five users: slots of the fifth", share(five, 4))
	greedy := queued(s, twoQueues(scheduling.QueueConfig{UserFactor: 1}), inQueue("narrow", "b"))
	s.Row("user factor of 1, the rest of the cluster idle: slots of the user", share(greedy, 0))
}

// twoQueues returns the queue "wide" with 60 % of the cluster, and "narrow" with 40 % and the other
// settings of its argument.
func twoQueues(narrow scheduling.QueueConfig) []scheduling.QueueConfig {
	narrow.Name, narrow.Capacity = "narrow", 40
	return []scheduling.QueueConfig{{Name: "wide", Capacity: 60}, narrow}
}

// queued simulates the jobs of tenants under the Capacity Scheduler with queues, until shareEnd.
func queued(
	s *study.Study, queues []scheduling.QueueConfig, tenants ...workload.Job,
) *study.Runs {
	p := study.Policy("capacity", "capacity", func(p *scheduling.Policy) { p.Queues = queues })
	return sharedBy(s, p, shareEnd, setup.Tenants(tenants...))
}

// inQueue returns a job of a user in a queue that has maps until the end of the simulation.
func inQueue(queue, user string) workload.Job {
	return workload.Job{Queue: queue, User: user, Map: workload.Cost{Time: shareMap, Spread: 0.3}}
}
