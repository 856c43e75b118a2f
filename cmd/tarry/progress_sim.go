package main

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// simProgress gathers how far simulations are: so many runs of each scheduler. Its methods are safe for concurrent use.
type simProgress struct {
	names []string
	runs  int // of each scheduler

	mu   sync.Mutex
	jobs []int   // of each run; 0 until its workload is known
	done [][]int // jobs, by scheduler and run
	now  []time.Duration
}

func newSimProgress(runs int, names ...string) *simProgress {
	s := &simProgress{names: names, runs: runs, jobs: make([]int, runs), done: make([][]int, len(names)), now: make([]time.Duration, len(names))}
	for i := range s.done {
		s.done[i] = make([]int, runs)
	}
	return s
}

// expect says how many jobs a run has.
func (s *simProgress) expect(run, jobs int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.jobs[run] = max(jobs, 1)
}

// tell says how far a run of a scheduler is: at which simulated time, with how many jobs done.
func (s *simProgress) tell(scheduler, run int, now time.Duration, done int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done[scheduler][run], s.now[scheduler] = done, now
}

// progress is what a display shows.
func (s *simProgress) progress() progress {
	s.mu.Lock()
	defer s.mu.Unlock()
	var p progress
	var parts []string
	for i, name := range s.names {
		b := s.bar(i)
		p.bars = append(p.bars, b)
		parts = append(parts, fmt.Sprintf("%s %d%% (%s)", name, percent(b.part), b.text))
	}
	p.line = " " + strings.Join(parts, ", ")
	return p
}

// bar is one scheduler's.
func (s *simProgress) bar(i int) bar {
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
	text := fmt.Sprintf("%d of %d runs", ended, s.runs)
	if s.runs == 1 {
		text = fmt.Sprintf("%d of %d jobs", jobs, s.jobs[0])
	}
	return bar{part, fmt.Sprintf("%s, %v simulated", text, s.now[i].Round(time.Second))}
}
