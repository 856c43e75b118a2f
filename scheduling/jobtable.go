package scheduling

// jobTable finds jobs by id. It grows by pages, and gives a page back once all its jobs are
// forgotten: a thousand jobs a second leave 8 bytes a second behind.
type jobTable struct {
	pages []*jobPage
	n     int // jobs ever put in; their ids are 1 to n
}

// pageJobs is the number of jobs on a page.
const pageJobs = 1024

type jobPage struct {
	jobs [pageJobs]*job
	left int // not forgotten, those still to come included
}

// add puts in a job, whose id must be n+1.
func (t *jobTable) add(j *job) {
	if t.n%pageJobs == 0 {
		t.pages = append(t.pages, &jobPage{left: pageJobs})
	}
	t.pages[t.n/pageJobs].jobs[t.n%pageJobs] = j
	t.n++
}

// get returns the job of that id, nil if there was none or it is forgotten.
func (t *jobTable) get(id JobID) *job {
	i := int(id) - 1
	if i < 0 || i >= t.n || t.pages[i/pageJobs] == nil {
		return nil
	}
	return t.pages[i/pageJobs].jobs[i%pageJobs]
}

// remove forgets a job that get finds.
func (t *jobTable) remove(id JobID) {
	i := int(id) - 1
	p := t.pages[i/pageJobs]
	p.jobs[i%pageJobs] = nil
	if p.left--; p.left == 0 {
		t.pages[i/pageJobs] = nil
	}
}

// retire puts an ended job into the history and forgets the one that falls out of it.
func (c *Core) retire(j *job) {
	if c.cfg.History < 0 {
		return
	}
	c.past = append(c.past, j.id)
	if len(c.past) > c.cfg.History {
		c.jobs.remove(c.past[0])
		c.past = c.past[1:]
	}
}
