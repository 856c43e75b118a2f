package virtual

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// slowJob runs the first `slots` tasks for d, and replaces those that finish by waiting ones. It
// returns the remaining time of each task.
func slowJob(tasks []time.Duration, slots int, d time.Duration) []time.Duration {
	for ; d > 0 && len(tasks) > 0 && slots > 0; d-- {
		for i := range min(slots, len(tasks)) {
			tasks[i]--
		}
		tasks = slices.DeleteFunc(tasks, func(left time.Duration) bool { return left == 0 })
	}
	return tasks
}

// left returns the remaining work of each task of a job, one element per task.
func left(v *Job) (tasks []time.Duration) {
	for _, r := range v.runs {
		tasks = append(tasks, slices.Repeat([]time.Duration{r.remaining}, r.n)...)
	}
	return tasks
}

// Job.work leaves the same tasks as slowJob, which counts each task down. Until the time that
// steady returns, a job has at least as many tasks as slots.
func TestJobWorksAsItsTasks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := &Job{Slots: rapid.IntRange(0, 5).Draw(t, "slots")}
		for range rapid.IntRange(0, 3).Draw(t, "runs") {
			r := run{rapid.IntRange(1, 9).Draw(t, "tasks"), time.Duration(rapid.IntRange(1, 9).Draw(t, "left"))}
			if k := len(v.runs) - 1; k >= 0 && v.runs[k].remaining == r.remaining {
				continue // runs with equal remaining work are merged
			}
			v.runs = append(v.runs, r)
			v.Tasks += r.n
		}
		sum := time.Duration(0)
		for _, task := range left(v) {
			sum += task
		}
		require.Equal(t, sum, v.Left())
		if v.Slots > 0 && v.Tasks >= v.Slots {
			require.Equal(t, slices.Min(left(v)[:v.Slots]), v.nearest())
			steady := v.steady()
			require.GreaterOrEqual(t, steady, v.nearest())
			before := slowJob(left(v), v.Slots, steady-1)
			require.GreaterOrEqual(t, len(before), v.Slots, "for %d of %v it has work for all", steady, v.runs)
		}
		d := time.Duration(rapid.IntRange(0, 60).Draw(t, "time"))
		want := slowJob(left(v), v.Slots, d)
		v.work(d)
		require.Equal(t, append([]time.Duration{}, want...), append([]time.Duration{}, left(v)...))
		require.Equal(t, len(want), v.Tasks)
		for i := 1; i < len(v.runs); i++ {
			require.NotEqual(t, v.runs[i-1].remaining, v.runs[i].remaining, "equal neighbors are together")
		}
	})
}

// steady returns how long a job fills its slots. That is for whole waves of equal tasks, otherwise
// until the first running task finishes; without slots, for ever.
func TestHowLongAJobIsSteady(t *testing.T) {
	for _, x := range []struct {
		slots int
		runs  []run
		want  time.Duration
	}{
		{0, []run{{3, 5}}, math.MaxInt64},
		{2, []run{{1, 5}}, 5},
		{2, []run{{2, 5}}, 5},
		{2, []run{{3, 5}}, 5},
		{2, []run{{4, 5}}, 10},
		{2, []run{{7, 5}}, 15},
		{2, []run{{2, 6}, {2, 5}}, 6},
		{2, []run{{1, 3}, {1, 5}}, 3},
		{2, []run{{1, 3}, {2, 2}}, 2},
	} {
		v := &Job{Slots: x.slots, runs: x.runs}
		for _, r := range x.runs {
			v.Tasks += r.n
		}
		require.Equal(t, x.want, v.steady(), "%+v", x)
	}
}

// Resize to no tasks, or to tasks without work, leaves a job without tasks.
func TestResizedJob(t *testing.T) {
	v := &Job{}
	for _, x := range []struct {
		n    int
		each time.Duration
		want int
	}{{3, 2, 3}, {0, 2, 0}, {3, 0, 0}, {1, 1, 1}} {
		v.Resize(x.n, x.each)
		require.Equal(t, []any{x.want, time.Duration(x.want) * x.each}, []any{v.Tasks, v.Left()}, "%+v", x)
	}
}

