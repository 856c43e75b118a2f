package scheduling

import "time"

// waitState is what the locality and placement rules keep of each job, per kind. It is apart from
// the job and small: with thousands of jobs that wait for locality, offers that they refuse are
// most of the work, and then no more than this is read of a job and one bit of its presence.
type waitState struct {
	seat     int32         // the job's
	skips    int32         // under SkipCount: offers refused at the node level; those beyond are in the job
	level    Locality      // of the job's last launch; starts at NodeLocal
	near     Locality      // the level allowed until the wait is as long as until
	ready    bool          // the job has a task to launch and may launch it
	plain    bool          // ready, and only the presence of its data tells whether it takes a map slot at the level allowed
	skipped  bool          // passed over at the last offer of a slot
	wait     time.Duration // credited since the last launch
	until    time.Duration // 0: near is not known
	refused  uint64        // heartbeat of the last refusal
	launched uint64        // heartbeat of the last launch
}

// offerClock credits waits as [Zaharia10 Algorithm 3] does: a job that was passed over at one
// heartbeat is credited, at the next one, the time between the two. Only heartbeats that offer a
// slot of the kind count; Hadoop's code also counts those that offer none, by which the wait all
// but stops on a cluster with busy maps and idle reduces.
type offerClock struct {
	c       *Core
	last    time.Duration // of the last heartbeat that offered a slot
	skipped []*waitState  // of the jobs passed over at it
	open    bool          // this heartbeat has offered a slot
}

// begin credits the jobs passed over at the last heartbeat with an offer.
func (o *offerClock) begin() {
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
	clear(o.skipped)
	o.skipped = o.skipped[:0]
	o.last = o.c.now
}

// refuse notes a job that was offered a slot and refused it.
func (o *offerClock) refuse(w *waitState) {
	if w.refused != o.c.beat {
		w.refused = o.c.beat
		o.skipped = append(o.skipped, w)
	}
}

// end marks as passed over the jobs that refused a slot and launched nothing in this heartbeat.
func (o *offerClock) end() {
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
