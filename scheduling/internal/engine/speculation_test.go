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
		_, err := s.c.Heartbeat(now, model.Heartbeat{Node: s.at[i], Statuses: []model.Status{{Attempt: a, Progress: p}}, NoWork: true})
		require.NoError(s.t, err)
	}
	require.NoError(s.t, s.c.Update(now))
}

func (s *slowJob) end(now time.Duration, m int, state model.AttemptState) {
	_, err := s.c.Heartbeat(now, model.Heartbeat{Node: s.at[m], Statuses: []model.Status{{Attempt: s.attempts[m], State: state}}, NoWork: true})
	require.NoError(s.t, err)
}

// copyOf returns the ID of a map's speculative attempt.
func (s *slowJob) copyOf(m int) model.AttemptID {
	a := s.attempts[m]
	a.Try = 1
	return a
}

const minuteAndMore = 100 * time.Second

// The first attempt to succeed completes its task: the output is on its node, and the other attempt
// is killed. Later reports of that attempt are ignored.
func TestFirstAttemptToSucceedWins(t *testing.T) {
	for _, copyWins := range []bool{true, false} {
		s := newSlowJob(t, "fair", nil, model.JobSpec{Reduces: 1, SlowStart: 1})
		s.progress(minuteAndMore, map[int]float64{2: 0.03})
		require.Len(t, beat(t, s.c, minuteAndMore, s.nodes[3]), 1)
		winner, at, loser, loses := s.copyOf(2), s.nodes[3], s.attempts[2], s.at[2]
		if !copyWins {
			winner, at, loser, loses = loser, loses, winner, at
		}
		_, err := s.c.Heartbeat(minuteAndMore, model.Heartbeat{Node: at, Statuses: []model.Status{{Attempt: winner, State: model.StateSucceeded, OutputBytes: []int64{7}}}})
		require.NoError(t, err)
		got, err := s.c.Heartbeat(minuteAndMore, model.Heartbeat{Node: loses, Statuses: []model.Status{{Attempt: loser, State: model.StateSucceeded, OutputBytes: []int64{9}}}})
		require.NoError(t, err)
		require.Equal(t, []model.Action{{Verb: model.Kill, Attempt: loser, Locality: model.AnyPlace, Reason: model.Reason{Cause: model.CauseSuperseded}}}, got.Actions)
		n, try, ok := s.c.View().Output(winner.Task)
		require.True(t, ok)
		require.Equal(t, at, n)
		require.Equal(t, winner.Try, try)
		require.Equal(t, 1, s.c.Job(s.id).Work[model.Map].Done)
		require.Zero(t, s.c.Job(s.id).Work[model.Map].Copies)
		center, ok, err := s.c.View().Gravity(model.TaskID{Job: s.id, Kind: model.Reduce})
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, at, center)
		checkInvariants(t, s.c)
	}
}

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
				_, err := c.Heartbeat(now, model.Heartbeat{Node: on, Statuses: []model.Status{{Attempt: a, Progress: p}}})
				require.NoError(t, err)
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
	_, err := s.c.Heartbeat(minuteAndMore+time.Second, model.Heartbeat{Node: s.nodes[1], Statuses: []model.Status{{Attempt: s.copyOf(6), State: model.StateSucceeded}}, NoWork: true})
	require.NoError(t, err)
	s.end(minuteAndMore+time.Second, 1, model.StateSucceeded)
	require.NoError(t, s.c.Leave(minuteAndMore+time.Second, s.nodes[1])) // the speculative attempt of map 0 is lost
	for _, m := range []int{0, 4, 5} {
		_, err := s.c.Heartbeat(minuteAndMore+time.Second, model.Heartbeat{Node: s.at[m], Statuses: []model.Status{{Attempt: s.attempts[m], Progress: 0.05}}, NoWork: true})
		require.NoError(t, err)
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

// A job has at most as many speculative attempts as the cap allows; the cap is then the reason.
func TestCopiesAreCapped(t *testing.T) {
	s := newSlowJob(t, "fair", func(cfg *core.Config, p *model.Policy) {
		cfg.Explain = true
		p.Speculation.MinCopies = 1
	}, model.JobSpec{})
	s.progress(minuteAndMore, map[int]float64{0: 0.1, 1: 0.1})
	require.Len(t, beat(t, s.c, minuteAndMore, s.nodes[3]), 1)
	s.end(minuteAndMore, 6, model.StateSucceeded)
	require.Empty(t, beat(t, s.c, minuteAndMore, s.nodes[3]))
	require.Equal(t, model.Reason{Cause: model.CauseCopyCap, Count: 1, Of: 1}, s.c.View().Skips()[0].Reason)
}
