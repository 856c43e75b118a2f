package engine

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// stranded is a cluster of three nodes with one map slot each. On the first, a task of the job big
// is suspended for a task of the job small.
type stranded struct {
	t          *testing.T
	c          *core.Core
	now        time.Duration
	nodes      []model.NodeID
	held       map[model.NodeID]map[model.AttemptID]bool // true: suspended
	away       map[model.NodeID]bool
	shrunk     bool // a node has more running tasks than slots
	big, small model.JobID
}

func strand(t *testing.T) *stranded {
	s := &stranded{t: t, held: map[model.NodeID]map[model.AttemptID]bool{}, away: map[model.NodeID]bool{}}
	s.c = coreOf(t, "hfsp", func(_ *core.Config, p *model.Policy) { p.HFSP.NoTraining, p.Locality = true, model.LocalityPolicy{} })
	for _, name := range []string{"a", "b", "c"} {
		id := join(t, s.c, model.Node{Name: name, MapSlots: 1, ReduceSlots: 1})
		s.nodes, s.held[id] = append(s.nodes, id), map[model.AttemptID]bool{}
	}
	s.big = submit(t, s.c, model.JobSpec{Name: "big", Maps: 3, Reduces: 1, MapTime: time.Hour, ReduceTime: time.Hour})
	s.beats(false)
	s.now += time.Second
	s.small = submitAt(t, s.c, s.now, model.JobSpec{Name: "small", Maps: 1, MapTime: time.Second})
	s.beat(s.nodes[0], false)
	require.Len(t, s.held[s.nodes[0]], 2)
	require.Equal(t, 1, s.c.Suspend)
	return s
}

// beat sends a heartbeat of n. If `ends` is set, all attempts that run there end.
func (s *stranded) beat(n model.NodeID, ends bool) {
	if s.away[n] {
		return
	}
	var list []model.Status
	for _, id := range sortedAttempts(s.held[n]) {
		st := model.Status{Attempt: id}
		switch {
		case s.held[n][id]:
			st.State = model.StateSuspended
		case ends && (id.Task.Kind == model.Map || s.c.Job(s.big).Unfinished(model.Map) == 0):
			st.State = model.StateSucceeded
			delete(s.held[n], id)
		}
		list = append(list, st)
	}
	got, err := s.c.Heartbeat(s.now, model.Heartbeat{Node: n, Incarnation: s.c.Nodes[n].Incarnation, Statuses: list})
	require.NoError(s.t, err)
	for _, o := range got.Actions {
		switch o.Verb {
		case model.Launch, model.Suspend, model.Resume:
			require.False(s.t, o.Verb == model.Launch && s.c.Nodes[n].Cordoned, "cordon keeps new tasks away")
			s.held[n][o.Attempt] = o.Verb == model.Suspend
		case model.Kill:
			delete(s.held[n], o.Attempt)
		}
	}
	if !s.shrunk {
		checkInvariants(s.t, s.c)
	}
}

func (s *stranded) beats(ends bool) {
	for _, n := range s.nodes {
		s.beat(n, ends)
	}
}

// allowed fails unless err is nil, or is ErrJobEnded and the job has ended.
func (s *stranded) allowed(err error, job model.JobID) {
	if err != nil {
		require.ErrorIs(s.t, err, core.ErrJobEnded)
		require.True(s.t, s.c.View().State(job).Ended())
	}
}

func (s *stranded) reconfigure(preset string, change func(p *model.Policy)) {
	p, err := Preset(preset)
	require.NoError(s.t, err)
	if change != nil {
		change(&p)
	}
	require.NoError(s.t, s.c.Reconfigure(s.now, p))
}

