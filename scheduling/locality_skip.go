package scheduling

import "time"

// skipCount refuses a number of slot offers per level [Zaharia10 Algorithm 2; two levels: §3.6]. A
// launch at some level starts the counts of that level and the wider ones anew; a launch that is
// not local leaves the node count alone.
type skipCount struct {
	greedy
	limits []int
	of     []skips // by index of the job
}

// skips is what skipCount keeps of a job.
type skips struct {
	refused [maxLevels]int32 // offers since the last launch at the level or nearer
	plain   bool             // has maps to launch, and only the presence of its data decides about a slot
}

// sum is the number of offers refused at all levels.
func (s *skips) sum() (n int32) {
	for _, r := range s.refused {
		n += r
	}
	return n
}

func (s *skipCount) at(j *job) *skips { return &s.of[j.index] }

func (s *skipCount) add(j *job)                    { s.of = roomFor(s.of, j.index) }
func (s *skipCount) changed(j *job, _, plain bool) { s.at(j).plain = plain }
func (s *skipCount) waits() bool                   { return true }
func (s *skipCount) counts() bool                  { return true }

// level is the number of levels whose count is used up.
func (s *skipCount) level(j *job) int {
	of, l := s.at(j), 0
	for l < len(s.limits) && int(of.refused[l]) >= s.limits[l] {
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

func (s *skipCount) passOver(job int32, n *node) bool {
	of := &s.of[job]
	if !of.plain || len(s.limits) == 0 || int(of.refused[0]) >= s.limits[0] || s.c.near[0].Has(int32(n.id), job) {
		return false
	}
	of.refused[0]++
	return true
}

func (s *skipCount) refused(j *job) { s.at(j).refused[s.level(j)]++ }

func (s *skipCount) launched(j *job, l Locality) {
	if l >= 0 {
		clear(s.at(j).refused[l:])
	}
}

func (s *skipCount) why(j *job, l Locality) Reason {
	r := s.greedy.why(j, l)
	if r.Cause == CauseGreedy {
		r = Reason{Cause: CauseWaited, Count: s.at(j).sum()}
	}
	return r
}

func (s *skipCount) waiting(j *job) (Reason, time.Duration) {
	return Reason{Cause: CauseWaiting, Count: s.at(j).sum()}, 0
}

func (s *skipCount) view(j *job) LocalityView { return LocalityView{Skips: int(s.at(j).sum())} }

func (s *skipCount) took(former localityRule) {
	if old, ok := former.(*skipCount); ok {
		s.of = old.of
	}
}
