package allocation

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tarry-mr/tarry/scheduling"
)

// capacityError is the tolerance of sums of percentages.
const capacityError = 1e-9

// build puts the queues together and checks how they fit.
func (p *queueParser) build() Queues {
	p.declared()
	p.readDefaults()
	var out Queues
	if p.enabled != nil {
		if text, ok := p.enabled.text(&p.faults); ok {
			out.Access.Enabled, _ = boolean(&p.faults, p.enabled.line, p.enabled.name, text)
		}
	}
	if p.admins != nil {
		out.Access.Admins = p.admins.list(&p.faults, p.admins.name)
	}
	if len(p.queues) == 0 && len(p.errs) == 0 {
		p.queue(defaultPool, 0).implied = false
	}
	var roots []*queueNode
	for _, q := range p.queues {
		if q.parent == nil {
			roots = append(roots, q)
		}
		if q.implied {
			p.file = q.file
			p.add(q.line, "queue %s is the parent of others but is not configured itself", q.name)
		}
	}
	p.level(&out, roots, false, 100)
	return out
}

// declared heeds mapred.queue.names: it makes queues without settings and refuses those that it
// leaves out.
func (p *queueParser) declared() {
	if p.names == nil {
		return
	}
	text, ok := p.names.text(&p.faults)
	if !ok {
		return
	}
	rank := map[string]int{} // where the list first speaks of a queue or of one in it
	named := map[string]bool{}
	for i, name := range strings.Split(text, ",") {
		name = strings.TrimSpace(name)
		if named[name] {
			p.add(p.names.line, "%s names queue %q twice", p.names.name, shorten(name))
			continue
		}
		named[name] = true
		q := p.queue(name, p.names.line)
		if q != nil {
			q.implied = false
		}
		for ; q != nil; q = q.parent {
			if _, known := rank[q.name]; !known {
				rank[q.name] = i
			}
		}
	}
	for _, q := range p.queues {
		if _, known := rank[q.name]; !known {
			p.file = q.file
			p.add(q.line, "queue %s is not among %s on line %d", q.name, p.names.name, p.names.line)
		}
	}
	order := func(a, b *queueNode) int { return rank[a.name] - rank[b.name] }
	slices.SortStableFunc(p.queues, order)
	for _, q := range p.queues {
		slices.SortStableFunc(q.children, order)
	}
}

// level adds the queues of one parent, which has whole per cent of all slots, and then each one's
// own, and checks that they fit.
func (p *queueParser) level(out *Queues, queues []*queueNode, stopped bool, whole float64) {
	sum, open := 0.0, 0
	configs := make([]scheduling.QueueConfig, len(queues))
	for i, q := range queues {
		configs[i] = p.config(q)
		if find(q.settings, keyCapacity) == nil {
			open++
		}
		sum += configs[i].Capacity
	}
	if sum > 100+capacityError {
		last := queues[len(queues)-1]
		p.file = last.file
		p.add(last.line, "the capacities of %s add up to %s %%, more than 100", p.siblings(last), percent(sum))
	} else {
		p.leftover(queues, configs, (100-sum)/float64(max(open, 1)))
	}
	for i, q := range queues {
		part := configs[i].Capacity
		if part == 0 {
			part = max(0, 100-sum) / float64(max(open, 1))
		}
		part *= whole / 100
		if len(q.children) == 0 {
			p.limits(q, &configs[i], part)
		}
		out.Configs = append(out.Configs, configs[i])
		halted := p.access(out, q, stopped)
		p.level(out, q.children, halted, part)
	}
}

// The numbers of Hadoop 1 for files that set one of the two.
const (
	systemJobs = 3000
	acceptJobs = 10
)

// limits gives a leaf queue its part of the jobs of the system, if the files limit them: so many
// are initialized, and so many times as many accepted.
func (p *queueParser) limits(q *queueNode, c *scheduling.QueueConfig, percent float64) {
	accept := p.accept
	if s := find(q.settings, keyAccept); s != nil {
		if text, ok := s.text(&p.faults); ok {
			accept, _ = count(&p.faults, s.line, "queue "+q.name+": "+keyAccept, text, 1)
		}
	}
	if accept == 0 && p.system == 0 {
		return
	}
	system := cmp.Or(p.system, systemJobs)
	c.InitLimit = max(1, int(math.Ceil(float64(system)*percent/100-capacityError)))
	c.JobLimit = int(min(int64(c.InitLimit)*int64(cmp.Or(accept, acceptJobs)), scheduling.NoLimit))
}

// siblings describes the queues beside q for a message.
func (p *queueParser) siblings(q *queueNode) string {
	if q.parent == nil {
		return "the topmost queues"
	}
	return "the queues in " + q.parent.name
}

// leftover checks the queues without a capacity of their own, which get equal parts of what their
// siblings leave.
func (p *queueParser) leftover(queues []*queueNode, configs []scheduling.QueueConfig, part float64) {
	for i, q := range queues {
		p.file = q.file
		switch most := configs[i].Max; {
		case find(q.settings, keyCapacity) != nil:
		case part <= capacityError:
			p.add(q.line, "queue %s has no capacity of its own, and its siblings leave nothing", q.name)
		case most > 0 && part > most+capacityError:
			p.add(q.line, "queue %s: the %s %% left for it are above its %s of %s %%", q.name, percent(part), keyMax, percent(most))
		}
	}
}