// After any change to a cluster with a suspended attempt, every job ends that is not killed. The
// test makes each change.
func TestSuspendedAttemptContinues(t *testing.T) {
	events := map[string]func(s *stranded){
		"nothing":    func(*stranded) {},
		"cordon":     func(s *stranded) { require.NoError(s.t, s.c.Cordon(s.now, s.nodes[0], true)) },
		"node lost":  func(s *stranded) { s.away[s.nodes[0]] = true; require.NoError(s.t, s.c.Leave(s.now, s.nodes[0])) },
		"priority":   func(s *stranded) { s.allowed(s.c.SetPriority(s.now, s.big, model.VeryLow), s.big) },
		"kill small": func(s *stranded) { s.allowed(s.c.Kill(s.now, s.small), s.small) },
		"kill big":   func(s *stranded) { s.allowed(s.c.Kill(s.now, s.big), s.big) },
		"pool": func(s *stranded) {
			if err := s.c.SetPool(s.now, s.big, "p"); s.c.Policy.Order == "pools" {
				s.allowed(err, s.big)
			} else {
				require.Error(s.t, err)
			}
		},
		"wait":        func(s *stranded) { s.reconfigure("hfsp", func(p *model.Policy) { p.HFSP.Reclaim = model.WaitForSlot }) },
		"kill larger": func(s *stranded) { s.reconfigure("hfsp", func(p *model.Policy) { p.HFSP.Reclaim = model.KillLarger }) },
		"new life": func(s *stranded) {
			s.held[s.nodes[0]] = map[model.AttemptID]bool{}
			_, err := s.c.Join(s.now, model.Node{Name: "a", MapSlots: 1, ReduceSlots: 1, Incarnation: 7})
			require.NoError(s.t, err)
		},
		"no slots left": func(s *stranded) {
			s.shrunk = true
			_, err := s.c.Join(s.now, model.Node{Name: "a", ReduceSlots: 1})
			require.NoError(s.t, err)
		},
	}
	for _, name := range Presets() {
		events["switch to "+name] = func(s *stranded) { s.reconfigure(name, nil) }
	}
	for first, do := range events {
		for second, then := range events {
			t.Run(first+", "+second, func(t *testing.T) {
				s := strand(t)
				do(s)
				s.beat(s.nodes[1], false)
				then(s)
				for rounds := 0; len(s.c.View().Active()) > 0; rounds++ {
					require.Less(t, rounds, 30, "%+v", s.held)
					s.now += time.Second
					s.beats(true)
				}
				require.Zero(t, s.c.Suspend)
			})
		}
	}
}

// TestDrainedNodesEnd: if all nodes are cordoned, running and suspended attempts end, and nothing
// is launched.
func TestDrainedNodesEnd(t *testing.T) {
	s := strand(t)
	for _, n := range s.nodes {
		require.NoError(t, s.c.Cordon(s.now, n, true))
	}
	for range 3 {
		s.now += time.Second
		s.beats(true)
	}
	for _, n := range s.nodes {
		require.Empty(t, s.held[n])
	}
	require.Equal(t, model.JobSucceeded, s.c.View().State(s.small))
	require.Equal(t, []model.JobID{s.big}, s.c.View().Active(), "its reduce is not launched")
}

// A job whose place a job of higher priority has taken ends under any other policy. The former
// policy is pools with a limit on running jobs.
func TestDisplacedJobContinues(t *testing.T) {
	for _, preset := range Presets() {
		c, n := oneNode(t, "hfs", func(_ *core.Config, p *model.Policy) { p.Pools.PoolMaxJobs = 1 }, model.Node{Name: "a", MapSlots: 1, ReduceSlots: 1})
		id := submit(t, c, model.JobSpec{Pool: "p", Maps: 2})
		beat := func(now time.Duration, ended ...model.Status) []model.Action {
			got, err := c.Heartbeat(now, model.Heartbeat{Node: n, Statuses: ended})
			require.NoError(t, err)
			return got.Actions
		}
		ran := beat(1)
		require.Len(t, ran, 1)
		first := submitAt(t, c, 2, model.JobSpec{Pool: "p", Maps: 1, Priority: model.VeryHigh})
		beat(3)
		v := jobView(t, c, id)
		require.False(t, v.Runnable)
		to := policyOf(t, preset, nil)
		require.NoError(t, c.Reconfigure(4, to))
		now := time.Duration(5)
		for ; len(ran) > 0 && now < 20; now++ {
			ran = beat(now, model.Status{Attempt: ran[0].Attempt, State: model.StateSucceeded})
		}
		require.Empty(t, c.View().Active(), preset)
		require.Equal(t, model.JobSucceeded, c.View().State(id))
		require.Equal(t, model.JobSucceeded, c.View().State(first))
	}
}

