package scheduling

import "time"

// waited is the part of a job's wait that the clock of offers keeps, for slots of one kind.
type waited struct {
	wait     time.Duration // credited since the last launch; 0 or more
	refused  uint64        // the heartbeat (Core.beat) of the last refusal, 0 if there was none
	launched uint64        // the heartbeat of the last launch, 0 if there was none
	job      int32         // its index
	ready    bool          // the job has a task to launch and may launch it
	skipped  bool          // passed over at the last heartbeat that offered a slot: the clock credits it
}

// forget keeps what is credited, and nothing of the offers before.
func (w *waited) forget() { w.skipped, w.refused, w.launched = false, 0, 0 }

// waitClock credits waits as [Zaharia10 Algorithm 3] does: a job that was passed over at one
// heartbeat is credited, at the next one, the time between the two. Only heartbeats that offer a
// slot of the kind count; Hadoop's code also counts those that offer none, by which the wait all
// but stops on a cluster with busy maps and idle reduces.
type waitClock struct {
	c       *Core
	last    time.Duration // of the last heartbeat that offered a slot
	skipped []*waited     // of the jobs passed over at it
	open    bool          // this heartbeat has offered a slot
}

// moved tells where the waits of the jobs are, after their list may have moved.
func (o *waitClock) moved(at func(job int32) *waited) {
	if len(o.skipped) == 0 || at(o.skipped[0].job) == o.skipped[0] {
		return
	}
	for i, w := range o.skipped {
		o.skipped[i] = at(w.job)
	}
}

// begin credits the jobs passed over at the last heartbeat with an offer.
func (o *waitClock) begin() {
	if o.open {
		return
	}
	o.open = true
	for _, w := range o.skipped {
		if w.skipped {
			w.wait += o.c.now - o.last
			w.skipped = false
		}
	}
	o.skipped = o.skipped[:0]
	o.last = o.c.now
}

// refuse notes a job that was offered a slot and refused it.
func (o *waitClock) refuse(w *waited) {
	if w.refused != o.c.beat {
		w.refused = o.c.beat
		o.skipped = append(o.skipped, w)
	}
}

// end marks as passed over the jobs that refused a slot and launched nothing in this heartbeat.
func (o *waitClock) end() {
	if !o.open {
		return
	}
	o.open = false
	kept := o.skipped[:0]
	for _, w := range o.skipped {
		if w.launched != o.c.beat && w.ready {
			w.skipped = true
			kept = append(kept, w)
		}
	}
	o.skipped = kept
}
