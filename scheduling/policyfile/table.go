package policyfile

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/tarry-mr/tarry/scheduling"
)

// Limits of the numbers of settings. Those of times are in seconds.
const (
	maxNumber   = 1e9 // of numbers without a natural limit
	maxSeconds  = 3.6e6
	minPositive = 1e-6 // of numbers that must be above 0
)

// Fields returns every setting of a policy, in the order of a file.
var Fields = sync.OnceValue(func() []*Field {
	all := slices.Concat(general(), locality(), reduce(), pools(), queues(), hfsp(), quincy(), attempts())
	return typed(all, reflect.TypeFor[scheduling.Policy]())
})

// flag returns a setting that is on or off.
func flag(key, help string) *Field { return &Field{Key: key, Help: help} }

// number returns a setting that is a number or a time, from low to high.
func number(key string, low, high float64, help string) *Field {
	return &Field{Key: key, Help: help, Least: low, Most: high}
}

// span returns a setting that is a time; unset is the text of its default.
func span(key, unset, help string) *Field {
	return number(key, minPositive, maxSeconds, help).unset(unset)
}

// choice returns a setting with named values, which are the Go values 0, 1, 2 and so on.
func choice(key, help string, values ...string) *Field {
	f := &Field{Key: key, Help: help, only: true}
	for i, text := range values {
		f.words = append(f.words, word{text, i})
	}
	return f
}

// text returns a string setting with the given values.
func text(key, help string, values ...string) *Field {
	f := choice(key, help, values...)
	for i := range f.words {
		f.words[i].value = f.words[i].text
	}
	return f
}

// name returns a string setting; parse returns an error for an invalid value.
func name(key, help string, parse func(string) error) *Field {
	return &Field{Key: key, Help: help, parse: parse}
}

func (f *Field) unset(text string) *Field    { f.Unset = text; return f.or(text, nil) }
func (f *Field) negative(text string) *Field { return f.or(text, -1) }
func (f *Field) at(path string) *Field       { f.Path = path; return f }

// or adds a named value to a setting, such as "none" for no limit.
func (f *Field) or(text string, value any) *Field {
	f.words = append(f.words, word{text, value})
	return f
}

// entries makes a setting a list whose entries have the given fields.
func (f *Field) entries(items []*Field) *Field { f.items = items; return f }

// onlyWith returns settings that have an effect only if the setting key has one of the values,
// which are separated by spaces; no values: any value but 0.
func onlyWith(key, values string, list ...*Field) []*Field {
	for _, f := range list {
		f.needs = append([]need{{key, values}}, f.needs...)
	}
	return list
}

func general() []*Field {
	return slices.Concat(
		[]*Field{
			name("name", "shown in results", goodPolicyName),
			text("order", "which job is next", scheduling.Orders()...),
			number("slow_start", 0, 1, "fraction of a job's maps that must be done before its reduces launch").negative("0.05"),
		},
		onlyWith("order", "pools", flag("one_task", "launch at most one task per heartbeat (assignmultiple=false)")),
		onlyWith("order", "fifo pools", flag("spread", "limit each node of an underloaded cluster to its share of the tasks")),
		onlyWith("order", "pools", onlyWith("spread", "true",
			number("load_max_diff", 0, 1, "how far the load of a node may exceed its share"))...),
		[]*Field{number("reserve_long", 0, maxNumber, "reserve N slots of each kind and node for tasks shorter than long_task (0: none)")},
		onlyWith("reserve_long", "", number("long_task", 0, maxSeconds, "minimum duration of a long task")),
	)
}

func locality() []*Field {
	const key = "locality.rule"
	return slices.Concat(
		[]*Field{choice(key, "launch a map that is not local at once, after N skipped offers, or after a wait",
			"greedy", "skips", "wait")},
		onlyWith(key, "skips",
			number("locality.skips", 0, maxNumber, "offers to refuse by level: for a node with the data, then for a rack")),
		onlyWith(key, "wait",
			number("locality.waits", 0, maxSeconds, "waits by level: for a node with the data, then for a rack")),
		onlyWith(key, "skips wait", flag("locality.auto",
			"wait 1.5 heartbeat intervals, at most 15 s; compute missing skips for 95 % locality")),
		onlyWith(key, "wait",
			flag("locality.capped", "continue a wait across local launches while offers are refused")),
	)
}

