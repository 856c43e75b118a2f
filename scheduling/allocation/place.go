package allocation

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tarry-mr/tarry/scheduling"
)

// The job properties that choose a pool or queue, and the names that stand for the submitting user
// in pool-name-property.
const (
	PropertyPool     = "mapred.fairscheduler.pool"
	PropertyQueue    = "mapreduce.job.queuename"
	PropertyQueueOld = "mapred.job.queue.name"
	PropertyUser     = "mapreduce.job.user.name"
	propertyUserOld  = "user.name"
)

// defaultPool is the pool of jobs that name none.
const defaultPool = "default"

// Rules say where a job goes and whether its user may go there. The zero value is Hadoop's default:
// a pool for each user, no lists.
type Rules struct {
	Access Access
	// PoolProperty names the job property that chooses the pool of a job without PropertyPool
	// (mapred.fairscheduler.poolnameproperty). Empty means PropertyUser: the pool is the user's.
	PoolProperty string
}

// target is where a job goes, and by what.
type target struct{ name, by string }

// or is the target, or the one that a value names if the target has no name. Values are trimmed, and
// blank ones do not count.
func (t target) or(value, by string) target {
	if t.name != "" {
		return t
	}
	return target{strings.TrimSpace(value), by}
}

// Admit checks a job before it is submitted, and fills in what has been decided: the user is who,
// whatever spec says, and spec.Pool or, for a scheduler with queues, spec.Queue is the place whose
// list admits that user, so that the Core has nothing left to choose. spec.Pool counts as
// PropertyPool, spec.PoolProperty as the value of the property that r.PoolProperty names,
// spec.Queue as PropertyQueue; where that names the pool, it is empty afterwards. On error spec is
// as before.
//
// The pool is that of PropertyPool, else of the property that r.PoolProperty names, else "default".
// Hadoop checks the lists of the job's queue and then lets PropertyPool send the job elsewhere,
// unchecked. Here the pool found is the one checked, so no combination of properties leads into a
// pool whose list leaves the user out. If the job also names a queue, its user must be allowed
// there, too.
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
		queue = queue.or(defaultPool, "default")
		if err := r.submit(queue, who); err != nil {
			return err
		}
		spec.User, spec.Queue = who.User, queue.name
		return nil
	}
	pool := target{}.or(spec.Pool, "property "+PropertyPool)
	switch property {
	case PropertyUser, propertyUserOld:
		pool = pool.or(who.User, "user "+who.User)
	case PropertyQueue:
		pool = pool.or(named, "property "+property)
	default:
		pool = pool.or(spec.PoolProperty, "property "+property)
	}
	pool = pool.or(defaultPool, "default")
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
		spec.Queue = "" // it has named the pool
	}
	return nil
}

// Move checks that who may move a job of owner from one pool or queue to another: administer the
// first (the owner may) and submit to the second. It is the check for changing the pool of a job
// that is there already.
func (r Rules) Move(who Principal, owner, from, to string) error {
	if err := r.Access.MayAdminister(from, owner, who); err != nil {
		return err
	}
	return r.submit(target{strings.TrimSpace(to), "the move"}, who)
}

// submit checks the name and the lists.
func (r Rules) submit(to target, who Principal) error {
	if reason := nameReason(to.name); reason != "" {
		return fmt.Errorf("pool or queue name %q (by %s) %s", shorten(to.name), to.by, reason)
	}
	return r.Access.MaySubmit(to.name, who)
}
