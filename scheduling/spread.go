package scheduling

import "math"

// spreadCap is how many tasks a node with so many slots may run while the cluster is under-loaded:
// ceil(slots × min(1, diff + load/total)) [Hadoop CapBasedLoadManager].
func spreadCap(slots, load, total int, diff float64) int {
	if total <= 0 {
		return slots
	}
	part := diff + float64(load)/float64(total)
	if part >= 1 {
		return slots
	}
	return int(math.Ceil(float64(slots)*part - 1e-9))
}