func reduce() []*Field {
	const key = "reduce.rule"
	wait := func(key, path, help string) *Field {
		return number(key, 0, maxSeconds, help).unset("auto").negative("0s").at(path)
	}
	return append(
		[]*Field{choice(key, "launch reduces anywhere, at the center of gravity of their input, or where most of it is",
			"any", "cogrs", "larts")},
		onlyWith(key, "cogrs larts",
			wait("reduce.node_wait", "Reduce.Waits.0", "wait for the center (auto: 1.5 heartbeat intervals, at most 15 s)"),
			wait("reduce.rack_wait", "Reduce.Waits.1", "then wait for its rack"),
			number("reduce.theta", 0, 1, "do not wait for less than this fraction of the maximum weighted distance").
				unset("0.05").negative("0"),
			number("reduce.skew_cap", minPositive, maxNumber, "limit a node to ceil(skew_cap × reduces / nodes) of a job's reduces").
				unset("1.5").negative("none"),
			flag("reduce.no_projection", "ignore running maps; otherwise each counts with the job's mean output"),
		)...)
}

func pools() []*Field {
	jobs := func(key, of string) *Field {
		return number(key, 1, maxNumber, "maximum running jobs of "+of+" without its own limit").unset("none")
	}
	return onlyWith("order", "pools", append(
		[]*Field{
			flag("pools.list", "pools that differ from the defaults").at("Pools.Pools").entries(poolFields()),
			flag("pools.users", "users with limits").entries(userFields()),
			jobs("pools.pool_max_jobs", "a pool"),
			jobs("pools.user_max_jobs", "a user"),
			choice("pools.mode", "order of the jobs in a pool").or("fair", 1).or("fifo", 2).unset("fair").at("Pools.PoolMode"),
			span("pools.min_timeout", "none", "time below the minimum share before a pool takes slots from others"),
			span("pools.fair_timeout", "none", "time below half of the fair share before a pool takes slots"),
			flag("pools.per_user", "put a job without a pool into its user's pool, not into default").at("Pools.PoolPerUser"),
			flag("pools.known", "reject jobs of pools that are not listed"),
			flag("pools.size_based_weight", "multiply weights by log2(1 + demand)"),
			number("pools.boost_factor", minPositive, maxNumber, "weight factor of new jobs").unset("none"),
			span("pools.boost_time", "5m", "how long a job is new"),
			choice("preemption.mode", "kill tasks to return slots to pools; log only reports them",
				"off", "log", "on"),
		},
		onlyWith("preemption.mode", "log on",
			span("preemption.interval", "15s", "time between rounds of preemption").negative("never"))...)...)
}

func queues() []*Field {
	const help = "parents before children (none: one queue, default, with 100 %)"
	return onlyWith("order", "capacity", flag("queues", help).entries(queueFields()))
}

func hfsp() []*Field {
	return onlyWith("order", "hfsp", slices.Concat(
		[]*Field{
			choice("hfsp.reclaim", "how to take a slot from a larger job", "suspend", "wait", "kill"),
			flag("hfsp.no_training", "compute sizes from the task times that jobs state"),
		},
		onlyWith("hfsp.no_training", "false",
			number("hfsp.sample", 1, maxNumber, "number of training tasks").unset("5"),
			span("hfsp.delta", "1m", "how long a reduce runs before its progress estimates its duration"),
			number("hfsp.xi", 1, maxNumber, "initial size is xi × tasks × mean task (inf: no slots except for training)").
				unset("1").negative("inf"),
			span("hfsp.initial", "1m", "assumed duration of a task until one of its kind is done"),
			text("hfsp.estimator", "how to estimate a size from samples: their mean, or a fitted distribution", "mean", "fit").unset("mean"),
		),
		onlyWith("hfsp.reclaim", "suspend",
			number("hfsp.suspend_high", 0, maxNumber, "wait instead of suspending once N tasks are suspended (0: no limit)"),
			number("hfsp.suspend_low", 0, maxNumber, "resume suspending when only N tasks are suspended"),
		),
		[]*Field{flag("hfsp.weighted", "weight virtual shares by priority: 4, 2, 1, 0.5, 0.25")},
	)...)
}

func quincy() []*Field {
	const key = "quincy.rule"
	cost := func(key, unset, help string) *Field {
		return number(key, 0, maxSeconds, help).unset(unset).negative("0s")
	}
	return onlyWith("order", "quincy", slices.Concat(
		[]*Field{
			choice(key, "f: with fair shares, p: may kill running maps", "qfp", "qf", "qp", "q"),
			cost("quincy.rack", "2.5s", "cost of reading from a node of the rack, as waiting time; at most far"),
			cost("quincy.far", "5s", "cost of reading from beyond the rack"),
		},
		onlyWith(key, "qfp qf",
			number("quincy.floor", 0, 1, "fraction of its fair share that a job gets at any cost").unset("1").negative("0")),
		onlyWith(key, "qfp qp",
			number("quincy.lost", 0, maxNumber, "cost of a second of killed work, in seconds of waiting").
				unset("1").negative("0"),
			span("quincy.interval", "1s", "time between checks of running maps").negative("never"),
		),
	)...)
}

