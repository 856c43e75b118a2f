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

// buildQueues sets r.Queues and the access lists from the collected queues, and reports those that
// do not fit together.
func (r *reader) buildQueues() {
	r.declared()
	all := &r.queues
	if len(all.list) == 0 && len(r.problems) == 0 {
		r.queueNamed(access.DefaultPool, place{file: all.file})
	}
	var top queue
	for _, q := range all.list {
		q.parent = &top
		if above := parentOf(q.name); above != "" && all.byName[above] == nil {
			r.add(q.place, "queue %s is the parent of others but is not configured itself", above)
			all.byName[above] = &top // one error is enough
		} else if above != "" {
			q.parent = all.byName[above]
		}
		q.parent.children = append(q.parent.children, q)
	}
	r.level(&top, "the topmost queues", 100)
}

// parentOf returns the path of a queue's parent; "" for a topmost queue.
func parentOf(path string) string { return path[:max(0, strings.LastIndexByte(path, ':'))] }

// declared applies mapred.queue.names: it creates queues without settings, rejects those that are
// not named, and sorts the others.
func (r *reader) declared() {
	all := &r.queues
	if all.names == nil {
		return
	}
	rank := map[string]int{} // the first position in the list that mentions the queue or one in it
	named := map[string]bool{}
	for i, name := range strings.Split(all.names.text, ",") {
		name = strings.TrimSpace(name)
		if named[name] {
			r.add(all.names.place, "%s names queue %q twice", all.names.what, shorten(name))
			continue
		}
		named[name] = true
		if r.queueNamed(name, all.names.place) == nil {
			continue
		}
		for path := name; path != ""; path = parentOf(path) {
			if _, known := rank[path]; !known {
				rank[path] = i
			}
		}
	}
	for _, q := range all.list {
		if _, known := rank[q.name]; !known {
			r.add(q.place, "queue %s is not among %s on line %d", q.name, all.names.what, all.names.line)
		}
	}
	slices.SortStableFunc(all.list, func(a, b *queue) int { return rank[a.name] - rank[b.name] })
}

// level adds the children of parent, which has whole percent of all slots, to the result, and then
// theirs. It reports capacities that do not fit. Children without a capacity share the rest.
func (r *reader) level(parent *queue, siblings string, whole float64) {
	sum, open := 0.0, 0
	for _, q := range parent.children {
		r.settings(q)
		sum += q.config.Capacity
		if q.config.Capacity == 0 {
			open++
		}
	}
	left, over := max(0, 100-sum)/float64(max(open, 1)), sum > 100+minPercent
	if over {
		last := parent.children[len(parent.children)-1]
		r.add(last.place, "the capacities of %s add up to %s %%, more than 100", siblings, percent(sum))
	}
	for _, q := range parent.children {
		part, most := q.config.Capacity, q.config.Max
		switch {
		case over, q.settings.child(keyCapacity) != nil:
		case left <= minPercent:
			r.add(q.place, "queue %s has no capacity of its own, and its siblings leave nothing", q.name)
		case most > 0 && left > most+minPercent:
			r.add(q.place, "queue %s: the %s %% left for it are above its %s of %s %%", q.name, percent(left), keyMax, percent(most))
		}
		part = cmp.Or(part, left) * whole / 100
		if len(q.children) == 0 {
			r.limits(q, part)
			r.queues.access.Queues = append(r.queues.access.Queues, access.Queue{
				Name: q.name, Submit: q.submit, Administer: q.admin, Stopped: q.stopped,
			})
		}
		r.Queues = append(r.Queues, q.config)
		r.level(q, "the queues in "+q.name, part)
	}
}

// settings sets q.config and the access lists from the settings that the files have for q.
func (r *reader) settings(q *queue) {
	leaf := len(q.children) == 0
	if leaf {
		q.config, q.accept = r.queues.defaults.config, r.queues.defaults.accept
	}
	r.queue = q
	queueSettings.read(r, "queue "+q.name+": ", &q.settings) // all are known
	c := &q.config
	c.Name, c.Parent = q.name, q.parent.name
	q.stopped = q.stopped || q.parent.stopped
	if c.Max > 0 && c.Max < c.Capacity {
		at := q.settings.child(keyMax).place
		r.add(at, "queue %s: %s: %s %% are below the capacity of %s %%", q.name, keyMax, percent(c.Max), percent(c.Capacity))
	}
	if leaf && r.queues.access.Enabled && q.settings.child(access.SubmitList) == nil {
		r.warn(q.place, "queue %s has no %s: only administrators may submit to it", q.name, access.SubmitList)
	}
	for _, s := range q.settings.children {
		switch {
		case leaf, s.name == keyCapacity, s.name == keyMax, s.name == keyState:
		case isList(s.name):
			r.add(s.place, "queue %s: %s of a queue with queues in it; lists belong to the queues that take jobs", q.name, s.name)
		default:
			r.warn(s.place, "queue %s: %s has no effect: jobs are in the queues within it", q.name, s.name)
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
func (r *reader) limits(q *queue, percent float64) {
	if q.accept == 0 && r.queues.system == 0 {
		return
	}
	system := cmp.Or(r.queues.system, systemJobs)
	q.config.InitLimit = max(1, int(math.Ceil(float64(system)*percent/100-minPercent)))
	q.config.JobLimit = int(min(int64(q.config.InitLimit)*int64(cmp.Or(q.accept, acceptJobs)), scheduling.NoLimit))
}

// percent formats a percentage for messages.
func percent(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
