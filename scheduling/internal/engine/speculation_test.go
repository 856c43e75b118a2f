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

// LATE first starts a speculative attempt of the task with the longest estimated time to end. After
// 100 s, that is the map at 3 %, not the one at 50 % [Zaharia08 §4].
func TestLATECopiesTheLongestTimeToEnd(t *testing.T) {
	s := newSlowJob(t, "fair", func(_ *core.Config, p *model.Policy) { p.Speculation.SlowTask = 0.5 }, model.JobSpec{})
	s.progress(minuteAndMore, map[int]float64{0: 0.5, 2: 0.03})
	require.Equal(t, []model.AttemptID{s.copyOf(2)}, beat(t, s.c, minuteAndMore, s.nodes[3]))
	s.end(minuteAndMore, 6, model.StateSucceeded) // this frees a slot of the last node
	require.Equal(t, []model.AttemptID{s.copyOf(0)}, beat(t, s.c, minuteAndMore, s.nodes[3]))
	require.Len(t, s.c.View().Attempts(s.attempts[2].Task), 2)
	require.NoError(t, s.c.Update(minuteAndMore))
	s.end(minuteAndMore, 4, model.StateSucceeded)
	require.Empty(t, beat(t, s.c, minuteAndMore, s.at[4]), "a task has one copy at most")
	checkInvariants(t, s.c)
}

// By the native rule a task is slow if its progress is 0.2 below the mean of its job, even if it is
// fast now. The slow task with the lowest index comes first [Zaharia08 §2.1].
func TestNativeRuleComparesProgress(t *testing.T) {
	s := newSlowJob(t, "fair", func(_ *core.Config, p *model.Policy) { p.Speculation.Rule = model.NativeRule }, model.JobSpec{})
	s.progress(minuteAndMore, map[int]float64{0: 0.5, 2: 0.03})
	require.Equal(t, []model.AttemptID{s.copyOf(0)}, beat(t, s.c, minuteAndMore, s.nodes[3]))
	s = newSlowJob(t, "fair", func(_ *core.Config, p *model.Policy) { p.Speculation.Rule = model.NativeRule }, model.JobSpec{})
	s.progress(minuteAndMore, map[int]float64{0: 0.7})
	require.Empty(t, beat(t, s.c, minuteAndMore, s.nodes[3]), "0.2 below 0.87 is 0.67")
}

func TestWhatIsNotCopied(t *testing.T) {
	slow := map[int]float64{2: 0.03}
	for name, try := range map[string]struct {
		change func(*core.Config, *model.Policy)
		at     time.Duration
		on     int // node asked
		before func(s *slowJob)
	}{
		"nothing before an attempt has run for the lag":  {at: 59 * time.Second, on: 3},
		"nothing without a rule":                         {at: minuteAndMore, on: 3, change: func(_ *core.Config, p *model.Policy) { p.Speculation.Rule = model.NoSpeculation }},
		"no kind that is left out":                       {at: minuteAndMore, on: 3, change: func(_ *core.Config, p *model.Policy) { p.Speculation.Except[model.Map] = true }},
		"no task slower than the mean by less than that": {at: minuteAndMore, on: 3, change: func(_ *core.Config, p *model.Policy) { p.Speculation.SlowTask = 3 }},
		"no task on its own node": {at: minuteAndMore, on: 1, before: func(s *slowJob) {
			s.end(minuteAndMore, 3, model.StateSucceeded)
		}},
		"no task that may commit": {at: minuteAndMore, on: 3, before: func(s *slowJob) {
			require.True(s.t, s.c.MayCommit(s.attempts[2]))
			require.NoError(s.t, s.c.Update(minuteAndMore))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSlowJob(t, "fair", try.change, model.JobSpec{})
			s.progress(try.at, slow)
			if try.before != nil {
				try.before(s)
			}
			require.Empty(t, beat(t, s.c, try.at, s.nodes[try.on]))
			checkInvariants(t, s.c)
		})
	}
	s := newSlowJob(t, "fair", nil, model.JobSpec{})
	s.progress(60*time.Second, slow)
	require.Len(t, beat(t, s.c, 60*time.Second, s.nodes[3]), 1, "else there is a copy")
}

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

// While a job waits for locality it gets no speculative attempts: they may run on any node.
// Hadoop's FairScheduler, too, starts none for a request with a level.
func TestDelaySchedulingDelaysCopies(t *testing.T) {
	s := newSlowJob(t, "fair", func(_ *core.Config, p *model.Policy) {
		p.Locality = model.LocalityPolicy{Rule: model.TimedWait, Waits: []time.Duration{5 * time.Second, 5 * time.Second}}
	}, model.JobSpec{Places: on(7, 0, 1, 2, 3)})
	s.progress(minuteAndMore, map[int]float64{2: 0.03})
	require.Empty(t, beat(t, s.c, minuteAndMore, s.nodes[3]))
	require.Empty(t, beat(t, s.c, minuteAndMore+9*time.Second, s.nodes[3]))
	require.Equal(t, []model.AttemptID{s.copyOf(2)}, beat(t, s.c, minuteAndMore+10*time.Second, s.nodes[3]))
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

// A reduce's time counts from the end of the last map. So one that was launched early and waited is
// not slow.
func TestReducesThatWaitedAreNotSlow(t *testing.T) {
	c, n := newTestCore(t, "fair", func(_ *core.Config, p *model.Policy) {
		p.Speculation = model.SpeculationPolicy{Rule: model.LATE, SlowTask: 0.5}
	})
	submit(t, c, model.JobSpec{Maps: 1, Reduces: 3, SlowStart: -1})
	var m model.AttemptID
	at := map[model.AttemptID]model.NodeID{}
	launch := func(now time.Duration, on model.NodeID) {
		for _, a := range beat(t, c, now, on) {
			at[a] = on
			if a.Task.Kind == model.Map {
				m = a
			}
		}
	}
	launch(0, n[0])
	launch(0, n[1])
	report := func(now time.Duration, progress float64) {
		for a, on := range at {
			if a.Task.Kind == model.Reduce {
				_, err := c.Heartbeat(now, model.Heartbeat{Node: on, Statuses: []model.Status{{Attempt: a, Progress: progress}}, NoWork: true})
				require.NoError(t, err)
			}
		}
		require.NoError(t, c.Update(now))
	}
	report(900*time.Second, 0.1)
	launch(900*time.Second, n[2]) // this reduce waits for less time than the others
	require.Len(t, at, 4)
	require.NoError(t, c.Update(990*time.Second))
	require.Empty(t, beat(t, c, 990*time.Second, n[3]), "no reduce is slow while a map runs")
	_, err := c.Heartbeat(1000*time.Second, model.Heartbeat{Node: at[m], Statuses: []model.Status{{Attempt: m, State: model.StateSucceeded}}, NoWork: true})
	require.NoError(t, err)
	report(1100*time.Second, 0.5)
	require.Empty(t, beat(t, c, 1100*time.Second, n[3]), "all three have worked for 100 s")
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
