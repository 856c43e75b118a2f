package allocation

import (
	"fmt"
	"strings"
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

// Placed is where a job goes, and by what.
type Placed struct {
	Name string // of the pool or queue, trimmed
	By   string // "property mapred.fairscheduler.pool", "user ann", "default"
}

// Pool resolves the pool of a job and checks that its user may submit to that very pool. First
// comes PropertyPool, then the property that PoolProperty names, then "default"; values are
// trimmed, and blank ones do not count.
//
// Hadoop checks the lists of the job's queue and then lets PropertyPool send the job elsewhere,
// unchecked. Here the pool found is the one checked, so no combination of properties leads into a
// pool whose list leaves the user out. If the job also names a queue, its user must be allowed
// there, too. A user's name is taken from who, whatever the properties claim. The caller submits
// the job to Placed.Name and nowhere else.
func (r Rules) Pool(who Principal, properties map[string]string) (Placed, error) {
	to := Placed{defaultPool, "default"}
	property := r.PoolProperty
	if property == "" {
		property = PropertyUser
	}
	if name := strings.TrimSpace(properties[PropertyPool]); name != "" {
		to = Placed{name, byProperty(PropertyPool)}
	} else if property == PropertyUser || property == propertyUserOld {
		if user := strings.TrimSpace(who.User); user != "" {
			to = Placed{user, "user " + user}
		}
	} else if name := strings.TrimSpace(properties[property]); name != "" {
		to = Placed{name, byProperty(property)}
	}
	if err := r.submit(to, who); err != nil {
		return Placed{}, err
	}
	if queue, named := namedQueue(properties); named && queue.Name != to.Name {
		if err := r.submit(queue, who); err != nil {
			return Placed{}, err
		}
	}
	return to, nil
}

// Queue resolves the queue of a job, for schedulers with queues, and checks that its user may
// submit to it: PropertyQueue, then PropertyQueueOld, then "default"; trimmed.
func (r Rules) Queue(who Principal, properties map[string]string) (Placed, error) {
	to, named := namedQueue(properties)
	if !named {
		to = Placed{defaultPool, "default"}
	}
	if err := r.submit(to, who); err != nil {
		return Placed{}, err
	}
	return to, nil
}

// Move checks that who may move a job of owner from one pool or queue to another: administer the
// first (the owner may) and submit to the second. It is the check for changing the pool of a job
// that is there already.
func (r Rules) Move(who Principal, owner, from, to string) error {
	if err := r.Access.MayAdminister(from, owner, who); err != nil {
		return err
	}
	return r.submit(Placed{strings.TrimSpace(to), ""}, who)
}

// submit checks the name and the lists.
func (r Rules) submit(to Placed, who Principal) error {
	if reason := nameReason(to.Name); reason != "" {
		return fmt.Errorf("pool or queue name %q (by %s) %s", shorten(to.Name), to.By, reason)
	}
	return r.Access.MaySubmit(to.Name, who)
}

// namedQueue is the queue that the properties name.
func namedQueue(properties map[string]string) (Placed, bool) {
	for _, property := range []string{PropertyQueue, PropertyQueueOld} {
		if name := strings.TrimSpace(properties[property]); name != "" {
			return Placed{name, byProperty(property)}, true
		}
	}
	return Placed{}, false
}

// byProperty says that a property decided.
func byProperty(name string) string { return "property " + name }
