package scheduling

import (
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/index"
)

// localityRule weighs waiting for a nearer node against launching a map here. What it keeps of a
// job lies with the rule, by the job's dense index.
type localityRule interface {
	// add makes room for a new job; remove tells that one has ended.
	add(j *job)
	remove(j *job)
	// waits tells whether jobs may wait under the rule at all; else changed is not called.
	waits() bool
	// changed tells whether a job has a map to launch and may (ready), and whether nothing but the
	// rule and the presence of its data decides whether it takes a slot (plain).
	changed(j *job, ready, plain bool)
	// begin opens a heartbeat's offers of map slots; called once, before the first offer.
	begin()
	// allowed is the farthest level at which a map of j may be launched on n now.
	allowed(j *job, n *node) Locality
	// pick is the map of j to launch on n now, given what allowed has answered, and how far it is
	// from its data; -1 if there is none.
	pick(j *job, n *node, allowed Locality) (int32, Locality)
	// next goes on in a list to the next job that must be asked about a slot on n, false at the
	// end. It passes over those that would refuse it, with all that refused does.
	next(l *jobList, at *index.Cursor, n *node) (job int32, ok bool)
	// stands tells that a refusal of j in this heartbeat still stands: asking again is in vain.
	stands(j *job) bool
	// refused tells that j, offered a slot, has maps to launch but none within the allowed level.
	refused(j *job)
	// launched tells the locality of a map launched.
	launched(j *job, l Locality)
	// why explains a launch at level l, before launched is told; waiting explains a refusal, with
	// the time at which it ends (0: not by time).
	why(j *job, l Locality) Reason
	waiting(j *job) (Reason, time.Duration)
	// end closes a heartbeat.
	end()
	// counts tells that each slot offered counts, so that even one that all refuse is offered.
	counts() bool
	// view is how j stands.
	view(j *job) LocalityView
	// took takes over the waits of a former rule of the same kind.
	took(former localityRule)
}

// newLocality makes the rule of p.
func newLocality(c *Core, p LocalityPolicy) (localityRule, error) {
	if p.Part != "" {
		return newAskedLocality(c, p.Part)
	}
	switch p.Rule {
	case SkipCount:
		s := &skipCount{greedy: greedy{c}, limits: p.Skips}
		if !p.Auto && s.limits == nil {
			s.limits = []int{}
		}
		return s, nil
	case TimedWait:
		return &timedWait{greedy: greedy{c}, clock: waitClock{c: c}, lengths: p.Waits, auto: p.Auto, capped: p.Capped}, nil
	case Greedy:
	}
	return greedy{c}, nil
}

// greedy launches the nearest map at once [Hadoop].
type greedy struct{ c *Core }

func (greedy) add(*job)                       {}
func (greedy) remove(*job)                    {}
func (greedy) waits() bool                    { return false }
func (greedy) changed(*job, bool, bool)       {}
func (greedy) begin()                         {}
func (g greedy) allowed(*job, *node) Locality { return g.c.far }
func (g greedy) pick(j *job, n *node, allowed Locality) (int32, Locality) {
	return g.c.pick(j, n, allowed)
}
func (greedy) next(l *jobList, at *index.Cursor, _ *node) (int32, bool) { return l.Next(at) }
func (greedy) stands(*job) bool                                         { return false }
func (greedy) refused(*job)                                             {}
func (greedy) launched(*job, Locality)                                  {}
func (greedy) end()                                                     {}
func (greedy) counts() bool                                             { return false }
func (greedy) waiting(*job) (Reason, time.Duration)                     { return Reason{}, 0 }
func (greedy) view(*job) LocalityView                                   { return LocalityView{} }
func (greedy) took(localityRule)                                        {}

func (greedy) why(_ *job, l Locality) Reason {
	switch l {
	case NodeLocal:
		return Reason{Cause: CauseLocal}
	case AnyPlace:
		return Reason{Cause: CauseNoLocation}
	case RackLocal, OffRack:
	}
	return Reason{Cause: CauseGreedy}
}

// maxLevels bounds the levels of locality: node, racks up to Config.RackDepth of 8, and beyond.
const maxLevels = 10
