package allocation

import (
	"io"

	"github.com/tarry-mr/tarry/scheduling"
)

// Fair is the content of an allocation file.
type Fair struct {
	// Allocations holds what stands in the file and nothing else: settings of mapred-site.xml keep
	// their zero values. Pools and Users are in file order. A limit of 0 in the file, nothing at
	// all, is -1 here.
	Allocations scheduling.Allocations
	Warnings    []*Problem // minimum shares above maximum shares, unknown elements beside the pools
}

// ParseFair reads an allocation file (fair-scheduler.xml) in the form of the Fair Scheduler of
// MapReduce [Hadoop Fair Scheduler Guide §4.2]; name is used in messages. Times in the file are
// whole seconds. The error joins a *Problem for everything wrong with the file; one that comes from
// YARN's scheduler is errors.Is(err, ErrYARN).
func ParseFair(name string, r io.Reader) (Fair, error) {
	p := fairParser{faults: faults{file: name}, pools: map[string]int{}, users: map[string]int{}, top: map[string]int{}}
	root := readDocument(&p.faults, r)
	if root != nil {
		p.document(root)
	}
	if err := p.err(); err != nil {
		return Fair{}, err
	}
	return Fair{Allocations: p.out, Warnings: p.noted()}, nil
}

// fairParser gathers the allocations; the maps tell the line on which a name or element stood
// first.
type fairParser struct {
	faults
	out               scheduling.Allocations
	pools, users, top map[string]int
}

// document reads the root element.
func (p *fairParser) document(root *element) {
	if root.name != "allocations" {
		hint := ""
		if root.name == "configuration" || root.name == "queues" {
			hint = "; this looks like the file of another scheduler"
		}
		p.add(root.line, "the root element is <%s>, want <allocations>%s", root.name, hint)
		return
	}
	root.noAttrs(&p.faults)
	root.container(&p.faults)
	for _, e := range root.children {
		if instead, yarn := yarnElements[e.name]; yarn {
			p.addCause(ErrYARN, e.line, "<%s> belongs to the YARN Fair Scheduler: %v; use %s", e.name, ErrYARN, instead)
			return // the rest would be of that kind too
		}
	}
	for _, e := range root.children {
		p.topLevel(e)
	}
}

// topSettings are the elements of the file beside pools and users.
var topSettings = map[string]func(a *scheduling.Allocations, v entry){
	"poolMaxJobsDefault":               func(a *scheduling.Allocations, v entry) { a.PoolMaxJobs = v.limit() },
	"userMaxJobsDefault":               func(a *scheduling.Allocations, v entry) { a.UserMaxJobs = v.limit() },
	"defaultMinSharePreemptionTimeout": func(a *scheduling.Allocations, v entry) { a.MinTimeout = v.seconds() },
	"fairSharePreemptionTimeout":       func(a *scheduling.Allocations, v entry) { a.FairTimeout = v.seconds() },
	"defaultPoolSchedulingMode":        func(a *scheduling.Allocations, v entry) { a.PoolMode = v.poolMode() },
}

// poolSettings are the elements of a <pool>.
var poolSettings = map[string]func(c *scheduling.PoolConfig, v entry){
	"minMaps":                   func(c *scheduling.PoolConfig, v entry) { c.Min[scheduling.Map] = v.count(0) },
	"minReduces":                func(c *scheduling.PoolConfig, v entry) { c.Min[scheduling.Reduce] = v.count(0) },
	"maxMaps":                   func(c *scheduling.PoolConfig, v entry) { c.Max[scheduling.Map] = v.limit() },
	"maxReduces":                func(c *scheduling.PoolConfig, v entry) { c.Max[scheduling.Reduce] = v.limit() },
	"maxRunningJobs":            func(c *scheduling.PoolConfig, v entry) { c.MaxJobs = v.limit() },
	"weight":                    func(c *scheduling.PoolConfig, v entry) { c.Weight = v.weight() },
	"minSharePreemptionTimeout": func(c *scheduling.PoolConfig, v entry) { c.MinTimeout = v.seconds() },
	"schedulingMode":            func(c *scheduling.PoolConfig, v entry) { c.Mode = v.poolMode() },
}

// topLevel reads an element of the file.
func (p *fairParser) topLevel(e *element) {
	set, known := topSettings[e.name]
	switch {
	case e.name == "pool":
		p.pool(e)
	case e.name == "user":
		p.user(e)
	case !known:
		p.warn(e.line, "unknown element <%s> is ignored", e.name) // as Hadoop's "Bad element in allocations file"
	case p.once(e, p.top, e.name, "<"+e.name+">"):
		if v, ok := p.entry(e, e.name); ok {
			set(&p.out, v)
		}
	}
}

