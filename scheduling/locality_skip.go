package scheduling

import (
	"time"

	"github.com/tarry-mr/tarry/scheduling/delaymath"
	"github.com/tarry-mr/tarry/scheduling/internal/index"
)

// skipCount refuses a number of slot offers per level [Zaharia10 Algorithm 2; two levels: §3.6]. A
// launch at some level starts the counts of that level and the wider ones anew; a launch that is
// not local leaves the node count alone.
type skipCount struct {
	greedy
	limits []int   // nil: each job has its own
	of     []skips // by index of the job
}

// skips is what skipCount keeps of a job.
type skips struct {
	refused [maxLevels]int32 // offers since the last launch at the level or nearer
	plain   bool             // has maps to launch, and only the presence of its data decides about a slot
	own     int              // its limit at a cluster of so many nodes, if limits is nil
	nodes   int
}

// autoLocality is the part of a job's maps that shall run on their data under Auto.
const autoLocality = 0.95

// limit is how many offers j lets pass at level l.
func (s *skipCount) limit(j *job, l int) int {
	if s.limits != nil {
		return s.limits[l]
	}
	of := s.at(j)
	if of.nodes != s.c.live {
		of.nodes = s.c.live
		of.own = max(0, delaymath.Skips(autoLocality, j.spec.Maps, max(1, s.c.live), j.replicas()))
	}
	return of.own
}

// levels is how many levels have a limit.
func (s *skipCount) levels() int {
	if s.limits != nil {
		return len(s.limits)
	}
	return 1
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
	for l < s.levels() && int(of.refused[l]) >= s.limit(j, l) {
		l++
	}
	return l
}

func (s *skipCount) allowed(j *job, _ *node) Locality {
	l := s.level(j)
	if l == s.levels() || !j.located {
		return s.c.far
	}
	return Locality(l)
}

func (s *skipCount) next(l *jobList, at *index.Cursor, n *node) (int32, bool) {
	local := s.c.near[0].Row(int32(n.id))
	for {
		job, ok := l.Next(at)
		if !ok {
			return 0, false
		}
		of := &s.of[job]
		if !of.plain || s.levels() == 0 || local.Has(job) || int(of.refused[0]) >= s.limit(s.c.byIndex[job], 0) {
			return job, true
		}
		of.refused[0]++
	}
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
