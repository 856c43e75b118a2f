package allocation

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/tarry-mr/tarry/scheduling"
)

// Kind is what a configuration file is about.
type Kind uint8

// The kinds of file.
const (
	UnknownFile   Kind = iota
	PoolFile           // fair-scheduler.xml
	QueueFile          // capacity-scheduler.xml, mapred-queues.xml, mapred-queue-acls.xml
	ParameterFile      // mapred-site.xml
)

// String is what the kind is about: "pools", "queues", "parameters" or "unknown".
func (k Kind) String() string { return [...]string{"unknown", "pools", "queues", "parameters"}[k&3] }

// Checked is what Check found in a file.
type Checked struct {
	Name string
	Kind Kind
	// Holds is such as "2 pools, 1 user", "2 queues, access lists on" or "scheduler hfs, preemption
	// on"; empty if there are errors.
	Holds    string
	Errors   []*Problem // in order of lines
	Warnings []*Problem

	// Allocations is the allocation file that a ParameterFile without errors names on
	// AllocationsLine, which must be there, too; empty if none.
	Allocations     string
	AllocationsLine int
}

// Check looks for everything wrong with configuration files, whose kinds it tells from what is in
// them. Files about queues are read together, as a cluster reads them, so that a queue of one may
// be completed by another. The answers are in the order of the sources.
func Check(sources ...Source) []Checked {
	list := make([]Checked, len(sources))
	var queues []Source
	for i, s := range sources {
		c := &list[i]
		c.Name = s.Name
		content, err := io.ReadAll(io.LimitReader(s.Reader, maxFileBytes+1))
		if err != nil {
			c.Errors = []*Problem{{File: s.Name, Reason: err.Error(), cause: err}}
			continue
		}
		if c.Kind, c.Errors = kindOf(s.Name, content); len(c.Errors) > 0 {
			continue
		}
		switch c.Kind {
		case PoolFile:
			fair, err := ParseFair(s.Name, bytes.NewReader(content))
			c.Errors, c.Warnings = problemsOf(err), fair.Warnings
			c.Holds = fair.summary()
		case ParameterFile:
			p, err := ParseParameters(s.Name, bytes.NewReader(content))
			c.Errors, c.Warnings = problemsOf(err), p.Warnings
			c.Holds = p.summary()
			c.Allocations, c.AllocationsLine = p.AllocationFile, p.AllocationLine
		case QueueFile:
			queues = append(queues, Source{Name: s.Name, Reader: bytes.NewReader(content)})
		case UnknownFile: // has errors
		}
	}
	checkQueues(list, queues)
	for i := range list {
		if len(list[i].Errors) > 0 {
			list[i].Holds = ""
		}
	}
	return list
}

// checkQueues reads the files about queues together and gives each its part of what is wrong.
func checkQueues(list []Checked, sources []Source) {
	if len(sources) == 0 {
		return
	}
	q, err := ParseQueues(sources...)
	problems := problemsOf(err)
	for i := range list {
		c := &list[i]
		if c.Kind != QueueFile {
			continue
		}
		c.Holds = q.summary()
		for _, p := range problems {
			if cmp.Or(p.File, sources[0].Name) == c.Name {
				c.Errors = append(c.Errors, p)
			}
		}
		for _, p := range q.Warnings {
			if cmp.Or(p.File, sources[0].Name) == c.Name {
				c.Warnings = append(c.Warnings, p)
			}
		}
	}
}

// problemsOf takes apart what the parsers join.
func problemsOf(err error) []*Problem {
	var list []*Problem
	if joined, ok := err.(interface{ Unwrap() []error }); ok { //nolint:errorlint // the parsers' own, unwrapped
		for _, e := range joined.Unwrap() {
			list = append(list, e.(*Problem)) //nolint:errorlint,forcetypeassert // nothing else is joined
		}
	}
	return list
}

// kindOf tells what a file is about, or why it cannot be told.
func kindOf(name string, content []byte) (Kind, []*Problem) {
	f := faults{file: name}
	root := readDocument(&f, bytes.NewReader(content))
	if root == nil {
		return UnknownFile, f.errs
	}
	switch root.name {
	case "allocations":
		return PoolFile, nil
	case "queues":
		return QueueFile, nil
	case "configuration":
	default:
		f.add(root.line, "the root element is <%s>, want <allocations>, <queues> or <configuration>", root.name)
		return UnknownFile, f.errs
	}
	var scratch faults
	var all properties
	all.read(&scratch, root)
	queues := false
	for _, p := range all.list {
		if isParameter(p.name) {
			return ParameterFile, nil
		}
		queues = queues || isAboutQueues(p.name)
	}
	if queues {
		return QueueFile, nil
	}
	return ParameterFile, nil
}

// isAboutQueues tells the properties that ParseQueues reads.
func isAboutQueues(name string) bool {
	return strings.HasPrefix(name, "mapred.capacity-scheduler.") || strings.HasPrefix(name, prefixQueue) || strings.HasPrefix(name, prefixYARN) ||
		isListSwitch(name) || name == propertyAdmins
}

// counted is "1 pool" or "2 pools".
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// summary says in a few words what the file holds.
func (f *Fair) summary() string {
	return counted(len(f.Allocations.Pools), "pool") + ", " + counted(len(f.Allocations.Users), "user")
}

// summary says in a few words what the files hold.
func (q *Queues) summary() string {
	if q.Access.Enabled {
		return counted(len(q.Configs), "queue") + ", access lists on"
	}
	return counted(len(q.Configs), "queue")
}

// summary says in a few words what the file sets.
func (p *Parameters) summary() string {
	list := []string{map[scheduling.PreemptionMode]string{
		scheduling.PreemptOff: "preemption off", scheduling.PreemptOn: "preemption on", scheduling.PreemptLog: "preemption only logged",
	}[p.Preemption.Mode]}
	if p.Scheduler != "" {
		list = append([]string{"scheduler " + p.Scheduler}, list...)
	}
	if p.AllocationFile != "" {
		list = append(list, "pools in "+p.AllocationFile)
	}
	if p.Access.Enabled {
		list = append(list, "access lists on")
	}
	return strings.Join(list, ", ")
}
