package model

import (
	"cmp"
	"math"
	"time"
)

// Avoidance configures when a node on which attempts fail gets no more tasks [Hadoop: tracker
// blacklists]. A node that joins with another incarnation starts without faults.
type Avoidance struct {
	// JobFailures is the number of failed attempts of a job on a node, for any reason, after which
	// the job avoids the node, unless it would then avoid a quarter of the nodes or more; 0 means
	// 4, negative never (mapred.max.tracker.failures).
	JobFailures int
	// Jobs is the number of faults (jobs that succeeded while avoiding the node) after which all
	// jobs avoid a node. They must also exceed 1.5 times the mean of all nodes, and fewer than half
	// of the nodes may be avoided; 0 means 4, negative never (mapred.max.tracker.blacklists).
	Jobs int
	// Forgive is the time without a new fault after which a node loses one fault; 0 means
	// 24 h [Hadoop 0.20].
	Forgive time.Duration
}

// WithDefaults returns a with all numbers as they apply: what a leaves 0 has its default, and what
// never applies is beyond reach.
func (a Avoidance) WithDefaults() Avoidance {
	never := func(n int) int {
		if n < 0 {
			return math.MaxInt32
		}
		return cmp.Or(n, 4)
	}
	return Avoidance{JobFailures: never(a.JobFailures), Jobs: never(a.Jobs), Forgive: cmp.Or(a.Forgive, 24*time.Hour)}
}
