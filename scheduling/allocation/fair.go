package allocation

import (
	"io"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/access"
)

// ParseFair reads an allocation file (fair-scheduler.xml) in the format of the Fair Scheduler of
// MapReduce [Hadoop Fair Scheduler Guide §4.2]; name is used in messages. Times in the file are in
// whole seconds. The result has only the settings of this file: settings of mapred-site.xml are
// zero. Pools and Users are in file order. A limit of 0 in the file allows nothing, and is returned
// as -1: there 0 means no limit. Warnings are about minimum shares above maximum shares and unknown top-level elements.
// The error joins a *Problem for everything wrong with the file; if the file is YARN's,
// errors.Is(err, ErrYARN) is true.
func ParseFair(name string, r io.Reader) (scheduling.Allocations, []*Problem, error) {
	return parse(name, r, readFair)
}

// readFair returns the settings in the root element of an allocation file; problems go to f.
func readFair(f *faults, root *element) (a scheduling.Allocations) {
	if !f.rootIs(root, "allocations") {
		return a
	}
	for _, e := range root.children {
		if instead, yarn := yarnElements[e.name]; yarn {
			f.addYARN(e, "<"+e.name+">", instead)
			return a // the rest has the same problem
		}
	}
	pools, users := map[string]place{}, map[string]place{}
	topSettings.read(f, "", root, &a, func(e *element) bool {
		switch e.name {
		case "pool":
			if c, ok := readPool(f, e, pools); ok {
				a.Pools = append(a.Pools, c)
			}
		case "user":
			if c, ok := readUser(f, e, users); ok {
				a.Users = append(a.Users, c)
			}
		default: // as Hadoop's "Bad element in allocations file"
			f.warn(e.place, "unknown element <%s> is ignored%v", e.name, topSettings.near(e.name))
		}
		return true
	})
	return a
}

// topSettings has the setters of an allocation file's top-level elements, except pools and users.
var topSettings = table[scheduling.Allocations]{
	"poolMaxJobsDefault":               func(a *scheduling.Allocations, v entry) { a.PoolMaxJobs = v.limit() },
	"userMaxJobsDefault":               func(a *scheduling.Allocations, v entry) { a.UserMaxJobs = v.limit() },
	"defaultMinSharePreemptionTimeout": func(a *scheduling.Allocations, v entry) { a.MinTimeout = v.seconds() },
	"fairSharePreemptionTimeout":       func(a *scheduling.Allocations, v entry) { a.FairTimeout = v.seconds() },
	"defaultPoolSchedulingMode":        func(a *scheduling.Allocations, v entry) { a.PoolMode = v.poolMode() },
}

// poolSettings has the setters of the elements and attributes of a <pool>.
var poolSettings = table[scheduling.PoolConfig]{
	"@name":                     nil,
	"minMaps":                   func(c *scheduling.PoolConfig, v entry) { c.Min[scheduling.Map] = v.count(0) },
	"minReduces":                func(c *scheduling.PoolConfig, v entry) { c.Min[scheduling.Reduce] = v.count(0) },
	"maxMaps":                   func(c *scheduling.PoolConfig, v entry) { c.Max[scheduling.Map] = v.limit() },
	"maxReduces":                func(c *scheduling.PoolConfig, v entry) { c.Max[scheduling.Reduce] = v.limit() },
	"maxRunningJobs":            func(c *scheduling.PoolConfig, v entry) { c.MaxJobs = v.limit() },
	"weight":                    func(c *scheduling.PoolConfig, v entry) { c.Weight = v.weight() },
	"minSharePreemptionTimeout": func(c *scheduling.PoolConfig, v entry) { c.MinTimeout = v.seconds() },
	"schedulingMode":            func(c *scheduling.PoolConfig, v entry) { c.Mode = v.poolMode() },
}

// userSettings has the setters of the elements and attributes of a <user>.
var userSettings = table[scheduling.UserConfig]{
	"@name":          nil,
	"maxRunningJobs": func(c *scheduling.UserConfig, v entry) { c.MaxJobs = v.limit() },
}

// readPool reads a <pool>; ok is false if its name is wrong. Its other mistakes are reported too.
func readPool(f *faults, e *element, seen map[string]place) (c scheduling.PoolConfig, ok bool) {
	c.Name, ok = readName(f, e, seen)
	in := "pool " + c.Name + ": "
	poolSettings.read(f, in, e, &c, func(part *element) bool {
		instead, yarn := yarnElements[part.name]
		if yarn {
			f.addYARN(part, in+part.name, instead)
		}
		return yarn
	})
	for kind, tasks := range [...]string{"Maps", "Reduces"} {
		if most := max(0, c.Max[kind]); c.Max[kind] != 0 && c.Min[kind] > most {
			at := e.child("min" + tasks).place
			f.warn(at, "pool %s: min%s %d is above max%s %d and counts as that", c.Name, tasks, c.Min[kind], tasks, most)
		}
	}
	return c, ok
}

// readUser reads a <user>; ok is false if its name is wrong.
func readUser(f *faults, e *element, seen map[string]place) (c scheduling.UserConfig, ok bool) {
	c.Name, ok = readName(f, e, seen)
	userSettings.read(f, "user "+c.Name+": ", e, &c, nil)
	return c, ok
}

// readName returns the name of a <pool> or <user>; ok is false if it is invalid or already in seen.
func readName(f *faults, e *element, seen map[string]place) (name string, ok bool) {
	attr := e.child("@name")
	if attr == nil {
		f.add(e.place, "<%s> without a name", e.name)
		return "", false
	}
	name = string(attr.text)
	if reason := access.NameFault(name); reason != "" {
		f.add(e.place, "the name %q of <%s> %s", shorten(name), e.name, reason)
		return shorten(name), false
	}
	return name, f.once(seen, name, e.name+" "+name, e.place)
}

// addYARN reports an element of YARN's allocation file.
func (f *faults) addYARN(e *element, what, instead string) {
	f.add(e.place, "%s belongs to the YARN Fair Scheduler: %w; use %s", what, ErrYARN, instead)
}

// nothing is the value in yarnElements for elements that have no counterpart here.
const nothing = "nothing, as it has no counterpart"

// yarnElements maps elements of YARN's allocation file to their replacements in this one.
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
