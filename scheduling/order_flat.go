package scheduling

// flatOrder is an order that is a sorted list: a rank per job and kind. The orders fifo, fair, srpt and ps are little more than their rank.
type flatOrder struct {
	c      *Core
	rankOf func(j *job, k TaskKind) rank
	lists  [kinds]rankList[*job]
	kind   TaskKind
	at     cursor
}

func (o *flatOrder) add(j *job) error {
	j.runnable, j.state, j.started = true, JobRunning, o.c.now
	return nil
}

func (o *flatOrder) remove(*job) {}
func (o *flatOrder) settle()     {}
func (o *flatOrder) update()     {}

func (o *flatOrder) changed(j *job, k TaskKind) {
	reposition(&o.lists[k], j, &j.w[k], j.launchable(k), o.rankOf, k)
}

// reposition puts a job where its rank says in a list of the jobs that may launch, or takes it out.
func reposition(l *rankList[*job], j *job, w *work, in bool, rankOf func(*job, TaskKind) rank, k TaskKind) {
	if !in {
		if w.listed {
			l.remove(w.pos)
			w.listed = false
		}
		return
	}
	r := rankOf(j, k)
	switch {
	case !w.listed:
		l.insert(r, j)
	case r != w.pos:
		l.move(w.pos, r)
	}
	w.pos, w.listed = r, true
}

func (o *flatOrder) rewind(k TaskKind) { o.kind, o.at = k, cursor{} }

func (o *flatOrder) next() *job {
	j, _ := o.lists[o.kind].next(&o.at)
	return j
}

// assign fills the free map slots, then the free reduce slots.
func (o *flatOrder) assign(n *node) {
	o.c.fill(n, Map)
	o.c.fill(n, Reduce)
}
