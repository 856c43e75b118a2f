package scheduling

// presence tells, for each group of one level of the network and each job, whether the job may have
// a pending map with a replica in the group: a bit a job, known by its seat, and a row a group. An
// offer that many jobs refuse reads one row from front to back.
type presence struct {
	stride int // words of a row
	bits   []uint64
}

// has tells whether the job may have a pending map in the group.
func (p *presence) has(group, seat int32) bool {
	i := int(group)*p.stride + int(seat>>6)
	return i < len(p.bits) && p.bits[i]&(1<<(seat&63)) != 0
}

// row is the words of a group, none if nothing was set.
func (p *presence) row(group int32) []uint64 {
	if end := (int(group) + 1) * p.stride; end <= len(p.bits) {
		return p.bits[end-p.stride : end]
	}
	return nil
}

// set notes that it may.
func (p *presence) set(group, seat int32) {
	if need := (int(group)+1)*p.stride - len(p.bits); need > 0 {
		p.bits = append(p.bits, make([]uint64, need)...)
	}
	p.bits[int(group)*p.stride+int(seat>>6)] |= 1 << (seat & 63)
}

// clear notes that it has none.
func (p *presence) clear(group, seat int32) {
	if i := int(group)*p.stride + int(seat>>6); i < len(p.bits) {
		p.bits[i] &^= 1 << (seat & 63)
	}
}

// widen makes room for a seat. The rows stay as wide as the most jobs at a time have needed.
func (p *presence) widen(seat int32) {
	if int(seat) < 64*p.stride {
		return
	}
	old, was := p.bits, p.stride
	p.stride = max(1, 2*was)
	p.bits = nil
	if was > 0 {
		p.bits = make([]uint64, len(old)/was*p.stride)
		for g := range len(old) / was {
			copy(p.bits[g*p.stride:], old[g*was:(g+1)*was])
		}
	}
}

// sit gives a new job a seat: a number as small as the jobs that have not ended allow.
func (c *Core) sit(j *job) {
	if k := len(c.vacant) - 1; k >= 0 {
		j.seat, c.vacant = c.vacant[k], c.vacant[:k]
	} else {
		j.seat = c.seats
		c.seats++
		c.seated = append(c.seated, nil)
		for l := range c.centers {
			c.centers[l].widen(j.seat)
		}
		for l := range c.near {
			c.near[l].widen(j.seat)
		}
	}
	c.seated[j.seat] = j
	for k := range j.wait {
		if len(c.waits[k]) == 0 {
			c.waits[k] = make([]waitState, 64)
		}
		j.wait[k], c.waits[k] = &c.waits[k][0], c.waits[k][1:]
		j.wait[k].seat = j.seat
	}
}

// rise takes the seat of a job that has ended.
func (c *Core) rise(j *job) {
	for l := range j.index.levels {
		j.index.levels[l].leave()
	}
	for l := range j.marked {
		for _, group := range j.marked[l] {
			c.centers[l].clear(group, j.seat)
		}
		j.marked[l] = nil
	}
	c.seated[j.seat] = nil
	c.vacant = append(c.vacant, j.seat)
}
