package scheduling

import "time"

// localityRule weighs waiting for a nearer node against launching a map here.
type localityRule interface {
	// begin opens a heartbeat's offers of map slots; called once, before the first offer.
	begin()
	// allowed is the farthest level at which a map of j may be launched now.
	allowed(j *job) Locality
	// refused tells that j, offered a slot, has maps to launch but none within the allowed level.
	refused(j *job)
	// launched tells the locality of a map launched.
	launched(j *job, l Locality)
	// why explains a launch at level l, before launched is told; waiting explains a refusal, with the time at which it ends (0: not by time).
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
		return &timedWait{c: c, clock: offerClock{c: c, kind: Map}, waits: p.Waits, auto: p.Auto, capped: p.Capped}
	case Greedy:
	}
	return greedy{c}
}

// greedy launches the nearest map at once [Hadoop].
type greedy struct{ c *Core }

func (greedy) begin()                               {}
func (g greedy) allowed(*job) Locality              { return g.c.far }
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

// waitState is what the locality and placement rules keep of each job, per kind.
type waitState struct {
	level    Locality      // of the job's last launch; starts at NodeLocal
	wait     time.Duration // credited since that launch
	skips    [maxLevels]int32
	skipped  bool   // passed over at the last offer of a slot
	refused  uint64 // heartbeat of the last refusal
	launched uint64 // heartbeat of the last launch
}

// maxLevels bounds the levels of locality: node, racks up to Config.RackDepth of 8, and beyond.
const maxLevels = 10

// skipCount refuses a number of slot offers per level [Zaharia10 Algorithm 2; two levels: §3.6]. A launch at some level starts the counts of
// that level and the wider ones anew; a launch that is not local leaves the node count alone.
type skipCount struct {
	c      *Core
	limits []int
}

func (s *skipCount) begin() {}
func (s *skipCount) end()   {}

// level is the number of levels whose count is used up.
func (s *skipCount) level(j *job) int {
	l := 0
	for l < len(s.limits) && int(j.wait[Map].skips[l]) >= s.limits[l] {
		l++
	}
	return l
}

func (s *skipCount) allowed(j *job) Locality {
	l := s.level(j)
	if l == len(s.limits) || !j.located {
		return s.c.far
	}
	return Locality(l)
}

func (s *skipCount) refused(j *job) { j.wait[Map].skips[s.level(j)]++ }

func (s *skipCount) launched(j *job, l Locality) {
	if l >= 0 {
		clear(j.wait[Map].skips[l:])
	}
}

func (s *skipCount) why(j *job, l Locality) Reason {
	r := greedy{}.why(j, l)
	if r.Cause == CauseGreedy {
		r = Reason{Cause: CauseWaited, Count: s.count(j)}
	}
	return r
}

func (s *skipCount) waiting(j *job) (Reason, time.Duration) {
	return Reason{Cause: CauseWaiting, Count: s.count(j)}, 0
}

func (s *skipCount) count(j *job) (n int32) {
	for _, k := range j.wait[Map].skips {
		n += k
	}
	return n
}
