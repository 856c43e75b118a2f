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
		if v, ok := p.enabled.entry(&p.faults, p.enabled.name); ok {
			out.Access.Enabled = v.is(true)
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
	names, ok := p.names.entry(&p.faults, p.names.name)
	if !ok {
		return
	}
	rank := map[string]int{} // where the list first speaks of a queue or of one in it
	named := map[string]bool{}
	for i, name := range strings.Split(names.text, ",") {
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
		if v, ok := s.entry(&p.faults, "queue "+q.name+": "+keyAccept); ok {
			accept = v.count(1)
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
	for _, key := range queueKeys {
		s := find(q.settings, key)
		if s == nil {
			continue
		}
		if key != keyCapacity && key != keyMax && len(q.children) > 0 {
			p.file = s.file
			p.warn(s.line, "queue %s: %s has no effect: jobs are in the queues within it", q.name, key)
		}
		if v, ok := s.entry(&p.faults, "queue "+q.name+": "+key); ok {
			queueSettings[key](&c, v)
		}
	}
	return c
}

// readDefaults reads the settings of leaf queues that have none of their own.
func (p *queueParser) readDefaults() {
	for _, key := range []string{keyPriorities, keyUserLimit, keyInitJobs, keyUserFactor} {
		if s := p.props.byName[prefixDefaults+key]; s != nil {
			if v, ok := s.entry(&p.faults, s.name); ok {
				queueSettings[key](&p.defaults, v)
			}
		}
	}
	for name, to := range map[string]*int{prefixDefaults + keyAccept: &p.accept, propertySystemJobs: &p.system} {
		if s := p.props.byName[name]; s != nil {
			if v, ok := s.entry(&p.faults, s.name); ok {
				*to = v.count(1)
			}
		}
	}
}

// queueKeys are the settings of a queue in the order in which they are read: a maximum is compared
// with the capacity.
var queueKeys = []string{keyCapacity, keyMax, keyPriorities, keyUserLimit, keyInitJobs, keyUserFactor, keyTasks, keyUserTasks}

// queueSettings reads the settings of a queue.
var queueSettings = map[string]func(c *scheduling.QueueConfig, v entry){
	keyCapacity: func(c *scheduling.QueueConfig, v entry) {
		c.Capacity = max(v.percentage(), capacityError) // not 0, which means "not given"
	},
	keyMax: func(c *scheduling.QueueConfig, v entry) {
		if v.text != "-1" {
			c.Max = v.percentage()
		}
		if c.Max > 0 && c.Max < c.Capacity {
			v.bad("%s %% are below the capacity of %s %%", percent(c.Max), percent(c.Capacity))
		}
	},
	keyPriorities: func(c *scheduling.QueueConfig, v entry) { c.Priorities = v.is(true) },
	keyUserLimit: func(c *scheduling.QueueConfig, v entry) {
		if c.UserLimit = v.count(1); c.UserLimit > 100 {
			v.bad("%d %% are more than 100", c.UserLimit)
		}
	},
	keyInitJobs:   func(c *scheduling.QueueConfig, v entry) { c.InitJobs = v.count(1) },
	keyUserFactor: func(c *scheduling.QueueConfig, v entry) { c.UserFactor = v.weight() },
	keyTasks:      func(_ *scheduling.QueueConfig, v entry) { v.tasks() },
	keyUserTasks:  func(_ *scheduling.QueueConfig, v entry) { v.tasks() },
}

// tasks checks a limit on the tasks of initialized jobs, which has no effect.
func (v entry) tasks() {
	if v.count(1) > 0 {
		v.warn(v.line, "%s has no effect: tasks take little memory before they are launched", v.what)
	}
}

// access adds the lists of a leaf queue, and tells whether the queue is stopped, as all queues in a
// stopped one are.
func (p *queueParser) access(out *Queues, q *queueNode, stopped bool) bool {
	if s := find(q.settings, keyState); s != nil {
		if v, ok := s.entry(&p.faults, "queue "+q.name); ok {
			switch strings.ToLower(v.text) {
			case "running":
			case "stopped":
				stopped = true
			default:
				v.bad("unknown state %q, want running or stopped", shorten(v.text))
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
