package scheduling

// flatOrder is an order that is a sorted list: a rank per job and kind. The orders fifo, fair, srpt
// and ps are little more than their rank.
type flatOrder struct {
	c      *Core
	rankOf func(j *job, k TaskKind) rank
	lists  [kinds]jobList
	kind   TaskKind
	at     cursor
}

func (o *flatOrder) add(j *job) error {
	o.c.admit(j)
	return nil
}

func (o *flatOrder) remove(*job) {}
func (o *flatOrder) settle()     {}
func (o *flatOrder) update()     {}

func (o *flatOrder) changed(j *job, k TaskKind) {
	reposition(&o.lists[k], j, k, o.rankOf)
}

// jobList is a list of the jobs that have a task of some kind to launch.
type jobList = rankList[listedJob]

// listedJob is a job with what an offer that it refuses reads.
type listedJob struct {
	job  *job
	wait *waitState
}

// nextIn goes on to the next job of a list; where slots are offered, to the next that may take one.
func (c *Core) nextIn(l *jobList, at *cursor, k TaskKind) *job {
	for {
		e, ok := l.next(at)
		if !ok || !c.passes(e.wait, k) {
			return e.job
		}
	}
}

// reposition puts a job where its rank says in a list of the jobs that may launch, or takes it out.
func reposition(l *jobList, j *job, k TaskKind, rankOf func(*job, TaskKind) rank) {
	var r rank
	in := j.launchable(k)
	if in {
		r = rankOf(j, k)
	}
	l.put(&j.w[k].spot, in, r, listedJob{j, j.wait[k]})
}

func (o *flatOrder) rewind(k TaskKind) { o.kind, o.at = k, cursor{} }

func (o *flatOrder) next() *job {
	return o.c.nextIn(&o.lists[o.kind], &o.at, o.kind)
}

// assign fills the free map slots, then the free reduce slots.
func (o *flatOrder) assign(n *node) {
	o.c.fill(n, Map)
	o.c.fill(n, Reduce)
}
