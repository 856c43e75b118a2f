package policyfile

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/tarry-mr/tarry/scheduling"
)

// Bounds of numbers. Times are in seconds; they end where a time.Duration does not.
const (
	most  = 1e9 // of numbers for which no bound says anything
	spans = 3.6e6
	least = 1e-6
)

// Fields lists every setting of a policy, in the order of a file.
var Fields = sync.OnceValue(func() []Field {
	all := slices.Concat(general(), locality(), reduce(), pools(), queues(), hfsp(), quincy(), attempts())
	return typed(all, reflect.TypeFor[scheduling.Policy]())
})

// names makes words of Go values 0, 1, 2 and so on.
func names(list ...string) (words []word) {
	for i, text := range list {
		words = append(words, word{text, i})
	}
	return words
}

// texts makes words that stand for themselves.
func texts(list ...string) (words []word) {
	for _, text := range list {
		words = append(words, word{text, text})
	}
	return words
}

func general() []Field {
	inPools := []need{{"order", "pools"}}
	return []Field{
		{Key: "name", Path: "Name", Help: "shown in results", parse: goodPolicyName},
		{
			Key: "order", Path: "Order", Help: "which job is next", only: true,
			words: texts(scheduling.Orders()...),
		},
		{
			Key: "slow_start", Path: "SlowStart", Most: 1, Negative: "0.05",
			Help: "part of a job's maps that are done before its reduces launch",
		},
		{
			Key: "one_task", Path: "OneTask", needs: inPools,
			Help: "one task in all for each heartbeat (assignmultiple=false)",
		},
		{
			Key: "spread", Path: "Spread", needs: []need{{"order", "fifo pools"}},
			Help: "nodes of an under-loaded cluster take at most their part of the tasks",
		},
		{
			Key: "load_max_diff", Path: "LoadMaxDiff", Most: 1, needs: []need{{"order", "pools"}, {"spread", "true"}},
			Help: "how far above its part the load of a node may go",
		},
		{
			Key: "reserve_long", Path: "ReserveLong", Most: most,
			Help: "slots of each kind and node kept for tasks shorter than long_task; 0 is none",
		},
		{
			Key: "long_task", Path: "LongTask", Most: spans, needs: []need{{"reserve_long", ""}},
			Help: "from what length on a task counts as long",
		},
	}
}

func locality() []Field {
	const key = "locality.rule"
	waits := []need{{key, "wait"}}
	return []Field{
		{
			Key: key, Path: "Locality.Rule", words: names("greedy", "skips", "wait"), only: true,
			Help: "a map off its data launches at once, after so many skipped offers, or after a wait",
		},
		{
			Key: "locality.skips", Path: "Locality.Skips", Most: most, needs: []need{{key, "skips"}},
			Help: "offers refused by level: for a node, and then for a rack with the data",
		},
		{
			Key: "locality.waits", Path: "Locality.Waits", Most: spans, needs: waits,
			Help: "waits by level: for a node, and then for a rack with the data",
		},
		{
			Key: "locality.auto", Path: "Locality.Auto", needs: []need{{key, "skips wait"}},
			Help: "waits are 1.5 heartbeat intervals, at most 15 s; skips, if none are given, make 95 % locality",
		},
		{
			Key: "locality.capped", Path: "Locality.Capped", needs: waits,
			Help: "a wait runs on over local launches while offers are refused",
		},
	}
}

func reduce() []Field {
	const key = "reduce.rule"
	waits := []need{{key, "cogrs larts"}}
	return []Field{
		{
			Key: key, Path: "Reduce.Rule", words: names("any", "cogrs", "larts"), only: true,
			Help: "reduces go anywhere, to the center of gravity of their input, or where most of it is",
		},
		{
			Key: "reduce.node_wait", Path: "Reduce.Waits.0", Most: spans, Unset: "auto", Negative: "0s", needs: waits,
			Help: "for the center; auto is 1.5 heartbeat intervals, at most 15 s",
		},
		{
			Key: "reduce.rack_wait", Path: "Reduce.Waits.1", Most: spans, Unset: "auto", Negative: "0s", needs: waits,
			Help: "then for its rack",
		},
		{
			Key: "reduce.theta", Path: "Reduce.Theta", Most: 1, Unset: "0.05", Negative: "0", needs: waits,
			Help: "part of the worst weighted distance that is not worth waiting for",
		},
		{
			Key: "reduce.skew_cap", Path: "Reduce.SkewCap", Least: least, Most: most, Unset: "1.5", Negative: "none",
			needs: waits, Help: "c limits a node to ceil(c × reduces / nodes) of a job's reduces",
		},
		{
			Key: "reduce.no_projection", Path: "Reduce.NoProjection", needs: waits,
			Help: "leave running maps out; else each counts with the job's mean output",
		},
	}
}