// From a sample of n log-normal quantiles in any order, LogNormal returns the work of the tasks of
// that distribution. From fewer than three values it returns n times their mean.
func TestFitOfALogNormalSample(t *testing.T) {
	const base, slope = 20.0, 0.7
	at := func(i, n int) float64 { return math.Exp(base + slope*normalQuantile((float64(i)+0.5)/float64(n))) }
	for _, size := range []int{3, 5, 8} {
		var sample []time.Duration
		for i := range size {
			sample = append(sample, time.Duration(at(i, size)))
		}
		rand.New(rand.NewPCG(1, 2)).Shuffle(size, func(i, k int) { sample[i], sample[k] = sample[k], sample[i] })
		for _, n := range []int{1, 10, 100} {
			want := 0.0
			for i := range n {
				want += at(i, n)
			}
			require.InEpsilon(t, want, float64(LogNormal(sample, n)), 1e-6, "%d tasks by %d", n, size)
		}
	}
	require.Equal(t, time.Duration(30), LogNormal([]time.Duration{2, 4}, 10))
}

// A cluster lists each job once, by size. A new number of slots applies from its time on.
func TestAccountOfACluster(t *testing.T) {
	c := New(0, 4)
	require.False(t, c.Resize(0, 4))
	jobs := make([]*Job, 5)
	for i, tasks := range []int{3, 1, 2, 1, 0} {
		jobs[i] = &Job{ID: int64(9 - i), Size: tasks, Weight: 1}
		jobs[i].Resize(tasks, 4*time.Second)
		c.Insert(jobs[i])
		c.Insert(jobs[i])
	}
	require.Equal(t, []*Job{jobs[3], jobs[1], jobs[2], jobs[0]}, c.jobs)
	require.True(t, c.Resize(2*time.Second, 5))
	require.Equal(t, 10*time.Second, jobs[0].Left(), "one of four slots was its own")
	c.Run(2 * time.Second)
	require.Equal(t, []int{1, 1, 2, 1}, []int{jobs[3].Slots, jobs[1].Slots, jobs[2].Slots, jobs[0].Slots})
	c.Run(3 * time.Second)
	require.Equal(t, 9*time.Second, jobs[0].Left())
	c.Remove(jobs[2])
	c.Remove(jobs[2])
	require.Zero(t, jobs[2].Slots)
	c.Run(20 * time.Second)
	require.Empty(t, c.jobs)
}

// If the slots do not divide by weight, each job gets its fraction rounded down to whole slots.
// What remains goes to the smallest jobs.
func TestDivisionByWeight(t *testing.T) {
	for _, x := range []struct {
		slots   int
		tasks   []int
		weights []float64
		want    []int
	}{
		{4, []int{9, 9, 9}, []float64{4, 3, 1}, []int{3, 1, 0}},
		{4, []int{9, 9, 9}, []float64{1, 3, 4}, []int{1, 1, 2}},
		{6, []int{1, 9, 9}, []float64{1, 1, 1}, []int{1, 3, 2}},
		{3, []int{9, 9, 9}, []float64{1, 1, 1}, []int{1, 1, 1}},
		{9, []int{2, 3, 4}, []float64{1, 1, 1}, []int{2, 3, 4}},
		{20, []int{2, 3, 4}, []float64{1, 1, 1}, []int{2, 3, 4}},
	} {
		c := New(0, x.slots)
		for i := range x.tasks {
			v := &Job{ID: int64(i), Weight: x.weights[i]}
			v.Resize(x.tasks[i], time.Hour)
			c.Insert(v)
		}
		c.divide()
		var got []int
		for _, v := range c.jobs {
			got = append(got, v.Slots)
		}
		require.Equal(t, x.want, got, "%+v", x)
	}
}

// Project finds the finish times of 65 jobs: those with the least work finish first.
func TestProjectionOfManyJobs(t *testing.T) {
	c := New(time.Minute, 10)
	for i := range 65 {
		v := &Job{ID: int64(i), Weight: 1}
		v.Resize(1, time.Duration(1+i)*time.Second)
		c.Insert(v)
	}
	c.Project()
	total := time.Duration(0)
	for i, v := range c.jobs {
		require.GreaterOrEqual(t, v.Finish, time.Minute+v.Left())
		if i > 0 {
			require.Greater(t, v.Finish, c.jobs[i-1].Finish)
		}
		total += v.Left()
	}
	require.GreaterOrEqual(t, c.jobs[64].Finish, time.Minute+total/10, "ten slots do no more")
	c.Resize(time.Minute, 0)
	c.Project()
	for _, v := range c.jobs {
		require.Equal(t, time.Duration(math.MaxInt64), v.Finish, "never, without slots")
	}
}
