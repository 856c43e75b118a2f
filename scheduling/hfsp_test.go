package scheduling

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// slowVirtual is the virtual cluster one second at a time, each task on its own.
type slowVirtual struct {
	slots int
	jobs  [][]int // seconds left per task
	size  []int
	done  []int // second at which the job finished
}

// tick hands out the slots in rounds, one each, beginning with the jobs of fewest tasks, and lets a
// second pass.
func (s *slowVirtual) tick(now int) (held []int) {
	held = make([]int, len(s.jobs))
	var order []int
	for i := range s.jobs {
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(a, b int) int { return s.size[a] - s.size[b] })
	for free, more := s.slots, true; free > 0 && more; {
		more = false
		for _, i := range order {
			if free > 0 && held[i] < len(s.jobs[i]) {
				held[i]++
				free--
				more = true
			}
		}
	}
	for i := range s.jobs {
		var left []int
		for n, sec := range s.jobs[i] {
			if n < held[i] {
				sec--
			}
			if sec > 0 {
				left = append(left, sec)
			}
		}
		if len(s.jobs[i]) > 0 && len(left) == 0 {
			s.done[i] = now + 1
		}
		s.jobs[i] = left
	}
	return held
}

func TestVirtualClusterAgainstTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		slots := rapid.IntRange(1, 7).Draw(t, "slots")
		n := rapid.IntRange(1, 5).Draw(t, "jobs")
		fast, slow := virtualCluster{slots: slots}, slowVirtual{slots: slots, done: make([]int, n)}
		var jobs []*virtualJob
		arrive := 0
		sum := 0
		for i := range n {
			gap := rapid.IntRange(0, 9).Draw(t, "gap")
			for range gap {
				slow.tick(arrive)
				arrive++
			}
			fast.run(time.Duration(arrive) * time.Second)
			tasks, each := rapid.IntRange(1, 12).Draw(t, "tasks"), rapid.IntRange(1, 9).Draw(t, "seconds")
			v := &virtualJob{id: JobID(i + 1), size: tasks, weight: 1}
			v.resize(tasks, time.Duration(each)*time.Second)
			fast.insert(v)
			jobs = append(jobs, v)
			slow.jobs = append(slow.jobs, slices.Repeat([]int{each}, tasks))
			slow.size = append(slow.size, tasks)
			sum += tasks * each
		}
		var scratch virtualCluster
		fast.project(&scratch)
		projected := make([]time.Duration, n)
		for i, v := range jobs {
			projected[i] = v.finish
		}
		for now := arrive; now < 1000; now++ {
			total := 0
			for i, v := range jobs {
				left := 0
				for _, sec := range slow.jobs[i] {
					left += sec
				}
				require.Equal(t, time.Duration(left)*time.Second, v.left(), "job %d at %ds", i, now)
				total += left
			}
			if total == 0 {
				break
			}
			held := slow.tick(now)
			for i, v := range jobs {
				require.Equal(t, held[i], v.slots, "job %d at %ds", i, now)
			}
			fast.run(time.Duration(now+1) * time.Second)
		}
		for i := range jobs {
			require.Equal(t, time.Duration(slow.done[i])*time.Second, jobs[i].finish, "the virtual work adds up")
			require.Equal(t, jobs[i].finish, projected[i], "and was foreseen")
		}
	})
}

func TestTrainingReplacesTheSize(t *testing.T) {
	p, err := Preset("hfsp")
	require.NoError(t, err)
	c, err := NewCore(Config{}, p)
	require.NoError(t, err)
	n, err := c.Join(0, Node{Name: "n", MapSlots: 5, ReduceSlots: 1})
	require.NoError(t, err)
	_, err = c.Submit(0, JobSpec{Maps: 8})
	require.NoError(t, err)
	v, err := c.View().Virtual(1, Map)
	require.NoError(t, err)
	require.Equal(t, 8*time.Minute, v.Left, "60 s a task while nothing is known")
	var list []Status
	for _, id := range beat(t, c, 0, n) {
		list = append(list, Status{Attempt: id, State: StateSucceeded})
	}
	require.Len(t, list, 5)
	beat(t, c, 10*time.Second, n, list...)
	v, err = c.View().Virtual(1, Map)
	require.NoError(t, err)
	require.Equal(t, 30*time.Second, v.Left, "8 tasks of 10 s, less the 50 s of the sample")
}

func TestReduceProgressTellsItsLength(t *testing.T) {
	p, err := Preset("hfsp")
	require.NoError(t, err)
	p.HFSP.Sample = 1
	c, err := NewCore(Config{}, p)
	require.NoError(t, err)
	n, err := c.Join(0, Node{Name: "n", ReduceSlots: 1})
	require.NoError(t, err)
	_, err = c.Submit(0, JobSpec{Reduces: 3})
	require.NoError(t, err)
	r := beat(t, c, 0, n)
	beat(t, c, 30*time.Second, n, Status{Attempt: r[0], ReduceProgress: 0.1})
	v, _ := c.View().Virtual(1, Reduce)
	require.Equal(t, 150*time.Second, v.Left, "still the guess: 3 × 60 s, of which 30 s have passed")
	beat(t, c, 60*time.Second, n, Status{Attempt: r[0], ReduceProgress: 0.2})
	v, _ = c.View().Virtual(1, Reduce)
	require.Equal(t, 840*time.Second, v.Left, "3 × 60 s / 0.2, less the 60 s done")
}

