package policyfile

import (
	"errors"
	"strings"

	"github.com/tarry-mr/tarry/scheduling"
)

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