// TestInfiniteXiAfterASwitch: a job gets training tasks under hfsp even if it has run under another
// policy. The run times of tasks that finished there are unknown.
func TestInfiniteXiAfterASwitch(t *testing.T) {
	c, n := oneNode(t, "fifo", nil, model.Node{Name: "a", MapSlots: 1})
	id := submit(t, c, model.JobSpec{Maps: 8})
	var ended []model.Status
	for now := range time.Duration(12) {
		if now == 6 {
			to := policyOf(t, "hfsp", nil)
			to.HFSP.Xi = math.Inf(1)
			require.NoError(t, c.Reconfigure(now, to))
		}
		got, err := c.Heartbeat(now, model.Heartbeat{Node: n, Statuses: ended})
		require.NoError(t, err)
		ended = ended[:0]
		for _, o := range got.Actions {
			if o.Verb == model.Launch {
				ended = append(ended, model.Status{Attempt: o.Attempt, State: model.StateSucceeded})
			}
		}
	}
	require.Equal(t, model.JobSucceeded, c.View().State(id))
}

// A suspended attempt is killed if its node gets too few slots for it, or if the new policy does
// not resume attempts.
func TestSuspendedAttemptsThatCannotGoOn(t *testing.T) {
	suspended := func() (*core.Core, model.NodeID, model.AttemptID) {
		c, since := eventsOf(t, "hfsp", func(_ *core.Config, p *model.Policy) { p.HFSP = model.HFSPPolicy{NoTraining: true} })
		_ = since
		n := join(t, c, model.Node{Name: "n", ReduceSlots: 2})
		submit(t, c, model.JobSpec{Reduces: 2, ReduceTime: time.Hour})
		large := beat(t, c, 0, n)
		submit(t, c, model.JobSpec{Reduces: 1, ReduceTime: time.Minute})
		require.Len(t, beat(t, c, 0, n), 1)
		v, ok := c.View().Attempt(large[0])
		require.True(t, ok)
		require.True(t, v.Suspended)
		return c, n, large[0]
	}
	for slots, lives := range map[int]bool{2: true, 1: true, 0: false} {
		c, _, id := suspended()
		join(t, c, model.Node{Name: "n", ReduceSlots: slots})
		_, ok := c.View().Attempt(id)
		require.Equal(t, lives, ok, "%d slots", slots)
		require.Len(t, c.View().Attempts(model.TaskID{Job: 2, Kind: model.Reduce, Index: 0}), 1, "what runs goes on")
	}
	for preset, lives := range map[string]bool{"hfsp": true, "srpt": true, "fair": false, "hfs": false} {
		c, n, id := suspended()
		p := policyOf(t, preset, nil)
		require.NoError(t, c.Reconfigure(0, p))
		_, ok := c.View().Attempt(id)
		require.Equal(t, lives, ok, preset)
		require.Equal(t, map[bool]int{true: 1, false: 0}[lives], c.Suspend)
		got, err := c.Heartbeat(0, model.Heartbeat{Node: n, NoWork: true})
		require.NoError(t, err)
		require.Equal(t, !lives, len(got.Actions) == 1, "the node is recorded")
		checkInvariants(t, c)
	}
	c, _, _ := suspended()
	require.NoError(t, c.Kill(0, 1))
	require.Zero(t, c.Suspend)
	require.Zero(t, jobView(t, c, 1).Kinds[model.Reduce].Suspended)
}
