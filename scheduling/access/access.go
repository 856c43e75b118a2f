// Package access controls who may use which pool or queue. A [List] names users and groups, a
// [Control] has the lists of all queues, and [Rules] resolve the pool or queue of a job and check
// that its user may submit there. Functions and values are safe for concurrent use.
package access

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
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

// List is an access control list in Hadoop's form: users, and groups whose members are included.
// The zero value admits nobody.
type List struct {
	Everybody bool
	Users     []string // sorted, each once
	Groups    []string // sorted, each once
}

// ParseList parses a list in Hadoop's form: user names separated by commas, one space, group names
// separated by commas: "ann,bob ops,research". Either part may be missing ("ann", " ops"). "*" is
// everybody; a single space, or nothing, is nobody. Input that Hadoop would silently misread is an
// error: more than one space, a star among names, repeated names.
func ParseList(s string) (List, error) {
	if strings.TrimSpace(s) == "*" {
		return List{Everybody: true}, nil
	}
	users, groups, _ := strings.Cut(s, " ")
	if strings.ContainsFunc(groups, unicode.IsSpace) || strings.ContainsFunc(users, unicode.IsSpace) {
		return List{}, fmt.Errorf("%.40q has more than one space; want user1,user2 group1,group2, or * or a single space", s)
	}
	var l List
	var err error
	if l.Users, err = names(users, "user"); err != nil {
		return List{}, err
	}
	if l.Groups, err = names(groups, "group"); err != nil {
		return List{}, err
	}
	return l, nil
}

// names returns the comma-separated names of s, sorted, or an error about a bad or repeated one.
func names(s, what string) ([]string, error) {
	if s == "" {
		return nil, nil
	}
	list := strings.Split(s, ",")
	slices.Sort(list)
	for i, name := range list {
		switch reason := NameFault(name); {
		case reason != "":
			return nil, fmt.Errorf("a %s name %s in %.40q", what, reason, s)
		case strings.Contains(name, "*"):
			return nil, fmt.Errorf("%.40q among %s names; * alone means everybody", name, what)
		case i > 0 && list[i-1] == name:
			return nil, fmt.Errorf("%s %.40s is listed twice", what, name)
		}
	}
	return list, nil
}

// With returns the union of l and o.
func (l List) With(o List) List {
	both := func(a, b []string) []string {
		list := slices.Concat(a, b)
		slices.Sort(list)
		return slices.Compact(list)
	}
	return List{l.Everybody || o.Everybody, both(l.Users, o.Users), both(l.Groups, o.Groups)}
}

// String returns the list in the form that ParseList reads: a single space for nobody.
func (l List) String() string {
	if l.Everybody {
		return "*"
	}
	s := strings.Join(l.Users, ",")
	if len(l.Groups) > 0 || s == "" {
		s += " " + strings.Join(l.Groups, ",")
	}
	return s
}

// describe returns the list as an error message shows it: quoted, or "everybody", "nobody".
func (l List) describe() string {
	switch {
	case l.Everybody:
		return "everybody"
	case len(l.Users) == 0 && len(l.Groups) == 0:
		return "nobody"
	}
	return fmt.Sprintf("%q", l.String())
}

// Admits reports whether the list contains `who` or one of the groups of `who`.
func (l List) Admits(who Principal) bool {
	if l.Everybody || slices.Contains(l.Users, who.User) && who.User != "" {
		return true
	}
	return slices.ContainsFunc(who.Groups, func(g string) bool { return g != "" && slices.Contains(l.Groups, g) })
}

// Principal is the user who makes a request. The master authenticates it; it is never read from a
// job's properties.
type Principal struct {
	User   string
	Groups []string
}

// NameFault returns what is wrong with the name of a pool, queue, user or group, such as "is
// empty". For a valid name it returns "".
func NameFault(name string) string {
	switch {
	case strings.TrimSpace(name) == "":
		return "is empty"
	case strings.TrimSpace(name) != name:
		return "has spaces around it"
	case len(name) > 255:
		return "is longer than 255 bytes"
	case strings.ContainsFunc(name, func(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar }):
		return "has control characters"
	}
	return ""
}
