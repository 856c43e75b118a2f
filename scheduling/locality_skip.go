package scheduling

import "time"

// skipCount refuses a number of slot offers per level [Zaharia10 Algorithm 2; two levels: §3.6]. A
// launch at some level starts the counts of that level and the wider ones anew; a launch that is
// not local leaves the node count alone.
type skipCount struct {
	c      *Core
	limits []int
}

func (s *skipCount) begin() {}
func (s *skipCount) end()   {}

// skipped is the number of offers that j refused at level l.
func (j *job) skipped(l int) *int32 {
	if l == 0 {
		return &j.wait[Map].skips
	}
	return &j.skips[l]
}

// refusals is the number of offers that j refused at all levels.
func (j *job) refusals() (n int) {
	for l := range maxLevels {
		n += int(*j.skipped(l))
	}
	return n
}

// level is the number of levels whose count is used up.
func (s *skipCount) level(j *job) int {
	l := 0
	for l < len(s.limits) && int(*j.skipped(l)) >= s.limits[l] {
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

func (s *skipCount) passes(w *waitState, n *node) bool {
	if len(s.limits) == 0 || int(w.skips) >= s.limits[0] || s.c.near[0].has(int32(n.id), w.seat) {
		return false
	}
	w.skips++
	return true
}

func (s *skipCount) refused(j *job) { *j.skipped(s.level(j))++ }

func (s *skipCount) launched(j *job, l Locality) {
	if l >= 0 {
		for ; l < maxLevels; l++ {
			*j.skipped(int(l)) = 0
		}
	}
}

func (s *skipCount) why(j *job, l Locality) Reason {
	r := greedy{}.why(j, l)
	if r.Cause == CauseGreedy {
		r = Reason{Cause: CauseWaited, Count: int32(j.refusals())}
	}
	return r
}

func (s *skipCount) waiting(j *job) (Reason, time.Duration) {
	return Reason{Cause: CauseWaiting, Count: int32(j.refusals())}, 0
}
