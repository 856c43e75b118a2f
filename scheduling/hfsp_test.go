package scheduling

import (
	"fmt"
	"math"
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

// tick hands out the slots in rounds, one each, beginning with the jobs of fewest tasks, and lets a second pass.
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

// server runs jobs of one kind on a single node with the given policy until all have ended, and returns the finish times; every job fills the
// whole node.
func server(t require.TestingT, p Policy, slots int, arrive []int, work []int) []time.Duration {
	c, err := NewCore(Config{}, p)
	require.NoError(t, err)
	n, err := c.Join(0, Node{Name: "n", ReduceSlots: slots})
	require.NoError(t, err)
	left, running := map[AttemptID]int{}, map[AttemptID]bool{}
	finish := make([]time.Duration, len(arrive))
	for now := 0; now < 10000; now++ {
		at := time.Duration(now) * time.Second
		require.NoError(t, c.Update(at))
		for i, a := range arrive {
			if a == now {
				_, err := c.Submit(at, JobSpec{Name: fmt.Sprint(i), Reduces: slots, ReduceTime: time.Duration(work[i]) * time.Second})
				require.NoError(t, err)
			}
		}
		var list []Status
		for _, id := range sortedAttempts(running) {
			if left[id]--; left[id] == 0 {
				delete(running, id)
				list = append(list, Status{Attempt: id, State: StateSucceeded})
			}
		}
		got, err := c.Heartbeat(at, Heartbeat{Node: n, Statuses: list})
		require.NoError(t, err)
		for _, o := range got.List {
			switch o.Verb {
			case Launch:
				left[o.Attempt], running[o.Attempt] = work[o.Attempt.Task.Job-1], true
			case Resume:
				running[o.Attempt] = true
			case Suspend:
				delete(running, o.Attempt)
			}
		}
		over := true
		for i := range arrive {
			over = over && i < c.Jobs()
			if i < c.Jobs() && finish[i] == 0 {
				if v, _ := c.Job(JobID(i + 1)); v.State == JobSucceeded {
					finish[i] = v.Finished
				} else {
					over = false
				}
			}
		}
		if over {
			break
		}
	}
	return finish
}

// processorSharing is the finish time of each job on a server that all jobs share evenly, divisible without end.
func processorSharing(arrive, work []int) []float64 {
	n := len(arrive)
	left, finish := make([]float64, n), make([]float64, n)
	for i, w := range work {
		left[i] = float64(w)
	}
	for now := 0.0; ; {
		active, next := 0, math.Inf(1)
		for i := range left {
			if float64(arrive[i]) > now {
				next = min(next, float64(arrive[i])-now)
			} else if left[i] > 1e-9 {
				active++
			}
		}
		for i := range left {
			if float64(arrive[i]) <= now && left[i] > 1e-9 {
				next = min(next, left[i]*float64(active))
			}
		}
		if math.IsInf(next, 1) {
			return finish
		}
		for i := range left {
			if float64(arrive[i]) <= now && left[i] > 1e-9 {
				if left[i] -= next / float64(active); left[i] <= 1e-9 {
					finish[i] = now + next
				}
			}
		}
		now += next
	}
}

// HFSP §2 (and Friedman and Henderson for FSP): on one server with exact sizes no job finishes later than under processor sharing.
func TestNoJobLaterThanUnderProcessorSharing(t *testing.T) {
	p, err := Preset("hfsp")
	require.NoError(t, err)
	p.HFSP.NoTraining = true
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		var arrive, work []int
		at := 0
		for range n {
			arrive = append(arrive, at)
			work = append(work, rapid.IntRange(1, 20).Draw(t, "work"))
			at += rapid.IntRange(1, 15).Draw(t, "gap")
		}
		got := server(t, p, 60, arrive, work) // 60 divides by 1 to 6 jobs, so whole slots share evenly
		ps := processorSharing(arrive, work)
		for i := range got {
			// Orders take effect at whole seconds: a job may lose less than one second each time another ends.
			require.LessOrEqual(t, got[i].Seconds(), ps[i]+float64(n), "job %d", i)
		}
	})
}

// HFSP Fig. 1: 25 s against 35 s.
func TestSingleServerExample(t *testing.T) {
	p, err := Preset("hfsp")
	require.NoError(t, err)
	p.HFSP.NoTraining = true
	arrive, work := []int{0, 10, 15}, []int{30, 10, 10}
	require.Equal(t, []time.Duration{50 * time.Second, 20 * time.Second, 30 * time.Second}, server(t, p, 10, arrive, work))
	require.InDeltaSlice(t, []float64{50, 37.5, 42.5}, processorSharing(arrive, work), 1e-6)
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
	v, err := c.Virtual(1, Map)
	require.NoError(t, err)
	require.Equal(t, 8*time.Minute, v.Left, "60 s a task while nothing is known")
	var list []Status
	for _, id := range beat(t, c, 0, n) {
		list = append(list, Status{Attempt: id, State: StateSucceeded})
	}
	require.Len(t, list, 5)
	beat(t, c, 10*time.Second, n, list...)
	v, err = c.Virtual(1, Map)
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
	v, _ := c.Virtual(1, Reduce)
	require.Equal(t, 150*time.Second, v.Left, "still the guess: 3 × 60 s, of which 30 s have passed")
	beat(t, c, 60*time.Second, n, Status{Attempt: r[0], ReduceProgress: 0.2})
	v, _ = c.Virtual(1, Reduce)
	require.Equal(t, 840*time.Second, v.Left, "3 × 60 s / 0.2, less the 60 s done")
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
