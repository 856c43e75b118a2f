package scheduling

import (
	"math/bits"
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/index"
)

// waitClock credits waits as [Zaharia10 Algorithm 3] does: a job that was passed over at one
// heartbeat is credited, at the next one, the time between the two. Only heartbeats that offer a
// slot of the kind count; Hadoop's code also counts those that offer none, by which the wait all
// but stops on a cluster with busy maps and idle reduces.
//
// What a walk over the jobs reads and notes of each is a bit in some sets, by the job's index: with
// thousands of jobs that wait, offers that they refuse are most of the work.
type waitClock struct {
	c        *Core
	last     time.Duration   // of the last heartbeat that offered a slot
	open     bool            // this heartbeat has offered a slot
	launches uint64          // the heartbeat (Core.beat) that launched is of
	until    []time.Duration // by index of the job: what it answers is foreseen as long as its wait is below; 0: it is not
	left     []time.Duration // by index: until less the wait, all that begin must read

	ready    index.Bits // has a task to launch and may launch it
	plain    index.Bits // ready, and takes a slot or not by nothing but the rule and the data on the node
	foreseen index.Bits // the wait is below until
	refused  index.Bits // a slot in this heartbeat
	launched index.Bits // in heartbeat launches
	skipped  index.Bits // passed over at the last heartbeat that offered a slot: the clock credits it
}

// sets are all sets of jobs.
func (o *waitClock) sets() [6]*index.Bits {
	return [...]*index.Bits{&o.ready, &o.plain, &o.foreseen, &o.refused, &o.launched, &o.skipped}
}

// add makes room for a new job.
func (o *waitClock) add(job int32) {
	o.until, o.left = roomFor(o.until, job), roomFor(o.left, job)
	for _, set := range o.sets() {
		set.Widen(job)
		set.Clear(job)
	}
}

// wait is how long a job has waited, as credited since its last launch.
func (o *waitClock) wait(job int32) time.Duration { return o.until[job] - o.left[job] }

// setWait says how long a job has waited, and up to which wait it is known what it answers.
func (o *waitClock) setWait(job int32, wait, until time.Duration) {
	o.until[job], o.left[job] = until, until-wait
	o.foreseen.Put(job, wait < until)
}

// took keeps what a former clock has credited, and nothing of the offers before.
func (o *waitClock) took(old *waitClock) {
	o.until, o.left, o.ready, o.plain = old.until, old.left, old.ready, old.plain
	for i := range o.left {
		o.until[i], o.left[i] = 0, -old.wait(int32(i))
	}
	for _, set := range []*index.Bits{&o.foreseen, &o.refused, &o.launched, &o.skipped} {
		*set = make(index.Bits, len(o.ready))
	}
}

// changed tells how a job stands.
func (o *waitClock) changed(job int32, ready, plain bool) {
	o.ready.Put(job, ready)
	o.plain.Put(job, plain)
}

// foresee says up to which wait it is known what a job answers, 0 for not at all.
func (o *waitClock) foresee(job int32, until time.Duration) {
	o.setWait(job, o.wait(job), until)
}

// begin credits the jobs passed over at the last heartbeat with an offer.
func (o *waitClock) begin() {
	if o.open {
		return
	}
	o.open = true
	passed, left := o.c.now-o.last, o.left
	for i, word := range o.skipped {
		o.skipped[i] = 0
		for ; word != 0; word &= word - 1 {
			job := i<<6 + bits.TrailingZeros64(word)
			if left[job] -= passed; left[job] <= 0 {
				o.foreseen.Clear(int32(job))
			}
		}
	}
	o.last = o.c.now
}

// refuse notes a job that was offered a slot and refused it.
func (o *waitClock) refuse(job int32) { o.refused.Set(job) }

// launch notes a job that has launched a task, be it in a heartbeat that offers nothing or between two.
func (o *waitClock) launch(job int32) {
	o.ofThisBeat()
	o.launched.Set(job)
}

// ofThisBeat forgets launches of earlier heartbeats.
func (o *waitClock) ofThisBeat() {
	if o.launches != o.c.beat {
		clear(o.launched)
		o.launches = o.c.beat
	}
}

// restart begins the wait of a job anew.
func (o *waitClock) restart(job int32) {
	o.setWait(job, 0, 0)
	o.skipped.Clear(job)
}

// end marks as passed over the jobs that refused a slot and launched nothing in this heartbeat.
func (o *waitClock) end() {
	if !o.open {
		return
	}
	o.open = false
	o.ofThisBeat()
	for i, word := range o.refused {
		o.skipped[i] |= word &^ o.launched[i] & o.ready[i]
		o.refused[i], o.launched[i] = 0, 0
	}
}
