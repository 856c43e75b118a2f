package own

import (
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
)

// capacityQueues measures what the Capacity Scheduler promises: guaranteed capacities, borrowed and
// returned slots, and limits on users.
func capacityQueues(s *study.Study) {
	queueShares(s)
	queueBorrows(s)
	queueUsers(s)
}

// twoQueues returns a queue with 60 % of the cluster and one with 40 %; narrow has the other
// settings of the second.
func twoQueues(narrow scheduling.QueueConfig) []scheduling.QueueConfig {
	narrow.Name, narrow.Capacity = "narrow", 40
	return []scheduling.QueueConfig{{Name: "wide", Capacity: 60}, narrow}
}

// queued runs the jobs of tenants under the Capacity Scheduler with these queues, until shareEnd.
func queued(
	s *study.Study, queues []scheduling.QueueConfig, tenants ...setup.Tenant,
) *study.Runs {
	p := study.Policy("capacity", "capacity", func(p *scheduling.Policy) { p.Queues = queues })
	return sharedBy(s, p, shareEnd, setup.Tenants(tenants...))
}

// inQueue is an endless job of a user.
func inQueue(queue, user string) setup.Tenant {
	return setup.Tenant{Queue: queue, User: user, Map: shareMap, Spread: 0.3}
}

// queueShares measures the slots of busy queues, and the maximum of a queue.
func queueShares(s *study.Study) {
	pressed := queued(s, twoQueues(scheduling.QueueConfig{}), inQueue("wide", "a"),
		inQueue("narrow", "b"), inQueue("narrow", "c"), inQueue("narrow", "d"))
	bounded := queued(s, twoQueues(scheduling.QueueConfig{Max: 50}), inQueue("narrow", "b"))
	s.Own("one job in the wide queue, three in the narrow one: slots of the wide one", "slots",
		"its capacity, 60", study.Between(59, 61), setup.Held(pressed, shareFrom, shareEnd, 0))
	s.Own("narrow queue alone, maximum 50 %: slots", "slots", "50", study.Between(49, 50.5),
		setup.Held(bounded, shareFrom, shareEnd, 0))
}

// queueBorrows measures a queue that has all slots while the other one is empty, and how fast the
// other one has its capacity when it is not.
func queueBorrows(s *study.Study) {
	const comes = 200 * time.Second
	late := inQueue("wide", "a")
	late.At = comes
	r := queued(s, twoQueues(scheduling.QueueConfig{}), inQueue("narrow", "b"), late)
	s.Own("wide queue empty: slots of the narrow one", "slots", "it borrows all that is idle: 100",
		study.More(98), setup.Held(r, comes/2, comes, 0))
	s.Own("wide queue comes: until it has its capacity", "s",
		"within about a map's time, 10 s, as maps end", study.Less(1.5*shareMap.Seconds()),
		setup.Reached(r, comes, 59, 1))
	s.Own("afterwards: slots of the narrow queue", "slots", "its capacity, 40", study.Between(39, 41),
		setup.Held(r, comes+3*shareMap, shareEnd, 0))
}

// queueUsers measures the limits on users.
func queueUsers(s *study.Study) {
	one := []scheduling.QueueConfig{{Name: "wide", Capacity: 100, UserLimit: 25}}
	var users []setup.Tenant
	for _, u := range []string{"a", "b", "c", "d", "e"} {
		users = append(users, inQueue("wide", u))
	}
	two, five := queued(s, one, users[:2]...), queued(s, one, users...)
	greedy := queued(s, twoQueues(scheduling.QueueConfig{UserFactor: 1}), inQueue("narrow", "b"))
	s.Own("user limit of 25 %, two users: slots of the first", "slots", "an equal part, 50",
		study.Between(49, 51), setup.Held(two, shareFrom, shareEnd, 0))
	s.Own("user limit of 25 %, five users: slots of the fourth", "slots", "a quarter, 25",
		study.Between(24, 26), setup.Held(five, shareFrom, shareEnd, 3))
	s.Own("user limit of 25 %, five users: slots of the fifth", "slots",
		"waits until another one is done", study.Less(2), setup.Held(five, shareFrom, shareEnd, 4))
	s.Own("user factor of 1, the rest of the cluster idle: slots of the user", "slots",
		"the queue's capacity, 40", study.Between(39, 40.5),
		setup.Held(greedy, shareFrom, shareEnd, 0))
}
