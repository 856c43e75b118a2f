package scheduling

import "github.com/tarry-mr/tarry/scheduling/internal/index"

// flatOrder is an order that is a sorted list: a rank per job and kind. The orders fifo and fair are
// little more than their rank.
type flatOrder struct {
	simple
	rankOf func(j *job, k TaskKind) index.Rank
	lists  [kinds]jobList
	spots  spots
	kind   TaskKind
	at     index.Cursor
}

func (o *flatOrder) add(j *job) error {
	o.spots.add(j)
	return o.simple.add(j)
}

func (o *flatOrder) changed(j *job, k TaskKind) {
	o.spots.put(&o.lists[k], j, k, o.rankOf)
}

// jobList is a list of the jobs that have a task of some kind to launch.
type jobList = index.List[listedJob]

// listedJob is a job, and its index: an offer that it refuses reads no more of it.
type listedJob struct {
	job   *job
	index int32
}

// spots is where each job stands in a list of an order, by kind and index.
type spots [kinds][]index.Spot

// add makes room for a new job.
func (s *spots) add(j *job) {
	for k := range s {
		s[k] = roomFor(s[k], j.index)
	}
}

// reach lengthens a list so that it has an element for an index.
func reach[T any](list []T, i int32) []T {
	if need := int(i) + 1 - len(list); need > 0 {
		list = append(list, make([]T, need)...)
	}
	return list
}

// roomFor is reach, and clears the element.
func roomFor[T any](list []T, i int32) []T {
	list = reach(list, i)
	list[i] = *new(T)
	return list
}

// put puts a job where its rank says in a list of the jobs that may launch, or takes it out.
func (s *spots) put(l *jobList, j *job, k TaskKind, rankOf func(*job, TaskKind) index.Rank) {
	var r index.Rank
	in := j.launchable(k)
	if in {
		r = rankOf(j, k)
	}
	l.Put(&s[k][j.index], in, r, listedJob{j, j.index})
}

// nextIn goes on to the next job of a list; where slots are offered, to the next that may take one.
func (c *Core) nextIn(l *jobList, at *index.Cursor, k TaskKind) *job {
	for {
		e, ok := l.Next(at)
		if !ok || !c.passOver(e.index, k) {
			return e.job
		}
	}
}

func (o *flatOrder) rewind(k TaskKind) { o.kind, o.at = k, index.Cursor{} }

func (o *flatOrder) next() *job {
	return o.c.nextIn(&o.lists[o.kind], &o.at, o.kind)
}

// assign fills the free map slots, then the free reduce slots.
func (o *flatOrder) assign(n *node) {
	o.c.fill(n, Map)
	o.c.fill(n, Reduce)
}

// fifoRank is the order of submission within five priorities.
func fifoRank(j *job, _ TaskKind) index.Rank {
	return index.Rank{Class: int32(j.spec.Priority), Tie: int64(j.id)}
}