func pools() []Field {
	in := []need{{"order", "pools"}}
	jobs := func(key, path, of string) Field {
		return Field{
			Key: key, Path: path, Least: 1, Most: most, Unset: "none", needs: in,
			Help: "running jobs of " + of + " that has no limit of its own",
		}
	}
	timeout := func(key, path, help string) Field {
		return Field{Key: key, Path: path, Least: least, Most: spans, Unset: "none", needs: in, Help: help}
	}
	return []Field{
		{Key: "pools.list", Path: "Pools.Pools", items: poolFields(), needs: in, Help: "pools that differ from the defaults"},
		{Key: "pools.users", Path: "Pools.Users", items: userFields(), needs: in, Help: "users with limits"},
		jobs("pools.pool_max_jobs", "Pools.PoolMaxJobs", "a pool"),
		jobs("pools.user_max_jobs", "Pools.UserMaxJobs", "a user"),
		{
			Key: "pools.mode", Path: "Pools.PoolMode", words: []word{{"fair", 1}, {"fifo", 2}}, only: true, Unset: "fair",
			needs: in, Help: "how pools order their jobs",
		},
		timeout("pools.min_timeout", "Pools.MinTimeout", "below the minimum share before a pool takes slots from others"),
		timeout("pools.fair_timeout", "Pools.FairTimeout", "below half of its fair share before a pool takes slots"),
		{
			Key: "pools.per_user", Path: "Pools.PoolPerUser", needs: in,
			Help: "a job without a pool goes to that of its user, not to default",
		},
		{Key: "pools.known", Path: "Pools.Known", needs: in, Help: "pools that are not listed are refused"},
		{
			Key: "pools.size_based_weight", Path: "Pools.SizeBasedWeight", needs: in,
			Help: "weights are multiplied by log2(1 + demand)",
		},
		{
			Key: "pools.boost_factor", Path: "Pools.BoostFactor", Least: least, Most: most, Unset: "none", needs: in,
			Help: "weight factor of new jobs",
		},
		timeWith("pools.boost_time", "Pools.BoostTime", "5m", "how long a job counts as new", in),
		{
			Key: "preemption.mode", Path: "Preemption.Mode", words: names("off", "log", "on"), only: true, needs: in,
			Help: "whether pools take slots back by killing; log only says what would be killed",
		},
		{
			Key: "preemption.interval", Path: "Preemption.Interval", Least: least, Most: spans, Unset: "15s",
			Negative: "never", needs: append(in, need{"preemption.mode", "log on"}), Help: "between rounds of preemption",
		},
	}
}

// timeWith is a time with a default.
func timeWith(key, path, unset, help string, needs []need) Field {
	return Field{Key: key, Path: path, Least: least, Most: spans, Unset: unset, needs: needs, Help: help}
}

func queues() []Field {
	return []Field{{
		Key: "queues", Path: "Queues", items: queueFields(), needs: []need{{"order", "capacity"}},
		Help: "parents before children; none is one queue, default, with 100 %",
	}}
}

func hfsp() []Field {
	in := []need{{"order", "hfsp"}}
	trains, suspends := append(in, need{"hfsp.no_training", "false"}), append(in, need{"hfsp.reclaim", "suspend"})
	return []Field{
		{
			Key: "hfsp.reclaim", Path: "HFSP.Reclaim", words: names("suspend", "wait", "kill"), only: true, needs: in,
			Help: "how a slot is taken from a larger job",
		},
		{
			Key: "hfsp.no_training", Path: "HFSP.NoTraining", needs: in,
			Help: "sizes are known: tasks times the times that jobs are told to take",
		},
		{
			Key: "hfsp.sample", Path: "HFSP.Sample", Least: 1, Most: most, Unset: "5", needs: trains,
			Help: "tasks to train on",
		},
		timeWith("hfsp.delta", "HFSP.Delta", "1m", "how long a reduce runs before its progress tells its length", trains),
		{
			Key: "hfsp.xi", Path: "HFSP.Xi", Least: 1, Most: most, Unset: "1", words: []word{{"inf", math.Inf(1)}},
			needs: trains, Help: "initial size is xi × tasks × mean task; inf: no slots but for training",
		},
		timeWith("hfsp.initial", "HFSP.Initial", "1m", "assumed length of a task while none of its kind is done", trains),
		{
			Key: "hfsp.estimator", Path: "HFSP.Estimator", words: texts("mean", "fit"), only: true, Unset: "mean",
			needs: trains, Help: "how samples make a size: their mean, or a fitted distribution",
		},
		{
			Key: "hfsp.suspend_high", Path: "HFSP.SuspendHigh", Most: most, needs: suspends,
			Help: "with so many tasks suspended, wait instead; 0 is no limit",
		},
		{
			Key: "hfsp.suspend_low", Path: "HFSP.SuspendLow", Most: most, needs: suspends,
			Help: "when no more are left, suspend again",
		},
		{
			Key: "hfsp.weighted", Path: "HFSP.Weighted", needs: in,
			Help: "virtual shares follow the priorities, 4, 2, 1, 0.5, 0.25",
		},
	}
}

