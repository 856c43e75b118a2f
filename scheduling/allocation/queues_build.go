package allocation

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/access"
)

// build sets p.out from the collected queues, and reports those that do not fit together.
func (p *queueParser) build() {
	p.declared()
	if len(p.root.children) == 0 && len(p.errs.list) == 0 {
		p.queue(access.DefaultPool, place{file: p.file})
	}
	p.level(&p.root, "the topmost queues", 100)
}

// declared applies mapred.queue.names: it creates queues without settings, rejects those that are
// not named, and sorts the others.
func (p *queueParser) declared() {
	if p.names == nil {
		return
	}
	rank := map[*queue]int{} // the first position in the list that mentions the queue or one in it
	named := map[string]bool{}
	for i, name := range strings.Split(p.names.text, ",") {
		name = strings.TrimSpace(name)
		if named[name] {
			p.add(p.names.place, "%s names queue %q twice", p.names.what, shorten(name))
			continue
		}
		named[name] = true
		for q := p.queue(name, p.names.place); q != nil; q = q.parent {
			if _, known := rank[q]; !known {
				rank[q] = i
			}
		}
	}
	p.order(&p.root, rank)
}

// order sorts the children of parent by rank, recursively, and rejects those without a rank.
func (p *queueParser) order(parent *queue, rank map[*queue]int) {
	for _, q := range parent.children {
		if _, known := rank[q]; !known {
			p.add(q.place, "queue %s is not among %s on line %d", q.name, p.names.what, p.names.line)
		}
		p.order(q, rank)
	}
	slices.SortStableFunc(parent.children, func(a, b *queue) int { return rank[a] - rank[b] })
}

// level adds the children of parent, which has whole percent of all slots, to the result, and then
// theirs. It reports capacities that do not fit. Children without a capacity share the rest.
func (p *queueParser) level(parent *queue, siblings string, whole float64) {
	sum, open := 0.0, 0
	for _, q := range parent.children {
		p.settings(q)
		sum += q.config.Capacity
		if q.config.Capacity == 0 {
			open++
		}
	}
	left, over := max(0, 100-sum)/float64(max(open, 1)), sum > 100+minPercent
	if over {
		last := parent.children[len(parent.children)-1]
		p.add(last.place, "the capacities of %s add up to %s %%, more than 100", siblings, percent(sum))
	}
	for _, q := range parent.children {
		part, most := q.config.Capacity, q.config.Max
		switch {
		case over, q.settings.child(keyCapacity) != nil:
		case left <= minPercent:
			p.add(q.place, "queue %s has no capacity of its own, and its siblings leave nothing", q.name)
		case most > 0 && left > most+minPercent:
			p.add(q.place, "queue %s: the %s %% left for it are above its %s of %s %%", q.name, percent(left), keyMax, percent(most))
		}
		part = cmp.Or(part, left) * whole / 100
		if len(q.children) == 0 {
			p.limits(q, part)
			p.out.Access.Queues = append(p.out.Access.Queues, access.Queue{
				Name: q.name, Submit: q.submit, Administer: q.admin, Stopped: q.stopped,
			})
		}
		p.out.Configs = append(p.out.Configs, q.config)
		p.level(q, "the queues in "+q.name, part)
	}
}

// settings sets q.config and the access lists from the settings that the files have for q.
func (p *queueParser) settings(q *queue) {
	if q.implied {
		p.add(q.place, "queue %s is the parent of others but is not configured itself", q.name)
	}
	leaf := len(q.children) == 0
	if leaf {
		q.config, q.accept = p.defaults.config, p.defaults.accept
	}
	queueSettings.read(p.faults, "queue "+q.name+": ", &q.settings, q, nil)
	c := &q.config
	c.Name, c.Parent = q.name, q.parent.name
	q.stopped = q.stopped || q.parent.stopped
	if c.Max > 0 && c.Max < c.Capacity {
		at := q.settings.child(keyMax).place
		p.add(at, "queue %s: %s: %s %% are below the capacity of %s %%", q.name, keyMax, percent(c.Max), percent(c.Capacity))
	}
	if leaf && p.out.Access.Enabled && q.settings.child(access.SubmitList) == nil {
		p.warn(q.place, "queue %s has no %s: only administrators may submit to it", q.name, access.SubmitList)
	}
	for _, s := range q.settings.children {
		switch {
		case leaf, s.name == keyCapacity, s.name == keyMax, s.name == keyState:
		case isList(s.name):
			p.add(s.place, "queue %s: %s of a queue with queues in it; lists belong to the queues that take jobs", q.name, s.name)
		default:
			p.warn(s.place, "queue %s: %s has no effect: jobs are in the queues within it", q.name, s.name)
		}
	}
}

// Hadoop 1's defaults, for files that set only one of the two.
const (
	systemJobs = 3000
	acceptJobs = 10
)

// limits sets a leaf queue's InitLimit to percent of the system's jobs, and its JobLimit to a
// multiple of InitLimit. If the files set no such limit, both stay 0.
func (p *queueParser) limits(q *queue, percent float64) {
	if q.accept == 0 && p.system == 0 {
		return
	}
	system := cmp.Or(p.system, systemJobs)
	q.config.InitLimit = max(1, int(math.Ceil(float64(system)*percent/100-minPercent)))
	q.config.JobLimit = int(min(int64(q.config.InitLimit)*int64(cmp.Or(q.accept, acceptJobs)), scheduling.NoLimit))
}

// percent formats a percentage for messages.
func percent(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
