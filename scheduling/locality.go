package scheduling

import "time"

// localityRule weighs waiting for a nearer node against launching a map here.
type localityRule interface {
	// begin opens a heartbeat's offers of map slots; called once, before the first offer.
	begin()
	// allowed is the farthest level at which a map of j may be launched now.
	allowed(j *job) Locality
	// passes tells that a job would refuse a slot on n, and does what refused does; false says that
	// the job must be asked. The job is plain.
	passes(w *waitState, n *node) bool
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
}

// newLocality makes the rule of p.
func newLocality(c *Core, p LocalityPolicy) localityRule {
	switch p.Rule {
	case SkipCount:
		return &skipCount{c: c, limits: p.Skips}
	case TimedWait:
		return &timedWait{c: c, clock: offerClock{c: c}, waits: p.Waits, auto: p.Auto, capped: p.Capped}
	case Greedy:
	}
	return greedy{c}
}

// greedy launches the nearest map at once [Hadoop].
type greedy struct{ c *Core }

func (greedy) begin()                               {}
func (g greedy) allowed(*job) Locality              { return g.c.far }
func (greedy) passes(*waitState, *node) bool        { return false }
func (greedy) refused(*job)                         {}
func (greedy) launched(*job, Locality)              {}
func (greedy) end()                                 {}
func (greedy) waiting(*job) (Reason, time.Duration) { return Reason{}, 0 }
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