// percent writes a percentage for messages.
func percent(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// config reads the settings of one queue.
func (p *queueParser) config(q *queueNode) scheduling.QueueConfig {
	c := scheduling.QueueConfig{Name: q.name}
	if q.parent != nil {
		c.Parent = q.parent.name
	}
	if len(q.children) == 0 {
		c.Priorities, c.UserLimit, c.InitJobs, c.UserFactor = p.defaults.Priorities, p.defaults.UserLimit, p.defaults.InitJobs, p.defaults.UserFactor
	}
	for _, key := range []string{keyCapacity, keyMax, keyPriorities, keyUserLimit, keyInitJobs, keyUserFactor, keyTasks, keyUserTasks} {
		s := find(q.settings, key)
		if s == nil {
			continue
		}
		if key != keyCapacity && key != keyMax && len(q.children) > 0 {
			p.file = s.file
			p.warn(s.line, "queue %s: %s has no effect: jobs are in the queues within it", q.name, key)
		}
		p.set(&c, key, "queue "+q.name+": "+key, s)
	}
	return c
}

// readDefaults reads the settings of leaf queues that have none of their own.
func (p *queueParser) readDefaults() {
	for _, key := range []string{keyPriorities, keyUserLimit, keyInitJobs, keyUserFactor} {
		if s := p.props.byName[prefixDefaults+key]; s != nil {
			p.set(&p.defaults, key, s.name, s)
		}
	}
	for name, to := range map[string]*int{prefixDefaults + keyAccept: &p.accept, propertySystemJobs: &p.system} {
		if s := p.props.byName[name]; s != nil {
			if text, ok := s.text(&p.faults); ok {
				*to, _ = count(&p.faults, s.line, s.name, text, 1)
			}
		}
	}
}

// set gives one setting to c; what names it in messages.
func (p *queueParser) set(c *scheduling.QueueConfig, key, what string, s *property) {
	f := &p.faults
	text, ok := s.text(f)
	if !ok {
		return
	}
	switch key {
	case keyCapacity:
		c.Capacity = max(p.percentage(s, what, text), capacityError) // not 0, which means "not given"
	case keyMax:
		if text != "-1" {
			c.Max = p.percentage(s, what, text)
		}
		if c.Max > 0 && c.Max < c.Capacity {
			f.add(s.line, "%s: %s %% are below the capacity of %s %%", what, percent(c.Max), percent(c.Capacity))
		}
	case keyPriorities:
		c.Priorities, _ = boolean(f, s.line, what, text)
	case keyUserFactor:
		c.UserFactor = weight(f, s.line, what, text)
	case keyTasks, keyUserTasks:
		p.tasks(s, what)
	case keyInitJobs:
		c.InitJobs, _ = count(f, s.line, what, text, 1)
	case keyUserLimit:
		if c.UserLimit, ok = count(f, s.line, what, text, 1); ok && c.UserLimit > 100 {
			f.add(s.line, "%s: %d %% are more than 100", what, c.UserLimit)
		}
	}
}

// percentage reads a percentage above 0, or notes why not and returns 0.
func (p *queueParser) percentage(s *property, what, text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || x != x:
		p.add(s.line, "%s: %q is not a number", what, shorten(text))
	case x < 0:
		p.add(s.line, "%s: %s is negative", what, percent(x))
	case x == 0:
		p.add(s.line, "%s: 0 would give nothing; leave it out for an equal part of what is left, or for no maximum", what)
	case x > 100:
		p.add(s.line, "%s: %s is more than 100", what, percent(x))
	default:
		return x
	}
	return 0
}

// access adds the lists of a leaf queue, and tells whether the queue is stopped, as all queues in a
// stopped one are.
func (p *queueParser) access(out *Queues, q *queueNode, stopped bool) bool {
	if s := find(q.settings, keyState); s != nil {
		if text, ok := s.text(&p.faults); ok {
			switch strings.ToLower(text) {
			case "running":
			case "stopped":
				stopped = true
			default:
				p.add(s.line, "queue %s: unknown state %q, want running or stopped", q.name, shorten(text))
			}
		}
	}
	a := QueueAccess{Name: q.name, Stopped: stopped}
	for _, list := range []struct {
		key string
		to  *List
	}{{listSubmit, &a.Submit}, {listAdminister, &a.Administer}} {
		key := list.key
		s := find(q.settings, key)
		switch {
		case s != nil && len(q.children) > 0:
			p.file = s.file
			p.add(s.line, "queue %s: %s of a queue with queues in it; lists belong to the queues that take jobs", q.name, key)
		case s != nil:
			*list.to = s.list(&p.faults, "queue "+q.name+": "+key)
		case key == listSubmit && out.Access.Enabled && len(q.children) == 0:
			p.file = q.file
			p.warn(q.line, "queue %s has no %s: only administrators may submit to it", q.name, key)
		}
	}
	if len(q.children) == 0 {
		out.Access.Queues = append(out.Access.Queues, a)
	}
	return stopped
}
