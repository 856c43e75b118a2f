package zaharia10

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// Facebook's warehouse as [Zaharia10 §3.2] describes it. It gives the median times of tasks; the
// means follow from its 3,100 slots and the number that free up each second under load.
const (
	warehouseNodes     = 620
	warehouseRacks     = 16
	warehouseMedianMap = 19 * time.Second
	warehouseMeanMap   = 114 * time.Second // 3,100 slots / 27.1 a second
	warehouseMedianRed = 231 * time.Second
	warehouseMeanRed   = 1033 * time.Second // 3,100 slots / 3.0 a second
	warehouseRead      = 6 * time.Second    // for which a node-local map reads its block
	warehouseLongest   = 2 * time.Hour      // maximum computing time of a task
)

// warehouse returns the settings of a simulation of Facebook's cluster.
func warehouse() simulator.Config {
	return simulator.Config{
		Cluster: simulator.Cluster{
			Nodes: warehouseNodes, Racks: warehouseRacks, MapSlots: 5, ReduceSlots: 5, Replicas: 3,
			Setup: time.Second, ReadRate: workload.DefaultBlock / warehouseRead.Seconds(),
			MergeRate: -1,
		},
		Network: simulator.Network{ReadFactor: [3]float64{1, 1.5, 2}, ShuffleRate: 1e12},
		Drive:   simulator.HeartbeatDrive, Interval: scheduling.HeartbeatInterval(warehouseNodes),
		JobSetup: 12 * time.Second, JobCleanup: 6 * time.Second,
	}
}

// spreadOf returns the sigma of a lognormal distribution with this median and mean.
func spreadOf(median, mean time.Duration) float64 {
	return math.Sqrt(2 * math.Log(mean.Seconds()/median.Seconds()))
}

// warehouseJobs draws n jobs. The class of a job is its bin in warehouseBins.
func warehouseJobs(r *rand.Rand, n int) workload.Workload {
	const march = 0.484 // puts 58 % of the jobs below 26 maps
	bins := [...]struct{ part, low, high float64 }{
		{march * 39, 1, 1},
		{march * 16, 2, 2},
		{14, 3, 20},
		{9, 21, 60},
		{6, 61, 150},
		{6, 151, 300},
		{4, 301, 500},
		{4, 501, 1500},
		{3, 1501, 25000},
	}
	const total = march*(39+16) + 14 + 9 + 6 + 6 + 4 + 4 + 3
	fixed := warehouseRead + time.Second
	maps := workload.Dist{
		Shape: workload.LogNormal, A: (warehouseMedianMap - fixed).Seconds(),
		B: spreadOf(warehouseMedianMap-fixed, warehouseMeanMap-fixed),
	}
	reduces := workload.Dist{
		Shape: workload.LogNormal, A: warehouseMedianRed.Seconds(),
		B: spreadOf(warehouseMedianRed, warehouseMeanRed),
	}
	w := workload.Workload{Name: "warehouse"}
	var at time.Duration
	for i := range n {
		x, b := total*r.Float64(), 0
		for ; b < len(bins)-1 && x >= bins[b].part; b++ {
			x -= bins[b].part
		}
		size := bins[b].low * math.Pow((bins[b].high+1)/bins[b].low, r.Float64())
		if b == len(bins)-1 {
			size = bins[b].low *
				math.Pow(1-r.Float64()*(1-math.Pow(bins[b].low/bins[b].high, 1.5)), -1/1.5)
		}
		j := workload.Job{
			Name: fmt.Sprintf("job%04d", i), User: fmt.Sprintf("user%03d", i%200), Submit: at,
			Maps: int(math.Min(size, bins[b].high)),
		}
		j.InputBytes = int64(j.Maps) * workload.DefaultBlock
		j.Class = warehouseBin(j.Maps)
		j.Map = workload.Cost{CPU: -1, Time: min(maps.Span(r), warehouseLongest), Spread: 0.4}
		reduce := workload.Cost{CPU: -1, Time: min(reduces.Span(r), warehouseLongest), Spread: 0.4}
		if r.IntN(4) == 0 {
			j.Reduces, j.Reduce, j.ShuffleBytes = max(1, j.Maps/10), reduce, 1
		}
		w.Jobs = append(w.Jobs, j)
		at += time.Duration(r.ExpFloat64() * float64(workload.FacebookGap))
	}
	return w
}

// warehouseBins returns the bins of Fig 2, by maps per job. Only the first is given in the paper.
func warehouseBins() []string {
	return []string{"1–25", "26–100", "101–400", "401–1500", "over 1500"}
}

// warehouseBin returns the bin of a job with this number of maps.
func warehouseBin(maps int) string {
	for i, top := range []int{25, 100, 400, 1500} {
		if maps <= top {
			return warehouseBins()[i]
		}
	}
	return warehouseBins()[4]
}
