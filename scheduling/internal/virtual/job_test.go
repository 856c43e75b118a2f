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

// slowJob lets the first slots of some tasks run for d, others taking the places of those that
// finish, and returns what each has left and for how long there was nothing to do.
func slowJob(tasks []time.Duration, slots int, d time.Duration) ([]time.Duration, time.Duration) {
	for ; d > 0 && len(tasks) > 0 && slots > 0; d-- {
		for i := range min(slots, len(tasks)) {
			tasks[i]--
		}
		tasks = slices.DeleteFunc(tasks, func(left time.Duration) bool { return left == 0 })
	}
	return tasks, d
}

// left lists the tasks of a job, one by one.
func left(v *Job) (tasks []time.Duration) {
	for _, r := range v.runs {
		tasks = append(tasks, slices.Repeat([]time.Duration{r.left}, r.n)...)
	}
	return tasks
}

// A job works as its tasks do, one by one; it is steady for as long as it says: before, it has as
// many tasks as slots.
func TestJobWorksAsItsTasks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := &Job{slots: rapid.IntRange(0, 5).Draw(t, "slots")}
		for range rapid.IntRange(0, 3).Draw(t, "runs") {
			r := run{rapid.IntRange(1, 9).Draw(t, "tasks"), time.Duration(rapid.IntRange(1, 9).Draw(t, "left"))}
			if k := len(v.runs) - 1; k >= 0 && v.runs[k].left == r.left {
				continue // equal neighbors are together
			}
			v.runs = append(v.runs, r)
			v.tasks += r.n
		}
		sum := time.Duration(0)
		for _, task := range left(v) {
			sum += task
		}
		require.Equal(t, sum, v.Left())
		if v.slots > 0 && v.tasks >= v.slots {
			require.Equal(t, slices.Min(left(v)[:v.slots]), v.nearest())
			steady := v.steady()
			require.GreaterOrEqual(t, steady, v.nearest())
			before, _ := slowJob(left(v), v.slots, steady-1)
			require.GreaterOrEqual(t, len(before), v.slots, "for %d of %v it has work for all", steady, v.runs)
		}
		d := time.Duration(rapid.IntRange(0, 60).Draw(t, "time"))
		want, idle := slowJob(left(v), v.slots, d)
		if v.slots == 0 && v.tasks > 0 {
			idle = d
		}
		require.Equal(t, idle, v.work(d))
		require.Equal(t, append([]time.Duration{}, want...), append([]time.Duration{}, left(v)...))
		require.Equal(t, len(want), v.Tasks())
		for i := 1; i < len(v.runs); i++ {
			require.NotEqual(t, v.runs[i-1].left, v.runs[i].left, "equal neighbors are together")
		}
	})
}

// How long a job is steady: whole waves of equal tasks; of others, a wave of those that run and then
// waves of the shortest that wait; for ever without slots.
func TestHowLongAJobIsSteady(t *testing.T) {
	for _, x := range []struct {
		slots int
		runs  []run
		want  time.Duration
	}{
		{0, []run{{3, 5}}, math.MaxInt64},
		{2, []run{{2, 5}}, 5},
		{2, []run{{3, 5}}, 5},
		{2, []run{{4, 5}}, 10},
		{2, []run{{7, 5}}, 15},
		{2, []run{{2, 3}, {2, 5}}, 8},
		{2, []run{{1, 3}, {1, 5}}, 3},
		{2, []run{{3, 6}, {3, 4}}, 14},
		{2, []run{{1, 3}, {2, 7}}, 3},
	} {
		v := &Job{slots: x.slots, runs: x.runs}
		for _, r := range x.runs {
			v.tasks += r.n
		}
		require.Equal(t, x.want, v.steady(), "%+v", x)
	}
	many := &Job{slots: 1, runs: []run{{1, 1}, {5000, 2}}, tasks: 5001}
	require.Equal(t, time.Duration(1+1000*2), many.steady(), "no more than a thousand waves at once")
}

// A job of no tasks, or of none with any length, has none.
func TestResizedJob(t *testing.T) {
	v := &Job{}
	for _, x := range []struct {
		n    int
		each time.Duration
		want int
	}{{3, 2, 3}, {0, 2, 0}, {3, 0, 0}, {1, 1, 1}} {
		v.Resize(x.n, x.each)
		require.Equal(t, []any{x.want, time.Duration(x.want) * x.each}, []any{v.Tasks(), v.Left()}, "%+v", x)
	}
}

// A sample that lies on a log-normal distribution gives back that distribution's tasks, in whatever
// order it comes; fewer than three give the mean.
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

