package main

import (
	"runtime"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"github.com/tarry-mr/tarry/mapreduce"
)

// memoryShare is the part of what this process may use that is the budget of tasks when --memory is not given.
const memoryShare = 0.5

// memoryBudget is the budget of all tasks: --memory, or half of what the control group or else the machine allows. 0, where
// neither can be known, means no limit.
func (r *clusterFlags) memoryBudget() int64 {
	if r.memory > 0 {
		return int64(r.memory)
	}
	allowed, err := memlimit.FromSystem()
	if err != nil {
		allowed = 0
	}
	if group, err := memlimit.FromCgroup(); err == nil && group > 0 && (allowed == 0 || group < allowed) {
		allowed = group
	}
	return int64(float64(allowed) * memoryShare)
}

// What the process may have beside the budget: the program itself, and what the Go heap needs to be collected now and then.
const besideBudget = 32 << 20

// limitHeap has the Go heap grow only into what the budget's buffers leave; end ends that.
func limitHeap(budget int64) (end func()) {
	if budget == 0 {
		return func() {}
	}
	return mapreduce.LimitHeap(budget + besideBudget)
}

// parallelism is how many attempts compute at once: no more than there are cores, unless the slots of one node were chosen.
// Many emulated nodes share this machine's cores; slots beyond them wait rather than slow one another down.
func (r *clusterFlags) parallelism() int {
	if r.nodes == 1 {
		return 0
	}
	return runtime.GOMAXPROCS(0)
}
