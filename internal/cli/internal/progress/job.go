package progress

import (
	"fmt"
	"sync"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
)

// OfJob describes a job's progress: percentages in Hadoop's form, then bytes, records, locality and
// spills.
func OfJob(p actors.Progress) string {
	text := fmt.Sprintf("map %d%% reduce %d%%, %s", percent(p.MapFraction), percent(p.ReduceFraction), humanize.Bytes(uint64(p.Bytes)))
	if p.InputBytes > 0 {
		text += " of " + humanize.Bytes(uint64(p.InputBytes))
	}
	if p.Records >= 10_000 {
		text += ", " + humanize.SIWithDigits(float64(p.Records), 1, " records")
	} else if p.Records > 0 {
		text += ", " + words.Count(p.Records, "record")
	}
	if launched := p.NodeLocal + p.RackLocal + p.OffRack; launched > 0 {
		text += fmt.Sprintf(", %d%% node-local", 100*p.NodeLocal/launched)
	}
	text += ", spilled " + humanize.Bytes(uint64(p.Spilled))
	maps, reduces := float64(p.Maps.Total), float64(p.Reduces.Total)
	done := (p.MapFraction*maps + p.ReduceFraction*reduces) / max(maps+reduces, 1)
	if done < 0.01 || done >= 1 || p.Elapsed < time.Second { // too early to tell, or over
		return text
	}
	left := time.Duration(float64(p.Elapsed) * (1 - done) / done).Round(time.Second)
	return text + fmt.Sprintf(", about %v left", left)
}

// Runs collects the progress of simulations. Its methods are safe for concurrent use.
type Runs struct {
	mu    sync.Mutex
	parts []float64 // done, of each run
	last  string    // what was told of a run last
}

// NewRuns returns the progress of n simulations.
func NewRuns(n int) *Runs { return &Runs{parts: make([]float64, n)} }

// Tell records the progress of a simulation: the simulated time and the number of finished jobs.
func (r *Runs) Tell(run int, now time.Duration, done, jobs int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.parts[run] = float64(done) / float64(max(jobs, 1))
	r.last = fmt.Sprintf("%d of %s, %v simulated", done, words.Count(jobs, "job"), now.Round(time.Second))
}

// Line describes the progress of all simulations; for several, the number of finished ones.
func (r *Runs) Line() string {
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
	return Part("simulated", sum/float64(len(r.parts)), text)
}
