package actors

import (
	"time"

	"github.com/tarry-mr/tarry/scheduling"
)

// Progress is a snapshot of a job.
type Progress struct {
	State   scheduling.JobState // JobRunning until it has ended
	Elapsed time.Duration       // since Submit, or from Submit to the end

	// Fractions 0 to 1 of all maps and of all reduces. A map counts by the bytes it has
	// read; a reduce by a third for its shuffle and the rest when it is done.
	MapFraction    float64
	ReduceFraction float64

	Maps    TaskCounts
	Reduces TaskCounts

	Records    int64 // input records read; 0 if they are chunks
	Bytes      int64 // input bytes read, of InputBytes
	InputBytes int64 // 0 if unknown
	Shuffled   int64 // bytes taken by reduces
	Spilled    int64 // bytes written to spill files

	// Launched maps by locality: beside their data, in its rack, elsewhere, and those
	// whose input has no place.
	NodeLocal, RackLocal, OffRack, AnyPlace int
}

// TaskCounts counts the tasks, and attempts, of one kind.
type TaskCounts struct {
	Total   int
	Done    int
	Running int // attempts launched and not ended, suspended ones included
	Failed  int // attempts
	Killed  int // attempts
}

// Progress takes a snapshot.
func (h *JobHandle) Progress() Progress {
	r := h.run
	r.mu.Lock()
	defer r.mu.Unlock()
	t := &r.tally
	p := Progress{
		State: scheduling.JobRunning, Elapsed: r.env.now() - r.submitted, InputBytes: r.inputBytes,
		Maps:      t.counts(scheduling.Map, len(r.splits)),
		Reduces:   t.counts(scheduling.Reduce, r.plan.Reduces()),
		NodeLocal: t.locality[0], RackLocal: t.locality[1], OffRack: t.locality[2], AnyPlace: t.locality[3],
	}
	sums := t.totals
	parts := [2]float64{float64(p.Maps.Done), float64(p.Reduces.Done)}
	for a := range r.live {
		sums.add(a.totals())
		parts[a.id.Task.Kind] += a.done()
	}
	if p.Maps.Total > 0 {
		p.MapFraction = min(parts[0]/float64(p.Maps.Total), 1)
	}
	if p.Reduces.Total > 0 {
		p.ReduceFraction = min(parts[1]/float64(p.Reduces.Total), 1)
	}
	p.Records, p.Bytes, p.Shuffled, p.Spilled = sums.Records, sums.Bytes, sums.Shuffled, sums.Spilled
	select {
	case <-r.done:
		p.State, p.Elapsed = r.result.State, r.result.Elapsed
	default:
	}
	return p
}

func (t *tally) counts(k scheduling.TaskKind, total int) TaskCounts {
	return TaskCounts{Total: total, Done: t.done[k], Running: t.active[k], Failed: t.failed[k], Killed: t.killed[k]}
}
