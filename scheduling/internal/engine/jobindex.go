package engine

// acquireIndex gives a new job a dense index: a number as small as the jobs that have not ended
// allow. What policies keep of jobs stands in lists by it.
func (c *Core) acquireIndex(j *job) {
	if k := len(c.vacant) - 1; k >= 0 {
		j.index, c.vacant = c.vacant[k], c.vacant[:k]
	} else {
		j.index = int32(len(c.byIndex))
		c.byIndex = append(c.byIndex, nil)
		c.outputs = append(c.outputs, nil)
		for k := range c.refusals {
			c.refusals[k] = append(c.refusals[k], 0)
		}
		for l := range c.near {
			c.near[l].Widen(j.index)
		}
	}
	c.byIndex[j.index] = j
}

// releaseIndex takes the index of a job that has ended, or was refused.
func (c *Core) releaseIndex(j *job) {
	for l := range j.byPlace.levels {
		j.byPlace.levels[l].Leave()
	}
	c.byIndex[j.index], c.outputs[j.index] = nil, nil
	c.vacant = append(c.vacant, j.index)
}

// job finds a job by its id, nil if there was none or it is forgotten.
func (c *Core) job(id JobID) *job { return c.jobs.Get(int(id) - 1) }

// retire puts an ended job into the history and forgets the one that falls out of it.
func (c *Core) retire(j *job) {
	if c.cfg.History < 0 {
		return
	}
	c.past = append(c.past, j.id)
	if len(c.past) > c.cfg.History {
		c.jobs.Remove(int(c.past[0]) - 1)
		c.past = c.past[1:]
	}
}
