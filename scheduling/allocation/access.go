package allocation

import (
	"errors"
	"fmt"
)

// ErrDenied is in every error that says that somebody may not do something.
var ErrDenied = errors.New("not permitted")

// Operation is what somebody wants to do with a pool or queue.
type Operation uint8

// The operations.
const (
	Submit     Operation = iota // submit a job to it, or move one into it
	Administer                  // kill its jobs, change their priority, move them out of it
)

// String is a verb phrase.
func (o Operation) String() string {
	if o == Submit {
		return "submit to"
	}
	return "administer jobs of"
}

// ListName is the name of the operation's list in Hadoop's files.
func (o Operation) ListName() string {
	if o == Submit {
		return listSubmit
	}
	return listAdminister
}

// The names of the lists.
const (
	listSubmit     = "acl-submit-job"
	listAdminister = "acl-administer-jobs"
)

// QueueAccess holds the lists of one queue, or of the pool of that name.
type QueueAccess struct {
	Name       string
	Submit     List // who may submit jobs
	Administer List // who may kill, re-prioritize and move jobs that are not theirs
	Stopped    bool // refuses submissions, whoever asks and whether lists are checked or not
}

// Access says who may use which pool or queue. The zero value lets everybody do everything, as Hadoop does.
type Access struct {
	// Enabled turns the lists on (mapred.acls.enabled, mapreduce.cluster.acls.enabled; default false).
	Enabled bool
	// Admins may submit to and administer everything (mapreduce.cluster.administrators); so may no one else.
	Admins List
	// Queues names every queue that has lists. With Enabled a pool or queue that is not among them is closed to all but Admins: a
	// name that nobody has configured must not be a way around the lists.
	Queues []QueueAccess
}

// Denied says who may not do what where, and which list would have to name them.
type Denied struct {
	User      string
	Operation Operation
	Queue     string
	Reason    string // which list it is and whom it admits, or what else stands against it
}

// Error is a sentence such as "user eve may not submit to prod: acl-submit-job of prod admits "ann ops"".
func (d *Denied) Error() string {
	return fmt.Sprintf("user %s may not %v %s: %s", d.User, d.Operation, d.Queue, d.Reason)
}

// Is makes errors.Is(err, ErrDenied) true.
func (d *Denied) Is(target error) bool { return target == ErrDenied }

// queue finds a queue's lists.
func (a Access) queue(name string) (QueueAccess, bool) {
	for _, q := range a.Queues {
		if q.Name == name {
			return q, true
		}
	}
	return QueueAccess{}, false
}

// MaySubmit is nil if who may submit a job to the pool or queue, or a *Denied.
func (a Access) MaySubmit(queue string, who Principal) error {
	if q, ok := a.queue(queue); ok && q.Stopped {
		return &Denied{who.User, Submit, queue, "it is stopped"}
	}
	return a.check(queue, Submit, who)
}

// MayAdminister is nil if who may kill, re-prioritize or move a job of owner in the pool or queue, or a *Denied. The owner always may.
func (a Access) MayAdminister(queue, owner string, who Principal) error {
	if owner != "" && who.User == owner {
		return nil
	}
	return a.check(queue, Administer, who)
}

// check consults the lists.
func (a Access) check(queue string, op Operation, who Principal) error {
	if !a.Enabled || a.Admins.Admits(who) {
		return nil
	}
	q, ok := a.queue(queue)
	if !ok {
		return &Denied{who.User, op, queue, "no such queue is configured, and access lists are on"}
	}
	list := q.Submit
	if op == Administer {
		list = q.Administer
	}
	if list.Admits(who) {
		return nil
	}
	return &Denied{who.User, op, queue, fmt.Sprintf("%s of %s admits %s", op.ListName(), queue, list.describe())}
}
