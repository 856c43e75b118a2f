package worker

import (
	"fmt"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// Progress counts the tasks of a job that runs on an engine.
type Progress struct {
	Maps, Reduces TaskCounts
	Tracking      string // URL of the job at its engine; empty: unknown
}

// TaskCounts counts tasks by state, and failed attempts.
type TaskCounts struct{ All, Done, Running, Failed int }

// String returns the progress as text, such as "maps 3 of 4 (1 running), reduces 0 of 2".
func (p Progress) String() string {
	text := fmt.Sprintf("maps %v, reduces %v", p.Maps, p.Reduces)
	if p.Tracking != "" {
		text += ", " + p.Tracking
	}
	return text
}

// String returns the counts as text, such as "3 of 4 (1 running), 2 failed".
func (c TaskCounts) String() string {
	text := fmt.Sprintf("%d of %d", c.Done, c.All)
	if c.Running > 0 {
		text += fmt.Sprintf(" (%d running)", c.Running)
	}
	if c.Failed > 0 {
		text += fmt.Sprintf(", %d failed", c.Failed)
	}
	return text
}

// of returns the counts of a kind of task.
func (p *Progress) of(kind cluster.TaskKind) *TaskCounts {
	if kind == cluster.ReduceKind {
		return &p.Reduces
	}
	return &p.Maps
}

// progress returns the progress of the job according to its notes.
func (j *job) progress(list []readNote) Progress {
	p := Progress{Maps: TaskCounts{All: len(j.layout.Splits)}, Reduces: TaskCounts{All: j.layout.Reduces}, Tracking: j.tracking.Load().(string)}
	for _, n := range list {
		switch {
		case n.running():
			p.of(n.ID.Kind).Running++
		case n.Error != "":
			p.of(n.ID.Kind).Failed++
		}
	}
	for id := range winners(list) {
		p.of(id.Kind).Done++
	}
	return p
}
