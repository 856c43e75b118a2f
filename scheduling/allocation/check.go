package allocation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tarry-mr/tarry/scheduling"
)

// The kinds of configuration files, as Checked names them.
const (
	unknownFile   = "unknown"
	poolFile      = "pools"      // fair-scheduler.xml
	queueFile     = "queues"     // capacity-scheduler.xml, mapred-queues.xml, mapred-queue-acls.xml
	parameterFile = "parameters" // mapred-site.xml
)

// Checked is the result of Check for one file.
type Checked struct {
	Name string
	Kind string // pools, queues, parameters or unknown
	// Holds is a summary such as "2 pools, 1 user", "2 queues, access lists on" or "scheduler hfs,
	// preemption on"; empty if the file has errors.
	Holds    string
	Errors   []*Problem // in order of lines
	Warnings []*Problem
}

// Check finds everything wrong with configuration files. It detects their kinds by content. Files
// about queues are read together, as a cluster reads them, so that one may complete a queue of
// another. The results are in the order of the sources.
func Check(sources ...Source) []Checked {
	list := make([]Checked, len(sources))
	var about []*element // queues
	for i, s := range sources {
		c, f := &list[i], new(faults)
		c.Name = s.Name
		root := readDocument(f, s.Name, s.Reader)
		switch c.Kind = kindOf(f, root); c.Kind {
		case poolFile:
			a := readFair(f, root)
			c.Holds = counted(len(a.Pools), "pool") + ", " + counted(len(a.Users), "user")
		case parameterFile:
			c.Holds = readParameters(f, root).summary()
		case queueFile:
			about = append(about, root)
		}
		c.Errors, c.Warnings = f.errs.all("problems"), f.warnings.all("warnings")
	}
	if len(about) > 0 {
		checkQueues(list, about, sources)
	}
	for i := range list {
		if c := &list[i]; len(c.Errors) > 0 { // warnings may follow from the errors
			*c = Checked{Name: c.Name, Kind: c.Kind, Errors: c.Errors}
		}
	}
	return list
}

// checkQueues reads the files about queues together, and adds to each file's result its problems.
func checkQueues(list []Checked, roots []*element, sources []Source) {
	var f faults
	q := readQueues(&f, roots, sources)
	for i := range list {
		c := &list[i]
		if c.Kind != queueFile {
			continue
		}
		c.Holds = q.summary()
		other := func(p *Problem) bool { return p.File != c.Name }
		c.Errors = slices.DeleteFunc(slices.Clone(f.errs.all("problems")), other)
		c.Warnings = slices.DeleteFunc(slices.Clone(f.warnings.all("warnings")), other)
	}
}

// kindOf returns the kind of a file by its root element, which may be nil. For a root element of no
// such file it adds a problem.
func kindOf(f *faults, root *element) string {
	if root == nil || !f.rootIs(root, "allocations", "queues", "configuration") {
		return unknownFile
	}
	switch root.name {
	case "allocations":
		return poolFile
	case "queues":
		return queueFile
	}
	kind := parameterFile
	for _, p := range properties(new(faults), root, map[string]place{}) {
		if isParameter(p.name) {
			return parameterFile
		}
		if isAboutQueues(p.name) {
			kind = queueFile
		}
	}
	return kind
}

// isAboutQueues reports whether a property with that name belongs to the files of ParseQueues.
func isAboutQueues(name string) bool {
	return clusterSettings[name] != nil || strings.HasPrefix(name, "mapred.capacity-scheduler.") ||
		strings.HasPrefix(name, prefixQueue) || strings.HasPrefix(name, prefixYARN)
}

// counted returns text such as "1 pool" or "2 pools".
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// summary describes the content of the files in a few words.
func (q Queues) summary() string {
	if q.Access.Enabled {
		return counted(len(q.Configs), "queue") + ", access lists on"
	}
	return counted(len(q.Configs), "queue")
}

// summary describes the settings of the file in a few words.
func (p Parameters) summary() string {
	list := []string{map[scheduling.PreemptionMode]string{
		scheduling.PreemptOff: "preemption off", scheduling.PreemptOn: "preemption on", scheduling.PreemptLog: "preemption only logged",
	}[p.Policy.Preemption.Mode]}
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
