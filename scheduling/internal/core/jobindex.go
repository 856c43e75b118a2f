package core

import "github.com/tarry-mr/tarry/scheduling/internal/model"

// acquireIndex sets j.Index, a small number that no other active job has; ended jobs free theirs.
// Policies keep their records of jobs in slices by this index.
func (c *Core) acquireIndex(j *Job) {
	if k := len(c.vacant) - 1; k >= 0 {
		j.Index, c.vacant = c.vacant[k], c.vacant[:k]
	} else {
		j.Index = c.Indexes
		c.Indexes++
		for l := range c.near {
			c.near[l].Widen(j.Index)
		}
	}
}

// releaseIndex frees the index of a job that has ended or was refused.
func (c *Core) releaseIndex(j *Job) {
	for l := range j.ByPlace.Levels {
		j.ByPlace.Levels[l].Leave()
	}
	j.Outputs = nil
	if c.Config.Explain {
		c.told.Remove(j)
	}
	c.vacant = append(c.vacant, j.Index)
}

// Job returns a job by its ID, nil if it never existed or is forgotten.
func (c *Core) Job(id model.JobID) *Job { return c.Jobs[id] }

// retire adds an ended job to the history and forgets the oldest one beyond Config.History.
func (c *Core) retire(j *Job) {
	if c.Config.History < 0 {
		return
	}
	c.past = append(c.past, j.ID)
	if len(c.past) > c.Config.History {
		delete(c.Jobs, c.past[0])
		c.past = c.past[1:]
	}
}
