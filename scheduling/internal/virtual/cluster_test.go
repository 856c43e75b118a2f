package virtual

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// slowVirtual computes the virtual cluster second by second, with each task separate.
type slowVirtual struct {
	slots int
	jobs  [][]int // seconds left per task
	size  []int
	done  []int // second at which the job finished
}

// tick gives each job one slot in turn, jobs with few tasks first, until none is free or wanted.
// Then a second passes.
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
		fast, slow := Cluster{slots: slots}, slowVirtual{slots: slots, done: make([]int, n)}
		var jobs []*Job
		arrive := 0
		sum, longest := 0, 0
		for i := range n {
			gap := rapid.IntRange(0, 9).Draw(t, "gap")
			for range gap {
				slow.tick(arrive)
				arrive++
			}
			fast.Run(time.Duration(arrive) * time.Second)
			tasks, each := rapid.IntRange(1, 12).Draw(t, "tasks"), rapid.IntRange(1, 9).Draw(t, "seconds")
			v := &Job{ID: int64(i + 1), Size: tasks, Weight: 1}
			v.Resize(tasks, time.Duration(each)*time.Second)
			fast.Insert(v)
			jobs = append(jobs, v)
			slow.jobs = append(slow.jobs, slices.Repeat([]int{each}, tasks))
			slow.size = append(slow.size, tasks)
			sum += tasks * each
			longest = max(longest, each)
		}
		fast.Project()
		projected := make([]time.Duration, n)
		for i, v := range jobs {
			projected[i] = v.Finish
		}
		for now := arrive; now < 1000; now++ {
			total := 0
			for i, v := range jobs {
				left := 0
				for _, sec := range slow.jobs[i] {
					left += sec
				}
				require.Equal(t, time.Duration(left)*time.Second, v.Left(), "job %d at %ds", i, now)
				total += left
			}
			if total == 0 {
				break
			}
			held := slow.tick(now)
			fast.Run(time.Duration(now) * time.Second)
			for i, v := range jobs {
				require.Equal(t, held[i], v.Slots, "job %d at %ds", i, now)
			}
			fast.Run(time.Duration(now+1) * time.Second)
		}
		for i := range jobs {
			require.Equal(t, projected[i], jobs[i].Finish, "time alone changes no projection")
			if slots >= n && slow.done[i] > arrive { // with fewer slots than jobs, small jobs get more
				require.InDelta(t, slow.done[i], projected[i].Seconds(), 2*float64(longest), "about what was foreseen")
			}
		}
	})
}
