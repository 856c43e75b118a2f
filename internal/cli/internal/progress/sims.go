package progress

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/tarry-mr/tarry/internal/cli/internal/words"
)

// Simulations gathers how far simulations are: so many runs of each scheduler. Its methods are safe
// for concurrent use.
type Simulations struct {
	names []string
	runs  int // of each scheduler

	mu   sync.Mutex
	jobs []int   // of each run; 0 until its workload is known
	done [][]int // jobs, by scheduler and run
	now  []time.Duration
}

// NewSimulations is the progress of so many runs of each of the named schedulers.
func NewSimulations(runs int, names ...string) *Simulations {
	s := &Simulations{
		names: names, runs: runs,
		jobs: make([]int, runs), done: make([][]int, len(names)), now: make([]time.Duration, len(names)),
	}
	for i := range s.done {
		s.done[i] = make([]int, runs)
	}
	return s
}

// Bars names the bars: a scheduler each.
func (s *Simulations) Bars() []string { return s.names }

// Expect says how many jobs a run has.
func (s *Simulations) Expect(run, jobs int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.jobs[run] = max(jobs, 1)
}

// Tell says how far a run of a scheduler is: at which simulated time, with how many jobs done.
func (s *Simulations) Tell(scheduler, run int, now time.Duration, done int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done[scheduler][run], s.now[scheduler] = done, now
}

// State is what a display shows.
func (s *Simulations) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	var p State
	var parts []string
	for i, name := range s.names {
		b := s.bar(i)
		p.Bars = append(p.Bars, b)
		parts = append(parts, fmt.Sprintf("%s %d%% (%s)", name, Percent(b.Part), b.Text))
	}
	p.Line = " " + strings.Join(parts, ", ")
	return p
}

// bar is one scheduler's.
func (s *Simulations) bar(i int) Bar {
	part, ended, jobs := 0.0, 0, 0
	for run, done := range s.done[i] {
		jobs += done
		if of := s.jobs[run]; of > 0 {
			part += float64(done) / float64(of) / float64(s.runs)
			if done == of {
				ended++
			}
		}
	}
	text := fmt.Sprintf("%d of %s", ended, words.Count(s.runs, "run"))
	if s.runs == 1 {
		text = fmt.Sprintf("%d of %s", jobs, words.Count(s.jobs[0], "job"))
	}
	return Bar{part, fmt.Sprintf("%s, %v simulated", text, s.now[i].Round(time.Second))}
}
