package progress

import (
	"fmt"
	"sync"
	"time"

	"github.com/tarry-mr/tarry/internal/cli/internal/words"
)

// Runs gathers how far simulations are. Its methods are safe for concurrent use.
type Runs struct {
	mu    sync.Mutex
	parts []float64 // done, of each run
	last  string    // what was told of a run last
}

// NewRuns is the progress of so many runs.
func NewRuns(n int) *Runs { return &Runs{parts: make([]float64, n)} }

// Tell says how far a run is: at which simulated time, with how many of its jobs done.
func (r *Runs) Tell(run int, now time.Duration, done, jobs int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.parts[run] = float64(done) / float64(max(jobs, 1))
	r.last = fmt.Sprintf("%d of %s, %v simulated", done, words.Count(jobs, "job"), now.Round(time.Second))
}

// End says that a run is done.
func (r *Runs) End(run int) { r.Tell(run, 0, 1, 1) }

// State is what a display shows, in one bar: of several runs how many have ended.
func (r *Runs) State() State {
	r.mu.Lock()
	defer r.mu.Unlock()
	sum, ended := 0.0, 0
	for _, part := range r.parts {
		if sum += part; part == 1 {
			ended++
		}
	}
	text := fmt.Sprintf("%d of %s", ended, words.Count(len(r.parts), "run"))
	if len(r.parts) == 1 {
		text = r.last
	}
	return One("simulated", sum/float64(len(r.parts)), text)
}
