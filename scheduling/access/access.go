// Package access controls who may use which pool or queue. A [List] names users and groups, a
// [Control] has the lists of all queues, and [Rules] resolve the pool or queue of a job and check
// that its user may submit there. Functions and values are safe for concurrent use.
package access

import (
	"errors"
	"fmt"
)

// ErrDenied matches, by errors.Is, every error about a missing permission.
var ErrDenied = errors.New("not permitted")

// The access lists of a queue, by their names in Hadoop's files.
const (
	SubmitList     = "acl-submit-job"      // users who may submit jobs to it, or move them into it
	AdministerList = "acl-administer-jobs" // users who may kill and re-prioritize its jobs, or move them out
)

// denied is the text of an error that matches ErrDenied.
type denied string

func (d denied) Error() string { return string(d) }

// Is makes errors.Is(err, ErrDenied) true.
func (denied) Is(target error) bool { return target == ErrDenied }

// refused returns an error such as "user eve may not submit to prod: acl-submit-job of prod admits
// "ann ops"". The operation in the text is the one that the access list permits.
func refused(list, queue string, who Principal, reason string) error {
	operation := "submit to"
	if list == AdministerList {
		operation = "administer jobs of"
	}
	return denied(fmt.Sprintf("user %s may not %s %s: %s", who.User, operation, queue, reason))
}

// Queue holds the access lists of one queue, or of the pool with that name.
type Queue struct {
	Name       string
	Submit     List // users who may submit jobs
	Administer List // users who may kill, re-prioritize and move jobs of others
	Stopped    bool // rejects all submissions, even if lists are not checked
}

// Control defines which users may submit to, and administer, which pools and queues. The zero value
// permits everything, as Hadoop does.
type Control struct {
	// Enabled turns the lists on (mapred.acls.enabled, mapreduce.cluster.acls.enabled). By default
	// they are off.
	Enabled bool
	// Admins may submit to and administer everything (mapreduce.cluster.administrators).
	Admins List
	// Queues lists every queue that has access lists. With Enabled, all other pools and queues are
	// closed to everyone but Admins: an unconfigured name must not bypass the lists.
	Queues []Queue
}

// queue returns the access lists of the named queue, and whether it has any.
func (c Control) queue(name string) (Queue, bool) {
	for _, q := range c.Queues {
		if q.Name == name {
			return q, true
		}
	}
	return Queue{}, false
}

// MaySubmit returns nil if `who` may submit a job to the pool or queue; otherwise the error matches
// ErrDenied.
func (c Control) MaySubmit(queue string, who Principal) error {
	if q, ok := c.queue(queue); ok && q.Stopped {
		return refused(SubmitList, queue, who, "it is stopped")
	}
	return c.check(queue, SubmitList, who)
}

// MayAdminister returns nil if `who` may kill, re-prioritize or move a job of owner in the pool or
// queue. The owner always may. Otherwise the error matches ErrDenied.
func (c Control) MayAdminister(queue, owner string, who Principal) error {
	if owner != "" && who.User == owner {
		return nil
	}
	return c.check(queue, AdministerList, who)
}

// check returns nil if the queue's list of the given name admits `who`, as all lists admit Admins.
func (c Control) check(queue, name string, who Principal) error {
	if !c.Enabled || c.Admins.Admits(who) {
		return nil
	}
	q, ok := c.queue(queue)
	if !ok {
		return refused(name, queue, who, "no such queue is configured, and access lists are on")
	}
	list := q.Submit
	if name == AdministerList {
		list = q.Administer
	}
	if list.Admits(who) {
		return nil
	}
	return refused(name, queue, who, fmt.Sprintf("%s of %s admits %s", name, queue, list.describe()))
}