// entry is the value of an element, if it has one.
func (p *fairParser) entry(e *element, what string) (entry, bool) {
	text, ok := e.value(&p.faults)
	return entry{&p.faults, e.line, what, text}, ok
}

// once notes what stands in the file for the second time.
func (p *fairParser) once(e *element, seen map[string]int, key, what string) bool {
	if first, again := seen[key]; again {
		p.add(e.line, "%s stands here again, first on line %d", what, first)
		return false
	}
	seen[key] = e.line
	return true
}

// name reads the attribute name, the only one that pools and users have.
func (p *fairParser) name(e *element, seen map[string]int) (string, bool) {
	e.noAttrs(&p.faults, "name")
	e.container(&p.faults)
	name, times := e.attr("name")
	switch reason := nameReason(name); {
	case times == 0:
		p.add(e.line, "<%s> without a name", e.name)
	case times > 1:
		p.add(e.line, "<%s> with %d names", e.name, times)
	case reason != "":
		p.add(e.line, "the name %q of <%s> %s", shorten(name), e.name, reason)
		name = shorten(name)
	default:
		return name, p.once(e, seen, name, e.name+" "+name)
	}
	return name, false
}

// pool reads a <pool>. Its settings are checked even if its name is not right.
func (p *fairParser) pool(e *element) {
	name, ok := p.name(e, p.pools)
	c := scheduling.PoolConfig{Name: name}
	lines := map[string]int{}
	for _, child := range e.children {
		p.poolSetting(&c, child, lines)
	}
	for kind, element := range [...]string{"Maps", "Reduces"} {
		if most := max(0, c.Max[kind]); c.Max[kind] != 0 && c.Min[kind] > most {
			p.warn(lines["min"+element], "pool %s: min%s %d is above max%s %d and counts as that", name, element, c.Min[kind], element, most)
		}
	}
	if ok {
		p.out.Pools = append(p.out.Pools, c)
	}
}

// poolSetting reads one element of a pool.
func (p *fairParser) poolSetting(c *scheduling.PoolConfig, e *element, lines map[string]int) {
	what := "pool " + c.Name + ": " + e.name
	set, known := poolSettings[e.name]
	instead, yarn := yarnElements[e.name]
	switch {
	case known && p.once(e, lines, e.name, what):
		if v, ok := p.entry(e, what); ok {
			set(c, v)
		}
	case known: // noted
	case yarn:
		p.addCause(ErrYARN, e.line, "%s belongs to the YARN Fair Scheduler: %v; use %s", what, ErrYARN, instead)
	default:
		p.add(e.line, "pool %s: unknown element <%s>", c.Name, e.name)
	}
}

// user reads a <user>.
func (p *fairParser) user(e *element) {
	name, ok := p.name(e, p.users)
	c := scheduling.UserConfig{Name: name}
	lines := map[string]int{}
	for _, child := range e.children {
		what := "user " + name + ": " + child.name
		if child.name != "maxRunningJobs" {
			p.add(child.line, "user %s: unknown element <%s>", name, child.name)
		} else if p.once(child, lines, child.name, what) {
			if v, given := p.entry(child, what); given {
				c.MaxJobs = v.limit()
			}
		}
	}
	if ok {
		p.out.Users = append(p.out.Users, c)
	}
}

// nothing stands in yarnElements for what has no counterpart.
const nothing = "nothing, as it has no counterpart"

// yarnElements are elements of YARN's allocation file, and what stands for them in this one.
var yarnElements = map[string]string{
	"queue":                             "<pool>",
	"minResources":                      "minMaps and minReduces",
	"minShare":                          "minMaps and minReduces",
	"maxResources":                      "maxMaps and maxReduces",
	"maxChildResources":                 "maxMaps and maxReduces",
	"maxRunningApps":                    "maxRunningJobs",
	"schedulingPolicy":                  "schedulingMode",
	"queueMaxAppsDefault":               "poolMaxJobsDefault",
	"userMaxAppsDefault":                "userMaxJobsDefault",
	"defaultQueueSchedulingPolicy":      "defaultPoolSchedulingMode",
	"defaultQueueSchedulingMode":        "defaultPoolSchedulingMode",
	"defaultFairSharePreemptionTimeout": "fairSharePreemptionTimeout",
	"aclSubmitApps":                     "the lists in mapred-queues.xml",
	"aclAdministerApps":                 "the lists in mapred-queues.xml",

	"queuePlacementPolicy":                nothing,
	"queueMaxResourcesDefault":            nothing,
	"queueMaxAMShareDefault":              nothing,
	"maxAMShare":                          nothing,
	"fairSharePreemptionThreshold":        nothing,
	"defaultFairSharePreemptionThreshold": nothing,
	"allowPreemptionFrom":                 nothing,
	"reservation":                         nothing,
	"reservation-agent":                   nothing,
	"maxContainerAllocation":              nothing,
}
