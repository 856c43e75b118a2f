package workload

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// hfspGap is the mean time between jobs of the FB-dataset [Pastorelli13 §4.1].
const hfspGap = 13 * time.Second

// FBDataset draws the workload of [Pastorelli13 §4.1]: 53 small jobs (75 % with one map, 25 % with
// two), 41 medium ones (5 to 500 maps, half of them with 2 to 100 reduces) and 6 large ones (two of
// 3,000 maps, three of 700 to 1,500 maps and 150 to 250 reduces, one of 200 maps and 1,000
// reduces). Gaps are exponential with mean 13 s. Sizes within the ranges are log-uniform, in random
// order. Our choice: the shuffle is as large as the input, the output a tenth of it.
func FBDataset(r *rand.Rand) Workload {
	var jobs []Job
	add := func(class string, maps, reduces int) {
		j := Job{Class: class, Maps: maps, Reduces: reduces, InputBytes: int64(maps) * DefaultBlock}
		if reduces > 0 {
			j.ShuffleBytes = j.InputBytes
			j.OutputBytes = j.ShuffleBytes / 10
		}
		j.Map.CPU = -1
		jobs = append(jobs, j)
	}
	for i := range 53 {
		add("small", 1+i%4/3, 0)
	}
	for i := range 41 {
		reduces := 0
		if i%2 == 1 {
			reduces = logUniform(r, 2, 100)
		}
		add("medium", logUniform(r, 5, 500), reduces)
	}
	add("large", 3000, 0)
	add("large", 3000, 0)
	for range 3 {
		add("large", logUniform(r, 700, 1500), logUniform(r, 150, 250))
	}
	add("large", 200, 1000)
	return inRandomOrder("hfsp-fb", jobs, r, hfspGap)
}

// MapOnly returns a copy of w whose jobs have no reduces, as in [Pastorelli13 §4.3].
func MapOnly(w Workload) Workload {
	jobs := slices.Clone(w.Jobs)
	for i := range jobs {
		jobs[i].Reduces, jobs[i].ShuffleBytes = 0, 0
	}
	return Workload{Name: w.Name + "-map-only", Jobs: jobs, Files: w.Files}
}

// Preemption returns the jobs of [Pastorelli13 Fig 7] for 4 nodes of 2 reduce slots: job 1 with 11
// reduces of 500 s arrives at 2:20; job 2 with 2 and jobs 3 to 5 with 1 reduce each arrive at 2:30.
// The length of the small reduces is not published; 400 s fits both published means.
func Preemption() Workload {
	w := Workload{Name: "hfsp-preemption"}
	for i, reduces := range []int{11, 2, 1, 1, 1} {
		j := Job{
			Name: fmt.Sprintf("j%d", i+1), Class: "small", User: fmt.Sprintf("user%d", i+1), Submit: 150 * time.Second,
			Maps: 1, Reduces: reduces, NoLocation: true,
			Map:    Cost{Setup: -1, Time: time.Millisecond},
			Reduce: Cost{Setup: -1, Time: 400 * time.Second},
		}
		if i == 0 {
			j.Class, j.Submit, j.Reduce.Time = "large", 140*time.Second, 500*time.Second
		}
		w.Jobs = append(w.Jobs, j)
	}
	return w
}
