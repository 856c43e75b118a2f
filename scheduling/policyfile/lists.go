package policyfile

import (
	"errors"
	"strings"

	"github.com/tarry-mr/tarry/scheduling"
)

// poolFields are the settings of a pool.
func poolFields() []Field {
	slots := func(key, path string) Field {
		return Field{Key: key, Path: path, Most: most, Help: "slots that the pool gets first"}
	}
	limit := func(key, path string) Field {
		return Field{
			Key: key, Path: path, Most: most, Unset: "none", Negative: "0", Help: "most slots",
			words: []word{{"none", scheduling.NoLimit}},
		}
	}
	return []Field{
		{Key: "name", Path: "Name", Help: "of the pool", parse: goodName},
		slots("min_maps", "Min.0"), slots("min_reduces", "Min.1"),
		limit("max_maps", "Max.0"), limit("max_reduces", "Max.1"),
		{Key: "weight", Path: "Weight", Least: least, Most: most, Unset: "1", Help: "part in relation to other pools"},
		{Key: "mode", Path: "Mode", words: names("default", "fair", "fifo"), only: true, Help: "how it orders its jobs"},
		jobLimit(),
		{
			Key: "min_timeout", Path: "MinTimeout", Least: least, Most: spans, Unset: "inherited", Negative: "none",
			Help: "below the minimum share before it takes slots",
		},
	}
}

// jobLimit is the limit of running jobs of a pool or user.
func jobLimit() Field {
	return Field{
		Key: "max_jobs", Path: "MaxJobs", Most: most, Unset: "inherited", Negative: "0",
		Help: "jobs that run at once", words: []word{{"none", scheduling.NoLimit}},
	}
}

// userFields are the settings of a user.
func userFields() []Field {
	return []Field{{Key: "name", Path: "Name", Help: "of the user", parse: goodName}, jobLimit()}
}

// queueFields are the settings of a queue.
func queueFields() []Field {
	return []Field{
		{Key: "name", Path: "Name", Help: "of the queue", parse: goodName},
		{Key: "parent", Path: "Parent", Help: "the queue it is in; none: it is a top queue", Unset: "none", parse: goodName},
		{
			Key: "capacity", Path: "Capacity", Least: least, Most: 100, Unset: "rest",
			Help: "per cent of the parent's slots; rest: an equal part of what others leave",
		},
		{Key: "max", Path: "Max", Least: least, Most: 100, Unset: "none", Help: "per cent of the parent's slots"},
		{Key: "user_limit", Path: "UserLimit", Least: 1, Most: 100, Unset: "100", Help: "minimum user limit in per cent"},
		{Key: "priorities", Path: "Priorities", Help: "whether jobs' priorities count"},
		{Key: "init_jobs", Path: "InitJobs", Least: 1, Most: most, Unset: "2", Help: "initialized jobs of a user"},
		{
			Key: "user_factor", Path: "UserFactor", Least: least, Most: most, Unset: "none",
			Help: "times the capacity is the most that one user holds",
		},
		{Key: "init_limit", Path: "InitLimit", Least: 1, Most: most, Unset: "none", Help: "initialized jobs of all users"},
		{Key: "job_limit", Path: "JobLimit", Least: 1, Most: most, Unset: "none", Help: "jobs, waiting ones too"},
	}
}

// goodPolicyName refuses what cannot name a policy: directories for results have its name.
func goodPolicyName(s string) error {
	if strings.HasPrefix(s, ".") || strings.ContainsAny(s, `/\`) {
		return errors.New("a name has no slashes and begins with no point")
	}
	return goodName(s)
}

// goodName refuses what cannot name a pool, user or queue.
func goodName(s string) error {
	switch {
	case s == "" || len(s) > 100:
		return errors.New("want a name of 1 to 100 bytes")
	case strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return errors.New("a name has no control characters")
	}
	return nil
}