func attempts() []*Field {
	const key = "speculation.rule"
	return slices.Concat(
		[]*Field{choice(key, "start speculative attempts: never, by Hadoop's first rule, by LATE", "none", "native", "late")},
		onlyWith(key, "native late",
			flag("speculation.no_maps", "no speculative attempts of maps").at("Speculation.Except.0"),
			flag("speculation.no_reduces", "no speculative attempts of reduces").at("Speculation.Except.1"),
			span("speculation.lag", "1m", "minimum running time of an attempt before a speculative one"),
		),
		onlyWith(key, "late",
			number("speculation.slow_task", minPositive, maxNumber,
				"a slow task's rate is N standard deviations below its job's mean").unset("1"),
			number("speculation.slow_node", minPositive, maxNumber,
				"N standard deviations make a node too slow for speculative attempts").unset("1"),
			number("speculation.cap", minPositive, 1, "maximum speculative attempts of a job, as a fraction of its running tasks").unset("0.1"),
			number("speculation.min_copies", 1, maxNumber, "speculative attempts that are always allowed").unset("10"),
		),
		[]*Field{
			number("avoid.job_failures", 1, maxNumber, "a job avoids a node after N failed attempts there").
				unset("4").negative("never"),
			number("avoid.jobs", 1, maxNumber, "all jobs avoid a node after N successful jobs avoided it").
				unset("4").negative("never"),
			span("avoid.forgive", "24h", "time after which one such job no longer counts"),
		},
	)
}

// byKey returns the setting with a key in a list; nil if there is none.
func byKey(list []*Field, key string) *Field {
	if i := slices.IndexFunc(list, func(f *Field) bool { return f.Key == key }); i >= 0 {
		return list[i]
	}
	return nil
}

// last returns the part of a key after its last dot.
func last(key string) string { return key[strings.LastIndexByte(key, '.')+1:] }

// poolFields describes the settings of a pool in a policy file.
func poolFields() []*Field {
	first := func(key, path string) *Field { return number(key, 0, maxNumber, "minimum share in slots").at(path) }
	limit := func(key, path string) *Field {
		return number(key, 0, maxNumber, "maximum slots").or("none", scheduling.NoLimit).unset("none").negative("0").at(path)
	}
	return []*Field{
		name("name", "of the pool", goodName),
		first("min_maps", "Min.0"), first("min_reduces", "Min.1"),
		limit("max_maps", "Max.0"), limit("max_reduces", "Max.1"),
		number("weight", minPositive, maxNumber, "share relative to other pools").unset("1"),
		choice("mode", "order of its jobs", "default", "fair", "fifo"),
		jobLimit(),
		span("min_timeout", "inherited", "time below the minimum share before it takes slots").negative("none"),
	}
}

// jobLimit describes the limit of running jobs of a pool or user.
func jobLimit() *Field {
	return number("max_jobs", 0, maxNumber, "maximum running jobs").
		or("none", scheduling.NoLimit).unset("inherited").negative("0")
}

// userFields describes the settings of a user.
func userFields() []*Field { return []*Field{name("name", "of the user", goodName), jobLimit()} }

// queueFields describes the settings of a queue.
func queueFields() []*Field {
	return []*Field{
		name("name", "of the queue", goodName),
		name("parent", "queue that contains it (none: a top queue)", goodName).unset("none"),
		number("capacity", minPositive, 100, "percent of the parent's slots (rest: an equal share of the remainder)").unset("rest"),
		number("max", minPositive, 100, "maximum percent of the parent's slots").unset("none"),
		number("user_limit", 1, 100, "minimum user limit in percent").unset("100"),
		flag("priorities", "respect priorities of jobs"),
		number("init_jobs", 1, maxNumber, "maximum initialized jobs of a user").unset("2"),
		number("user_factor", minPositive, maxNumber, "maximum slots of a user, as a multiple of the capacity").unset("none"),
		number("init_limit", 1, maxNumber, "maximum initialized jobs of all users").unset("none"),
		number("job_limit", 1, maxNumber, "maximum jobs, including waiting ones").unset("none"),
	}
}

// goodPolicyName checks the name of a policy: result directories have this name.
func goodPolicyName(s string) error {
	if strings.HasPrefix(s, ".") || strings.ContainsAny(s, `/\`) {
		return errors.New("want a name without slashes that does not begin with a point")
	}
	return goodName(s)
}

// goodName checks the name of a pool, user or queue.
func goodName(s string) error {
	switch {
	case s == "" || len(s) > 100:
		return errors.New("want a name of 1 to 100 bytes")
	case strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return errors.New("want a name without control characters")
	}
	return nil
}
