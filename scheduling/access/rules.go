package access

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tarry-mr/tarry/scheduling"
)

// The job properties that may choose a pool or queue. With the last two as Rules.PoolProperty, a
// job's pool is named after its user.
const (
	PropertyPool     = "mapred.fairscheduler.pool"
	PropertyQueue    = "mapreduce.job.queuename"
	PropertyQueueOld = "mapred.job.queue.name"
	PropertyUser     = "mapreduce.job.user.name"
	PropertyUserOld  = "user.name"
)

// DefaultPool is the pool or queue of jobs that name none.
const DefaultPool = "default"

// Rules determine a job's pool or queue and whether its user may submit there. The zero value is
// Hadoop's default: a pool per user, no lists.
type Rules struct {
	Access Control
	// PoolProperty names the job property that chooses the pool of a job without PropertyPool
	// (mapred.fairscheduler.poolnameproperty). Empty means PropertyUser: the pool is the user's.
	PoolProperty string
}

// target is the pool or queue of a job and, for error messages, what chose it.
type target struct{ name, by string }

// or returns t if it has a name. Otherwise it returns the target that value names, trimmed, if any;
// `by` is what chose it.
func (t target) or(value, by string) target {
	if t.name != "" {
		return t
	}
	return target{strings.TrimSpace(value), by}
}

// Admit checks a job before its submission and completes spec. It sets the user to `who`, whatever
// spec says. It sets spec.Pool or, for a scheduler with queues, spec.Queue to the name that was
// checked, so that the Core has no choice left. Before, spec.Pool is the value of PropertyPool,
// spec.PoolProperty that of the property r.PoolProperty, and spec.Queue that of PropertyQueue.
// Admit clears spec.Queue if it names the pool. On error spec is unchanged.
//
// The first property with a value names the pool: PropertyPool, then r.PoolProperty; without one it
// is "default". Hadoop checks the lists of the job's queue and then lets PropertyPool send the job
// to another pool, unchecked. Here the resulting pool is checked, so no combination of properties
// leads into a pool that does not admit the user. If the job also names a queue, that queue must
// admit the user too.
func (r Rules) Admit(spec *scheduling.JobSpec, who Principal, queues bool) error {
	property, named := cmp.Or(r.PoolProperty, PropertyUser), spec.Queue
	if property == PropertyQueue {
		named = cmp.Or(spec.PoolProperty, spec.Queue)
	}
	queue := target{}.or(named, "property "+PropertyQueue)
	if property == PropertyQueueOld {
		queue = queue.or(spec.PoolProperty, "property "+PropertyQueueOld)
	}
	if queues {
		queue = queue.or(DefaultPool, "default")
		if err := r.submit(queue, who); err != nil {
			return err
		}
		spec.User, spec.Queue = who.User, queue.name
		return nil
	}
	pool := target{}.or(spec.Pool, "property "+PropertyPool)
	switch property {
	case PropertyUser, PropertyUserOld:
		pool = pool.or(who.User, "user "+who.User)
	case PropertyQueue:
		pool = pool.or(named, "property "+property)
	default:
		pool = pool.or(spec.PoolProperty, "property "+property)
	}
	pool = pool.or(DefaultPool, "default")
	if err := r.submit(pool, who); err != nil {
		return err
	}
	if queue.name != "" && queue.name != pool.name {
		if err := r.submit(queue, who); err != nil {
			return err
		}
	}
	spec.User, spec.Pool, spec.PoolProperty = who.User, pool.name, ""
	if strings.TrimSpace(spec.Queue) == pool.name {
		spec.Queue = "" // it named the pool
	}
	return nil
}

// Move returns nil if `who` may move a job of owner from one pool or queue to another. `who` must
// be the owner, or be allowed to administer the first, and must be allowed to submit to the second.
// Call it before the pool of a submitted job is changed.
func (r Rules) Move(who Principal, owner, from, to string) error {
	if err := r.Access.MayAdminister(from, owner, who); err != nil {
		return err
	}
	return r.submit(target{strings.TrimSpace(to), "the move"}, who)
}

// submit returns nil if the name of the pool or queue is valid and its list admits `who`.
func (r Rules) submit(to target, who Principal) error {
	if reason := NameFault(to.name); reason != "" {
		return fmt.Errorf("pool or queue name %.40q (by %s) %s", to.name, to.by, reason)
	}
	return r.Access.MaySubmit(to.name, who)
}