func quincy() []Field {
	const key = "quincy.rule"
	in := []need{{"order", "quincy"}}
	fair, kills := append(in, need{key, "qfp qf"}), append(in, need{key, "qfp qp"})
	cost := func(key, path, unset, help string) Field {
		return Field{Key: key, Path: path, Most: spans, Unset: unset, Negative: "0s", needs: in, Help: help}
	}
	return []Field{
		{
			Key: key, Path: "Quincy.Rule", words: names("qfp", "qf", "qp", "q"), only: true, needs: in,
			Help: "f: with fair shares, p: running maps may be killed",
		},
		cost("quincy.rack", "Quincy.Rack", "2.5s", "cost of reading from a node of the rack, as time that a map waits; at most far"),
		cost("quincy.far", "Quincy.Far", "5s", "cost of reading from beyond the rack"),
		{
			Key: "quincy.floor", Path: "Quincy.Floor", Most: 1, Unset: "1", Negative: "0", needs: fair,
			Help: "part of its fair share that a job gets at any cost",
		},
		{
			Key: "quincy.lost", Path: "Quincy.Lost", Most: most, Unset: "1", Negative: "0", needs: kills,
			Help: "seconds of waiting that a second of work lost by a kill costs",
		},
		{
			Key: "quincy.interval", Path: "Quincy.Interval", Least: least, Most: spans, Unset: "1s", Negative: "never",
			needs: kills, Help: "between looks at running maps",
		},
	}
}

func attempts() []Field {
	const key = "speculation.rule"
	copies, late := []need{{key, "native late"}}, []need{{key, "late"}}
	return []Field{
		{
			Key: key, Path: "Speculation.Rule", words: names("none", "native", "late"), only: true,
			Help: "which slow tasks are copied: none, by Hadoop's first rule, by LATE",
		},
		{Key: "speculation.no_maps", Path: "Speculation.Except.0", needs: copies, Help: "copy no maps"},
		{Key: "speculation.no_reduces", Path: "Speculation.Except.1", needs: copies, Help: "copy no reduces"},
		timeWith("speculation.lag", "Speculation.Lag", "1m", "how long an attempt runs before its task may be copied", copies),
		{
			Key: "speculation.slow_task", Path: "Speculation.SlowTask", Least: least, Most: most, Unset: "1", needs: late,
			Help: "standard deviations that a slow task's rate is below the mean of its job",
		},
		{
			Key: "speculation.slow_node", Path: "Speculation.SlowNode", Least: least, Most: most, Unset: "1", needs: late,
			Help: "standard deviations by which a node is too slow for copies",
		},
		{
			Key: "speculation.cap", Path: "Speculation.Cap", Least: least, Most: 1, Unset: "0.1", needs: late,
			Help: "copies of a job, as a part of its running tasks",
		},
		{
			Key: "speculation.min_copies", Path: "Speculation.MinCopies", Least: 1, Most: most, Unset: "10", needs: late,
			Help: "copies that are always allowed",
		},
		{
			Key: "avoid.job_failures", Path: "Avoid.JobFailures", Least: 1, Most: most, Unset: "4", Negative: "never",
			Help: "failed attempts of a job on a node after which the job avoids it",
		},
		{
			Key: "avoid.jobs", Path: "Avoid.Jobs", Least: 1, Most: most, Unset: "4", Negative: "never",
			Help: "jobs that succeeded and avoided a node after which all avoid it",
		},
		timeWith("avoid.forgive", "Avoid.Forgive", "24h", "after which a node is forgiven one such job", nil),
	}
}

// byKey finds a setting that there is.
func byKey(key string) *Field {
	list := Fields()
	i := slices.IndexFunc(list, func(f Field) bool { return f.Key == key })
	return &list[i]
}

// last is the end of a key, behind its last point.
func last(key string) string { return key[strings.LastIndexByte(key, '.')+1:] }
