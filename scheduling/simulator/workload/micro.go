package workload

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// logUniform draws an integer from low to high whose logarithm is uniform.
func logUniform(r *rand.Rand, low, high int) int {
	x := math.Log(float64(low)) + float64((math.Log(float64(high)+1)-math.Log(float64(low)))*r.Float64())
	return min(max(int(math.Exp(x)), low), high)
}

// scan returns a job like GridMix's scan: maps keep 0.5 % of their input; reduces only count.
func scan(name string, maps, reduces int) Job {
	j := Job{Name: name, Class: fmt.Sprintf("%d maps", maps), Maps: maps, Reduces: reduces, InputBytes: int64(maps) * DefaultBlock}
	j.Map.CPU = -1
	j.OutputBytes = j.InputBytes / 200
	if reduces > 0 {
		j.ShuffleBytes, j.OutputBytes = j.OutputBytes, int64(reduces)*100
	}
	return j
}

// Scans returns GridMix scans of the same size, all submitted at once, each with its own user and
// file. Use it with closed submission for [Zaharia10 §5.2.2, §5.3]: Table 4 with 3, 10 or 100 maps,
// Fig 15 with 200 jobs of 4 or 12 maps, 50 at a time.
func Scans(jobs, maps, reduces int) Workload {
	w := Workload{Name: fmt.Sprintf("scans-%dx%d", jobs, maps)}
	for i := range jobs {
		j := scan(fmt.Sprintf("scan%04d", i), maps, reduces)
		j.User = fmt.Sprintf("user%04d", i)
		w.Jobs = append(w.Jobs, j)
	}
	return w
}

// gridMix draws 100 GridMix scans with a lognormal number of maps and exponential gaps. Every
// second job has a reduce.
func gridMix(r *rand.Rand) Workload {
	w := Workload{Name: "gridmix"}
	maps, gap := Dist{LogNormal, 20, 1.5}, Dist{Exponential, FacebookGap.Seconds(), 0}
	var at time.Duration
	for i := range 100 {
		j := scan(fmt.Sprintf("scan%04d", i), max(1, maps.Count(r, maxTasks)), i%2)
		j.Class, j.User, j.Submit = Bin(j.Maps), fmt.Sprintf("user%04d", i), at
		w.Jobs = append(w.Jobs, j)
		at += gap.Span(r)
	}
	return w
}

// SharedScans returns the workload of [Zaharia10 §5.2.3]: scan jobs, submitted at once, that read
// the same data set of 180 GB (1,440 blocks of 128 MB).
func SharedScans(jobs int) Workload {
	w := Scans(jobs, 1440, 0)
	w.Name = fmt.Sprintf("sticky-slots-%d", jobs)
	w.Files = []File{{Name: "dataset", Blocks: 1440}}
	for i := range w.Jobs {
		w.Jobs[i].File = 1
	}
	return w
}

// Hierarchy returns the workload of [Zaharia10 §5.2.1, Fig 11]: long jobs of 12,000 maps of 25 s in
// pool1 (t=0), pool2 (57 s) and pool1 again (494 s), and three short ones of 800 maps of 12 s in
// pool3 (118 s). The paper does not say whether the last job is long or short, which lastIsShort
// decides. The times are whole map times: use a cluster without set-up time.
func Hierarchy(lastIsShort bool) Workload {
	w := Workload{Name: "hierarchy"}
	add := func(pool string, at time.Duration, short bool) {
		j := scan(fmt.Sprintf("job%d", len(w.Jobs)+1), 12000, 0)
		j.Class, j.Map = "long", Cost{Setup: -1, CPU: -1, Time: 25 * time.Second, Spread: 0.1}
		if short {
			j.Maps, j.Class, j.Map.Time = 800, "short", 12*time.Second
			j.InputBytes = int64(j.Maps) * DefaultBlock
		}
		j.Pool, j.User, j.Submit = pool, pool, at
		w.Jobs = append(w.Jobs, j)
	}
	add("pool1", 0, false)
	add("pool2", 57*time.Second, false)
	for range 3 {
		add("pool3", 118*time.Second, true)
	}
	add("pool1", 494*time.Second, lastIsShort)
	return w
}

// overhead returns the workload of [Zaharia10 §5.4]: 100 jobs of 1,000 maps and 1,000 reduces in 20
// pools, for 2,500 nodes of 2 map and 2 reduce slots.
func overhead() Workload {
	w := Workload{Name: "overhead"}
	cost := Cost{Setup: -1, CPU: -1, Time: 10 * time.Second, Spread: 0.3}
	for i := range 100 {
		w.Jobs = append(w.Jobs, Job{
			Name: fmt.Sprintf("job%03d", i), Class: "all", Pool: fmt.Sprintf("pool%02d", i%20), Maps: 1000, Reduces: 1000,
			InputBytes: 1000 * DefaultBlock, ShuffleBytes: 1000 * DefaultBlock / 4, Map: cost, Reduce: cost,
		})
	}
	return w
}

// builtIn lists the workloads that Named returns, in the order of Names.
var builtIn = []struct {
	name string
	draw func(r *rand.Rand) Workload
}{
	{"facebook-io", FacebookIO},
	{"facebook-cpu", func(r *rand.Rand) Workload { return FacebookCPU(r, 8*time.Second) }},
	{"facebook-mixed", FacebookMixed},
	{"hfsp-fb", FBDataset},
	{"hfsp-preemption", func(*rand.Rand) Workload { return Preemption() }},
	{"gridmix", gridMix},
	{"hierarchy", func(*rand.Rand) Workload { return Hierarchy(false) }},
	{"small-jobs", func(*rand.Rand) Workload { return Scans(200, 10, 0) }},
	{"sticky-slots", func(*rand.Rand) Workload { return SharedScans(20) }},
	{"facebook-2010", Facebook2010},
	{"overhead", func(*rand.Rand) Workload { return overhead() }},
	{"hot-files", func(r *rand.Rand) Workload { return HotFiles(r, 600, 100, 1.03, Dist{Exponential, 0.6, 0}) }},
}

// Named returns a built-in workload by name, drawn from r. See Names.
func Named(name string, r *rand.Rand) (Workload, error) {
	for _, b := range builtIn {
		if b.name == name {
			return b.draw(r), nil
		}
	}
	return Workload{}, fmt.Errorf("workload: no built-in workload %q (have %v)", name, Names())
}

// Names returns the names of the built-in workloads.
func Names() (names []string) {
	for _, b := range builtIn {
		names = append(names, b.name)
	}
	return names
}
