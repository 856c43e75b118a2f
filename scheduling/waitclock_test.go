package scheduling

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A refusal is credited unless the job launched a task in the same heartbeat; what it launched in one
// before, which offered nothing, does not count.
func TestLaunchesBeforeARefusal(t *testing.T) {
	for beat, want := range map[uint64]time.Duration{1: time.Second, 2: 0} {
		c := &Core{beat: beat}
		o := &waitClock{c: c}
		o.add(0)
		o.changed(0, true, true)
		o.launch(0)
		c.beat = 2
		o.begin()
		o.refuse(0)
		o.end()
		c.beat, c.now = 3, time.Second
		o.begin()
		require.Equal(t, want, o.wait(0), "launched in heartbeat %d, refused in 2", beat)
	}
}

// The clock keeps what is left of each wait; the model counts waits.
func TestWaitClockAgainstCrediting(t *testing.T) {
	type model struct {
		wait, until                time.Duration
		foreseen, refused, started bool
		passed                     bool // over, at the last heartbeat with an offer
	}
	rapid.Check(t, func(t *rapid.T) {
		c := &Core{beat: 1}
		o, last := &waitClock{c: c}, time.Duration(0)
		jobs := make([]model, rapid.IntRange(1, 130).Draw(t, "jobs"))
		for i := range jobs {
			o.add(int32(i))
			o.changed(int32(i), true, true)
		}
		anyJob := rapid.IntRange(0, len(jobs)-1)
		for range rapid.IntRange(1, 60).Draw(t, "heartbeats") {
			c.beat, c.now = c.beat+1, c.now+time.Duration(rapid.IntRange(0, 3).Draw(t, "later"))
			if rapid.Bool().Draw(t, "offers") {
				o.begin()
				for i := range jobs {
					if m := &jobs[i]; m.passed {
						m.wait += c.now - last
						m.foreseen = m.foreseen && m.wait < m.until
						m.passed = false
					}
				}
				last = c.now
				for _, i := range rapid.SliceOfN(anyJob, 0, len(jobs)).Draw(t, "refuse") {
					o.refuse(int32(i))
					jobs[i].refused = true
				}
			}
			for _, i := range rapid.SliceOfN(anyJob, 0, 5).Draw(t, "foresee") {
				until := time.Duration(rapid.IntRange(0, 9).Draw(t, "until"))
				o.foresee(int32(i), until)
				jobs[i].until, jobs[i].foreseen = until, jobs[i].wait < until
			}
			for _, i := range rapid.SliceOfN(anyJob, 0, 3).Draw(t, "launch") {
				o.launch(int32(i))
				jobs[i].started = true
				if rapid.Bool().Draw(t, "restart") {
					o.restart(int32(i))
					m := &jobs[i]
					m.wait, m.until, m.foreseen, m.passed = 0, 0, false, false
				}
			}
			offered := o.open
			o.end()
			for i := range jobs {
				m := &jobs[i]
				if offered {
					m.passed = m.refused && !m.started
				}
				m.refused, m.started = false, false
				require.Equal(t, m.wait, o.wait(int32(i)))
				require.Equal(t, m.foreseen, o.foreseen.Has(int32(i)))
				require.Equal(t, m.passed, o.skipped.Has(int32(i)))
			}
		}
	})
}
