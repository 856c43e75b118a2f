package allocation

import (
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/access"
)

// readPools reads an allocation file (fair-scheduler.xml) in the format of the Fair Scheduler of
// MapReduce [Hadoop Fair Scheduler Guide §4.2]. Times in it are in whole seconds.
func (r *reader) readPools(root *element) {
	for _, e := range root.children {
		if instead, yarn := yarnElements[e.name]; yarn {
			r.addYARN(e, "<"+e.name+">", instead)
			return // the rest has the same problem
		}
	}
	r.Pools = scheduling.Allocations{}
	pools, users := map[string]place{}, map[string]place{}
	for _, e := range topSettings.read(r, "", root) {
		switch e.name {
		case "pool":
			if r.readPool(e, pools) {
				r.Pools.Pools = append(r.Pools.Pools, r.pool)
			}
		case "user":
			if r.readUser(e, users) {
				r.Pools.Users = append(r.Pools.Users, r.user)
			}
		default: // as Hadoop's "Bad element in allocations file"
			r.warn(e.place, "unknown element <%s> is ignored%v", e.name, topSettings.near(e.name))
		}
	}
}

// topSettings has the setters of an allocation file's top-level elements, except pools and users.
var topSettings = table{
	"poolMaxJobsDefault":               func(v entry) { v.Pools.PoolMaxJobs = v.limit() },
	"userMaxJobsDefault":               func(v entry) { v.Pools.UserMaxJobs = v.limit() },
	"defaultMinSharePreemptionTimeout": func(v entry) { v.Pools.MinTimeout = v.seconds() },
	"fairSharePreemptionTimeout":       func(v entry) { v.Pools.FairTimeout = v.seconds() },
	"defaultPoolSchedulingMode":        func(v entry) { v.Pools.PoolMode = v.poolMode() },
}

// poolSettings has the setters of the elements and attributes of a <pool>.
var poolSettings = table{
	"@name":                     nil,
	"minMaps":                   func(v entry) { v.pool.Min[scheduling.Map] = v.count(0) },
	"minReduces":                func(v entry) { v.pool.Min[scheduling.Reduce] = v.count(0) },
	"maxMaps":                   func(v entry) { v.pool.Max[scheduling.Map] = v.limit() },
	"maxReduces":                func(v entry) { v.pool.Max[scheduling.Reduce] = v.limit() },
	"maxRunningJobs":            func(v entry) { v.pool.MaxJobs = v.limit() },
	"weight":                    func(v entry) { v.pool.Weight = v.weight() },
	"minSharePreemptionTimeout": func(v entry) { v.pool.MinTimeout = v.seconds() },
	"schedulingMode":            func(v entry) { v.pool.Mode = v.poolMode() },
}

// userSettings has the setters of the elements and attributes of a <user>.
var userSettings = table{
	"@name":          nil,
	"maxRunningJobs": func(v entry) { v.user.MaxJobs = v.limit() },
}

// readPool reads a <pool> into r.pool; ok is false if its name is wrong. Its other mistakes are
// reported too.
func (r *reader) readPool(e *element, seen map[string]place) (ok bool) {
	c := &r.pool
	*c = scheduling.PoolConfig{}
	c.Name, ok = r.readName(e, seen)
	in := "pool " + c.Name + ": "
	for _, part := range poolSettings.read(r, in, e) {
		if instead, yarn := yarnElements[part.name]; yarn {
			r.addYARN(part, in+part.name, instead)
		} else {
			poolSettings.unknown(r, in, e, part)
		}
	}
	for kind, tasks := range [...]string{"Maps", "Reduces"} {
		if most := max(0, c.Max[kind]); c.Max[kind] != 0 && c.Min[kind] > most {
			at := e.child("min" + tasks).place
			r.warn(at, "pool %s: min%s %d is above max%s %d and counts as that", c.Name, tasks, c.Min[kind], tasks, most)
		}
	}
	return ok
}

// readUser reads a <user> into r.user; ok is false if its name is wrong.
func (r *reader) readUser(e *element, seen map[string]place) (ok bool) {
	r.user = scheduling.UserConfig{}
	r.user.Name, ok = r.readName(e, seen)
	in := "user " + r.user.Name + ": "
	userSettings.unknown(r, in, e, userSettings.read(r, in, e)...)
	return ok
}

// readName returns the name of a <pool> or <user>; ok is false if it is invalid or already in seen.
func (r *reader) readName(e *element, seen map[string]place) (name string, ok bool) {
	attr := e.child("@name")
	if attr == nil {
		r.add(e.place, "<%s> without a name", e.name)
		return "", false
	}
	name = string(attr.text)
	if reason := access.NameFault(name); reason != "" {
		r.add(e.place, "the name %q of <%s> %s", shorten(name), e.name, reason)
		return shorten(name), false
	}
	return name, r.once(seen, name, e.name+" "+name, e.place)
}

// addYARN reports an element of YARN's allocation file.
func (r *reader) addYARN(e *element, what, instead string) {
	r.add(e.place, "%s belongs to the YARN Fair Scheduler: %w; use %s", what, ErrYARN, instead)
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
