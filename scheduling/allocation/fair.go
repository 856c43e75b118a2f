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
		if instead, yarn := yarnElement(e.name); yarn {
			p.addCause(ErrYARN, e.line, "<%s> belongs to the YARN Fair Scheduler: %v; use %s", e.name, ErrYARN, instead)
			return // the rest would be of that kind too
		}
	}
	for _, e := range root.children {
		p.topLevel(e)
	}
}

// topLevel reads an element of the file.
func (p *fairParser) topLevel(e *element) {
	switch e.name {
	case "pool":
		p.pool(e)
		return
	case "user":
		p.user(e)
		return
	}
	var set func(text string)
	out, f, line := &p.out, &p.faults, e.line
	switch e.name {
	case "poolMaxJobsDefault":
		set = func(text string) { out.PoolMaxJobs = limit(f, line, e.name, text) }
	case "userMaxJobsDefault":
		set = func(text string) { out.UserMaxJobs = limit(f, line, e.name, text) }
	case "defaultMinSharePreemptionTimeout":
		set = func(text string) { out.MinTimeout = seconds(f, line, e.name, text) }
	case "fairSharePreemptionTimeout":
		set = func(text string) { out.FairTimeout = seconds(f, line, e.name, text) }
	case "defaultPoolSchedulingMode":
		set = func(text string) { out.PoolMode = poolMode(f, line, e.name, text) }
	default:
		p.warn(e.line, "unknown element <%s> is ignored", e.name) // as Hadoop's "Bad element in allocations file"
		return
	}
	if p.once(e, p.top, e.name, "<"+e.name+">") {
		if text, ok := e.value(f); ok {
			set(text)
		}
	}
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
	f, line := &p.faults, e.line
	var set func(text string)
	switch e.name {
	case "minMaps":
		set = func(text string) { c.Min[scheduling.Map], _ = count(f, line, what, text, 0) }
	case "minReduces":
		set = func(text string) { c.Min[scheduling.Reduce], _ = count(f, line, what, text, 0) }
	case "maxMaps":
		set = func(text string) { c.Max[scheduling.Map] = limit(f, line, what, text) }
	case "maxReduces":
		set = func(text string) { c.Max[scheduling.Reduce] = limit(f, line, what, text) }
	case "maxRunningJobs":
		set = func(text string) { c.MaxJobs = limit(f, line, what, text) }
	case "weight":
		set = func(text string) { c.Weight = weight(f, line, what, text) }
	case "minSharePreemptionTimeout":
		set = func(text string) { c.MinTimeout = seconds(f, line, what, text) }
	case "schedulingMode":
		set = func(text string) { c.Mode = poolMode(f, line, what, text) }
	default:
		if instead, yarn := yarnElement(e.name); yarn {
			p.addCause(ErrYARN, line, "%s belongs to the YARN Fair Scheduler: %v; use %s", what, ErrYARN, instead)
		} else {
			p.add(line, "pool %s: unknown element <%s>", c.Name, e.name)
		}
		return
	}
	if p.once(e, lines, e.name, what) {
		if text, ok := e.value(f); ok {
			set(text)
		}
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
			if text, given := child.value(&p.faults); given {
				c.MaxJobs = limit(&p.faults, child.line, what, text)
			}
		}
	}
	if ok {
		p.out.Users = append(p.out.Users, c)
	}
}

// yarnElement tells elements of YARN's allocation file, and what stands for them in this one.
func yarnElement(name string) (instead string, yarn bool) {
	switch name {
	case "queue":
		return "<pool>", true
	case "minResources", "minShare":
		return "minMaps and minReduces", true
	case "maxResources", "maxChildResources":
		return "maxMaps and maxReduces", true
	case "maxRunningApps":
		return "maxRunningJobs", true
	case "schedulingPolicy":
		return "schedulingMode", true
	case "queueMaxAppsDefault":
		return "poolMaxJobsDefault", true
	case "userMaxAppsDefault":
		return "userMaxJobsDefault", true
	case "defaultQueueSchedulingPolicy", "defaultQueueSchedulingMode":
		return "defaultPoolSchedulingMode", true
	case "defaultFairSharePreemptionTimeout":
		return "fairSharePreemptionTimeout", true
	case "aclSubmitApps", "aclAdministerApps":
		return "the lists in mapred-queues.xml", true
	case "queuePlacementPolicy", "queueMaxResourcesDefault", "queueMaxAMShareDefault", "maxAMShare", "fairSharePreemptionThreshold",
		"defaultFairSharePreemptionThreshold", "allowPreemptionFrom", "reservation", "reservation-agent", "maxContainerAllocation":
		return "nothing, as it has no counterpart", true
	}
	return "", false
}
