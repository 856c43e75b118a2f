package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// slowJob is a job of seven maps on four nodes with two map slots each, launched at time 0. The
// last node has a free slot. By map, attempts has its attempt and `at` its node.
type slowJob struct {
	t        *testing.T
	c        *core.Core
	nodes    []model.NodeID
	id       model.JobID
	attempts []model.AttemptID
	at       []model.NodeID
}

func newSlowJob(t *testing.T, preset string, change func(*core.Config, *model.Policy), spec model.JobSpec) *slowJob {
	c, nodes := newTestCore(t, preset, func(cfg *core.Config, p *model.Policy) {
		p.Speculation.Rule = model.LATE
		if change != nil {
			change(cfg, p)
		}
	})
	spec.Maps = 7
	id := submit(t, c, spec)
	s := &slowJob{t: t, c: c, nodes: nodes, id: id, attempts: make([]model.AttemptID, 7), at: make([]model.NodeID, 7)}
	for _, n := range nodes {
		for _, a := range beat(t, c, 0, n) {
			s.attempts[a.Task.Index], s.at[a.Task.Index] = a, n
		}
	}
	require.Equal(t, 7, c.Job(id).Work[model.Map].Running)
	return s
}

// progress reports progress 0.9 of each map, or that in `slow`, and looks for slow tasks.
func (s *slowJob) progress(now time.Duration, slow map[int]float64) {
	for i, a := range s.attempts {
		p, ok := slow[i]
		if !ok {
			p = 0.9
		}
		report(s.t, s.c, now, s.at[i], model.Status{Attempt: a, Progress: p})
	}
	require.NoError(s.t, s.c.Update(now))
}

func (s *slowJob) end(now time.Duration, m int, state model.AttemptState) {
	report(s.t, s.c, now, s.at[m], model.Status{Attempt: s.attempts[m], State: state})
}

// copyOf returns the ID of a map's speculative attempt.
func (s *slowJob) copyOf(m int) model.AttemptID {
	a := s.attempts[m]
	a.Try = 1
	return a
}

const minuteAndMore = 100 * time.Second

// Under every order, slow maps and slow reduces get speculative attempts.
func TestEveryOrderCopies(t *testing.T) {
	for _, preset := range Presets() {
		for _, rule := range []model.ReduceRule{model.AnyNode, model.CoGRS} {
			c, n := newTestCore(t, preset, func(_ *core.Config, p *model.Policy) {
				p.Speculation.Rule, p.Locality, p.Reduce.Rule, p.Spread = model.LATE, model.LocalityPolicy{}, rule, false
			})
			id := submit(t, c, model.JobSpec{Maps: 1, Reduces: 3, MapTime: time.Minute, ReduceTime: time.Minute})
			one := beat(t, c, 0, n[0])
			_, err := c.Heartbeat(0, model.Heartbeat{
				Node: n[0], NoWork: true,
				Statuses: []model.Status{{Attempt: one[0], State: model.StateSucceeded, OutputBytes: []int64{1, 1, 1}}},
			})
			require.NoError(t, err)
			now, at := time.Duration(0), map[model.AttemptID]model.NodeID{}
			for ; len(at) < 3 && now < time.Hour; now += time.Second {
				for _, on := range n {
					for _, a := range beat(t, c, now, on) {
						at[a] = on
					}
				}
			}
			require.Len(t, at, 3, "%s %v", preset, rule)
			now += 2 * time.Minute
			var slow model.AttemptID
			for a, on := range at {
				p := 0.9
				if a.Task.Index == 1 {
					slow, p = a, 0.1
				}
				beat(t, c, now, on, model.Status{Attempt: a, Progress: p})
			}
			require.NoError(t, c.Update(now))
			copies := 0
			for _, on := range n {
				for _, a := range beat(t, c, now, on) {
					require.Equal(t, slow.Task, a.Task)
					require.NotEqual(t, at[slow], on)
					copies++
				}
			}
			require.Equal(t, 1, copies, "%s %v", preset, rule)
			require.Equal(t, 1, c.Job(id).Work[model.Reduce].Copies)
			checkInvariants(t, c)
		}
	}
}

// A node counts as slow by the attempts that run or were overtaken there, even if no task has ended
// on it.
func TestNodeIsSlowBeforeAnythingEndsThere(t *testing.T) {
	s := newSlowJob(t, "fair", nil, model.JobSpec{})
	s.progress(minuteAndMore, map[int]float64{0: 0.05, 6: 0.05})
	require.Empty(t, beat(t, s.c, minuteAndMore, s.nodes[3]), "map 6 is as slow there")
	s.end(minuteAndMore, 2, model.StateSucceeded)
	s.end(minuteAndMore, 3, model.StateSucceeded)
	require.Equal(t, []model.AttemptID{s.copyOf(0), s.copyOf(6)}, beat(t, s.c, minuteAndMore, s.nodes[1]))
	report(t, s.c, minuteAndMore+time.Second, s.nodes[1], model.Status{Attempt: s.copyOf(6), State: model.StateSucceeded})
	s.end(minuteAndMore+time.Second, 1, model.StateSucceeded)
	require.NoError(t, s.c.Leave(minuteAndMore+time.Second, s.nodes[1])) // the speculative attempt of map 0 is lost
	for _, m := range []int{0, 4, 5} {
		report(t, s.c, minuteAndMore+time.Second, s.at[m], model.Status{Attempt: s.attempts[m], Progress: 0.05})
	}
	slow := s.c.Speculation.Refusal(s.c.Job(s.id), s.c.Nodes[s.nodes[3]], model.Map)
	require.Equal(t, model.CauseSlowNode, slow.Cause, "map 6 was overtaken there")
	checkInvariants(t, s.c)
}

// If a new policy is rejected, the former speculation rule continues.
func TestRefusedPolicyLeavesTheRule(t *testing.T) {
	s := newSlowJob(t, "hfs", func(_ *core.Config, p *model.Policy) { p.Spread = false }, model.JobSpec{Pool: "p"})
	to := s.c.Policy
	to.Speculation.Rule, to.Pools.Known = model.NoSpeculation, true
	require.ErrorIs(t, s.c.Reconfigure(0, to), core.ErrUnknownPool)
	s.progress(minuteAndMore, map[int]float64{0: 0.1})
	require.Equal(t, []model.AttemptID{s.copyOf(0)}, beat(t, s.c, minuteAndMore, s.nodes[3]))
}
