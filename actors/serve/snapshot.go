package serve

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/tarry-mr/tarry/internal/clusterstate"
	"github.com/tarry-mr/tarry/scheduling"
)

// counts is an event that only a snapshot contains: what became of a job's tasks or, with job 0,
// where the maps of all jobs ran, before the first event that is sent individually. It excludes
// running attempts, because the snapshot contains their launch events.
type counts struct {
	Type   string                     `json:"type"`
	At     int64                      `json:"at"`
	Node   int                        `json:"node"`
	Job    scheduling.JobID           `json:"job,omitempty"`
	Done   [2]int64                   `json:"done"`
	Failed int64                      `json:"failed"`
	Killed int64                      `json:"killed"`
	Near   [clusterstate.Places]int64 `json:"near"`
}

// snapshot returns the state before the ring's oldest event, and the number of that event: the
// dropped events that still hold, in order, and the counts of each job and of all jobs.
func (b *broker) snapshot() (holding []*line, sums []counts, oldest uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	holding = slices.SortedFunc(b.droppedState.Holding(), func(x, y *line) int { return cmp.Compare(x.number, y.number) })
	all := counts{Type: "counts", Node: -1, Near: b.droppedState.Near}
	for j := range b.droppedState.Jobs() {
		one := counts{Type: "counts", Node: -1, Job: j.ID, Done: j.Done, Failed: j.Failed, Killed: j.Killed, Near: j.Near}
		for place, n := range j.Running() {
			one.Near[place] -= n
			all.Near[place] -= n
		}
		sums = append(sums, one)
	}
	return holding, append(sums, all), max(b.next, uint64(len(b.ring))+1) - uint64(len(b.ring))
}

// writeSnapshot sends the state before the oldest event in the ring and returns that event's
// number. Its first event makes a reader discard all earlier ones.
func (s *Server) writeSnapshot(out *bufio.Writer) (next uint64) {
	holding, sums, oldest := s.events.snapshot()
	_, _ = fmt.Fprintf(out, "event: missed\ndata: {\"missed\":%d}\n\n", oldest-1)
	for _, l := range holding {
		_, _ = fmt.Fprintf(out, "event: %s\ndata: %s\n\n", l.change.Type, l.text(s.boot))
	}
	for i := range sums {
		text, _ := json.Marshal(&sums[i]) // numbers cannot fail
		_, _ = fmt.Fprintf(out, "event: counts\ndata: %s\n\n", text)
	}
	return oldest
}