// A cluster's account: jobs by size, each once; slots; the guess for one more among many.
func TestAccountOfACluster(t *testing.T) {
	c := New(0, 4)
	require.False(t, c.Resize(4))
	require.True(t, c.Resize(5))
	jobs := make([]*Job, 5)
	for i, tasks := range []int{3, 1, 2, 1, 0} {
		jobs[i] = &Job{ID: int64(9 - i), Size: tasks, Weight: 1}
		jobs[i].Resize(tasks, time.Second)
		c.Insert(jobs[i])
		c.Insert(jobs[i])
	}
	require.Equal(t, []*Job{jobs[3], jobs[1], jobs[2], jobs[0]}, c.jobs)
	require.Equal(t, 4, c.Len())
	seen := c.Seen(jobs[0], time.Second)
	require.Equal(t, []any{2, time.Second}, []any{seen.Tasks(), c.jobs[3].Left() - seen.Left()}, "one of five slots is its own")
	require.Equal(t, 3*time.Second, jobs[0].Left(), "the cluster is as before")
	c.Run(0)
	require.Equal(t, []int{1, 1, 2, 1}, []int{jobs[3].Slots(), jobs[1].Slots(), jobs[2].Slots(), jobs[0].Slots()})
	c.Remove(jobs[2])
	c.Remove(jobs[2])
	require.Equal(t, 3, c.Len())
	require.Zero(t, jobs[2].Slots())
	c.Run(10 * time.Second)
	require.Zero(t, c.Len())
	require.Equal(t, []time.Duration{time.Second, time.Second, time.Second}, []time.Duration{jobs[0].Finish, jobs[1].Finish, jobs[3].Finish})

	v := &Job{Weight: 2}
	v.Resize(100, time.Second)
	require.Equal(t, time.Duration(math.MaxInt64), c.Guess(v, 0), "it is alone")
	for i := range Exact {
		w := &Job{ID: int64(i), Weight: 1}
		w.Resize(1, time.Hour)
		c.Insert(w)
	}
	require.Equal(t, time.Duration(math.MaxInt64), c.Guess(v, 0), "among few")
	w := &Job{ID: 1000, Weight: 1}
	w.Resize(1, time.Hour)
	c.Insert(w)
	c.Resize(130)
	require.Equal(t, 7*time.Second+25*time.Second, c.Guess(v, 7*time.Second), "two of 65 parts of 130 slots are four")
	v.Resize(3, time.Second)
	require.Equal(t, time.Second, c.Guess(v, 0), "no more slots than tasks")
	require.Equal(t, time.Duration(math.MaxInt64), c.Guess(&Job{Weight: 1}, 0), "nothing to do")
	c.Resize(0)
	require.Equal(t, time.Duration(math.MaxInt64), c.Guess(v, 0), "no slot")
	c.Resize(130)
	require.Equal(t, Patience*time.Duration(Exact+1)/(4*Exact), c.step(c.now+time.Hour), "many go on in larger steps")
	require.Equal(t, time.Duration(5), c.step(c.now+5))
}

// Ends leave the heap in the order of their times.
func TestHeapOfEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h []fluidEnd
		var times []float64
		for range rapid.IntRange(1, 40).Draw(t, "ends") {
			if len(h) > 0 && rapid.IntRange(0, 3).Draw(t, "pop") == 0 {
				require.Equal(t, slices.Min(times), h[0].at)
				i := slices.Index(times, h[0].at)
				times = slices.Delete(times, i, i+1)
				h = popEnd(h)
				continue
			}
			at := float64(rapid.IntRange(0, 20).Draw(t, "at"))
			h, times = pushEnd(h, fluidEnd{at: at}), append(times, at)
		}
		slices.Sort(times)
		for _, want := range times {
			require.Equal(t, want, h[0].at)
			h = popEnd(h)
		}
		require.Empty(t, h)
	})
}

// Slots that do not divide by weight: each job has the whole slots of its part, what is left goes to
// the smallest.
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
			got = append(got, v.Slots())
		}
		require.Equal(t, x.want, got, "%+v", x)
	}
}

// The finishes of many jobs are foreseen, too, those with less to do first.
func TestProjectionOfManyJobs(t *testing.T) {
	c := New(time.Minute, 10)
	for i := range Exact + 1 {
		v := &Job{ID: int64(i), Weight: 1}
		v.Resize(1, time.Duration(1+i)*time.Second)
		c.Insert(v)
	}
	c.Project(new(Cluster))
	total := time.Duration(0)
	for i, v := range c.jobs {
		require.GreaterOrEqual(t, v.Finish, time.Minute+v.Left())
		if i > 0 {
			require.Greater(t, v.Finish, c.jobs[i-1].Finish)
		}
		total += v.Left()
	}
	require.GreaterOrEqual(t, c.jobs[Exact].Finish, time.Minute+total/10, "ten slots do no more")
	c.Resize(0)
	c.Project(new(Cluster))
	for _, v := range c.jobs {
		require.Equal(t, time.Duration(math.MaxInt64), v.Finish, "never, without slots")
	}
}