// TestShuffleIsNoExecution has a reduce that shuffles long after the last map, so that it has
// consumed little when Delta has passed since that map.
func TestShuffleIsNoExecution(t *testing.T) {
	p, err := Preset("hfsp")
	require.NoError(t, err)
	p.HFSP.Sample = 1
	c, err := NewCore(Config{}, p)
	require.NoError(t, err)
	n, err := c.Join(0, Node{Name: "n", ReduceSlots: 1})
	require.NoError(t, err)
	_, err = c.Submit(0, JobSpec{Reduces: 3})
	require.NoError(t, err)
	r := beat(t, c, 0, n)
	beat(t, c, 178*time.Second, n, Status{Attempt: r[0]})
	beat(t, c, 180*time.Second, n, Status{Attempt: r[0], ReduceProgress: 0.01})
	v, _ := c.View().Virtual(1, Reduce)
	require.Zero(t, v.Left, "no estimate yet: of the guess of 180 s all has passed")
	beat(t, c, 238*time.Second, n, Status{Attempt: r[0], ReduceProgress: 0.3})
	v, _ = c.View().Virtual(1, Reduce)
	require.Equal(t, 540*time.Second, v.Left, "3 × 60 s / 0.3, less the 60 s done")
}

func TestEstimators(t *testing.T) {
	s := []time.Duration{8 * time.Second, 10 * time.Second, 12 * time.Second}
	require.Equal(t, 100*time.Second, meanOf(s, 10))
	same := []time.Duration{time.Second, time.Second, time.Second, time.Second}
	require.InDelta(t, 50, logNormalFit(same, 50).Seconds(), 1e-6)
	require.InDelta(t, 0, normalQuantile(0.5), 1e-12)
	require.InDelta(t, 1.959964, normalQuantile(0.975), 1e-5)
	tail := []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second}
	require.Greater(t, logNormalFit(tail, 1000), meanOf(tail, 1000), "the fit allows for a tail beyond the sample")
}

func TestHysteresisOfSuspension(t *testing.T) {
	p, err := Preset("hfsp")
	require.NoError(t, err)
	p.HFSP = HFSPPolicy{NoTraining: true, SuspendHigh: 2, SuspendLow: 0}
	c, err := NewCore(Config{}, p)
	require.NoError(t, err)
	n, err := c.Join(0, Node{Name: "n", ReduceSlots: 4})
	require.NoError(t, err)
	submit := func(at time.Duration, reduces int, long time.Duration) {
		_, err := c.Submit(at, JobSpec{Reduces: reduces, ReduceTime: long})
		require.NoError(t, err)
	}
	submit(0, 4, time.Hour)
	require.Len(t, beat(t, c, 0, n), 4)
	submit(1, 2, time.Minute)
	small := beat(t, c, 1, n)
	require.Len(t, small, 2)
	require.Equal(t, 2, c.suspend)
	submit(2, 1, time.Second)
	require.Empty(t, beat(t, c, 2, n), "two are suspended: now wait")
	got := beat(t, c, 3, n, Status{Attempt: small[0], State: StateSucceeded})
	require.Equal(t, JobID(3), got[0].Task.Job, "a free slot goes to the smallest job")
}

// TestOnlyTheSampleIsKept has a job of unknown size on all slots: a smaller one gets those beyond
// its sample.
func TestOnlyTheSampleIsKept(t *testing.T) {
	p, err := Preset("hfsp")
	require.NoError(t, err)
	p.HFSP.Sample = 2
	c, err := NewCore(Config{}, p)
	require.NoError(t, err)
	n, err := c.Join(0, Node{Name: "n", ReduceSlots: 5})
	require.NoError(t, err)
	_, err = c.Submit(0, JobSpec{Reduces: 50})
	require.NoError(t, err)
	require.Len(t, beat(t, c, 0, n), 5)
	_, err = c.Submit(time.Second, JobSpec{Reduces: 4})
	require.NoError(t, err)
	got := beat(t, c, time.Second, n)
	require.Len(t, got, 3)
	for _, id := range got {
		require.Equal(t, JobID(2), id.Task.Job)
	}
	v, err := c.View().Job(1)
	require.NoError(t, err)
	require.Equal(t, 2, v.Kinds[Reduce].Running, "the training keeps two")
	require.Equal(t, 3, v.Kinds[Reduce].Suspended)
}

// slowFluid lets divisible jobs run in short steps, each step's slots shared as fairShares does.
func slowFluid(jobs []*virtualJob, slots int, step float64) []float64 {
	left, finish := make([]float64, len(jobs)), make([]float64, len(jobs))
	for i, v := range jobs {
		left[i] = v.left().Seconds()
	}
	for now, more := 0.0, true; more; now += step {
		more = false
		claims := make([]claim, len(jobs))
		for i, v := range jobs {
			claims[i].weight = v.weight
			if left[i] > 0 {
				claims[i].demand, more = float64(v.tasks), true
			}
		}
		fairShares(claims, float64(slots))
		for i := range left {
			if left[i] > 0 {
				if left[i] -= claims[i].share * step; left[i] <= 0 {
					finish[i] = now + step
				}
			}
		}
	}
	return finish
}

func TestFluidProjectionAgainstSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := virtualCluster{slots: rapid.IntRange(1, 40).Draw(t, "slots")}
		for i := range rapid.IntRange(1, 8).Draw(t, "jobs") {
			tasks, each := rapid.IntRange(1, 30).Draw(t, "tasks"), rapid.IntRange(1, 9).Draw(t, "seconds")
			v := &virtualJob{id: JobID(i + 1), size: tasks, weight: rapid.SampledFrom([]float64{0.5, 1, 2}).Draw(t, "weight")}
			v.resize(tasks, time.Duration(each)*time.Second)
			c.insert(v)
		}
		const step = 0.05
		want := slowFluid(c.jobs, c.slots, step)
		c.fluid()
		for i, v := range c.jobs {
			require.InDelta(t, want[i], v.finish.Seconds(), 10*step+0.02*want[i])
		}
	})
}
