package engine

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/scheduling/calls"
	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// Built-in parts, written once more against the public interface: the naive fair order, delay
// scheduling by a skip count, and reduces anywhere.

type fewestFirst struct{}

func (fewestFirst) Rank(q core.View, id model.JobID, k model.TaskKind) float64 {
	j, _ := q.Job(id)
	return float64(j.Kinds[k].Running)
}

type skipFirst int

func (d skipFirst) Farthest(_ core.View, o core.Offer) model.Locality {
	if o.Refused < int(d) {
		return model.NodeLocal
	}
	return model.AnyPlace
}

type firstWaiting struct{}

func (firstWaiting) Place(_ core.View, o core.Offer) int32 {
	for i := range o.Waiting {
		return i
	}
	return -1
}

func knownParts() core.Parts {
	return core.Parts{
		Orders:  map[string]func() core.JobOrder{"fewest": func() core.JobOrder { return fewestFirst{} }},
		Maps:    map[string]func() core.MapPlacement{"skip": func() core.MapPlacement { return skipFirst(2) }},
		Reduces: map[string]func() core.ReducePlacement{"first": func() core.ReducePlacement { return firstWaiting{} }},
	}
}

// plainly returns a function that adds events to list without their reasons, and without skips and
// shares. External parts have reasons of their own, and external orders report no shares.
func plainly(list *[]event.Event) func(event.Event) {
	return func(e event.Event) {
		if e.Type == event.Skipped || e.Type == event.Shares {
			return
		}
		e.Reason, e.Placed = model.Reason{}, nil
		*list = append(*list, e)
	}
}

// Parts from outside that follow the same rule as built-in ones make the same decisions.
func TestPartsFromOutsideEqualTheBuiltIn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := policyOf(t, "delay", nil)
		in.Locality = model.LocalityPolicy{Rule: model.SkipCount, Skips: []int{2}}
		out := in
		out.Order, out.Locality, out.Reduce = "fewest", model.LocalityPolicy{Part: "skip"}, model.ReducePolicy{Part: "first"}
		var builtIn, outside []event.Event
		explain := rapid.Bool().Draw(t, "explain")
		w := newWorld(t, model.Policy{Order: "fifo"})
		cfg := silently(w.cfg)
		cfg.Explain, cfg.Events = explain, plainly(&builtIn)
		b, err := NewCore(cfg, in)
		require.NoError(t, err)
		require.NoError(t, ReplayFrom(b, &w.log)) // the nodes
		require.NoError(t, w.c.Reconfigure(w.now, out))
		require.NoError(t, b.Reconfigure(w.now, in))
		w.fixed = true
		w.c.Config.Explain, w.hears = explain, plainly(&outside)
		builtIn = nil
		w.c.Config.Calls = func(call *calls.Call) {
			same := *call
			same.Actions = nil // reasons differ; the events are compared
			if err := Replay(b, &same); call.Op != calls.Heartbeat {
				require.NoError(t, err)
			}
		}
		for range rapid.IntRange(10, 60).Draw(t, "steps") {
			w.step(4, 2)
		}
		require.Equal(t, builtIn, outside)
	})
}

// curious is a part from outside that asks the View every question before it answers.
type curious struct {
	t require.TestingT
	c **core.Core
}

func (a curious) ask() {
	if *a.c != nil {
		ask(a.t, *a.c)
	}
}

type curiousOrder struct{ curious }

func (o curiousOrder) Rank(q core.View, id model.JobID, k model.TaskKind) float64 {
	o.ask()
	return fewestFirst{}.Rank(q, id, k)
}

type curiousMaps struct{ curious }

func (m curiousMaps) Farthest(q core.View, o core.Offer) model.Locality {
	m.ask()
	return skipFirst(2).Farthest(q, o)
}

type curiousReduces struct{ curious }

func (r curiousReduces) Place(q core.View, o core.Offer) int32 {
	r.ask()
	return firstWaiting{}.Place(q, o)
}

// Under every order, a part may ask any question while a slot is offered, and gets the same answer
// each time.
func TestPartsMayAsk(t *testing.T) {
	for _, order := range append(Presets(), "fewest") {
		t.Run(order, rapid.MakeCheck(func(t *rapid.T) {
			p := drawPolicy(t)
			if p.Order = "fewest"; order != "fewest" {
				p.Order = orderOf(t, order)
			}
			if p.Order != "capacity" {
				p.Queues = nil
			}
			p.Locality.Part, p.Reduce.Part = "skip", "first"
			w := newWorld(t, p)
			for range rapid.IntRange(5, 20).Draw(t, "steps") {
				w.step(4, 2)
			}
			var c *core.Core
			asks := curious{t, &c}
			cfg := silently(w.cfg)
			cfg.Parts = core.Parts{
				Orders:  map[string]func() core.JobOrder{"fewest": func() core.JobOrder { return curiousOrder{asks} }},
				Maps:    map[string]func() core.MapPlacement{"skip": func() core.MapPlacement { return curiousMaps{asks} }},
				Reduces: map[string]func() core.ReducePlacement{"first": func() core.ReducePlacement { return curiousReduces{asks} }},
			}
			fresh, err := NewCore(cfg, p)
			require.NoError(t, err)
			c = fresh
			require.NoError(t, ReplayFrom(fresh, &w.log))
		}))
	}
}

// notes is a part from outside that records its offers; without a choice it refuses them.
type notes struct {
	offers   []core.Offer
	reduces  []core.Offer
	ready    [][]int32 // maps
	waiting  [][]int32 // reduces
	launched []model.JobID
	ended    []model.JobID
	allow    model.Locality
	choose   int32
}

func (n *notes) Farthest(_ core.View, o core.Offer) model.Locality {
	n.ready = append(n.ready, slices.Collect(o.Waiting))
	o.Waiting = nil
	n.offers = append(n.offers, o)
	return n.allow
}

// chooser is notes that also chooses a map.
type chooser struct{ *notes }

func (c chooser) Choose(q core.View, o core.Offer) int32 {
	c.Farthest(q, o)
	return c.choose
}

func (c chooser) Launched(id model.JobID) { c.launched = append(c.launched, id) }

func (n *notes) Place(_ core.View, o core.Offer) int32 {
	n.waiting = append(n.waiting, slices.Collect(o.Waiting))
	o.Waiting = nil
	n.reduces = append(n.reduces, o)
	return n.choose
}

func (n *notes) Forget(id model.JobID) { n.ended = append(n.ended, id) }

// notesCore returns a Core of four nodes in two racks, with notes as placement of maps and reduces.
func notesCore(t *testing.T) (*core.Core, []model.NodeID, *notes) {
	n := &notes{choose: -1}
	c, nodes := newTestCore(t, "fair", func(cfg *core.Config, p *model.Policy) {
		cfg.Parts = core.Parts{
			Maps: map[string]func() core.MapPlacement{
				"notes": func() core.MapPlacement { return n }, "chooser": func() core.MapPlacement { return chooser{n} },
			},
			Reduces: map[string]func() core.ReducePlacement{"notes": func() core.ReducePlacement { return n }},
		}
		cfg.Explain = true
		p.SlowStart = 0
		p.Locality.Part, p.Reduce.Part = "notes", "notes"
	})
	return c, nodes, n
}

// An offer to a MapPlacement has the distance of the nearest map, and the number of refusals since
// the job's last local map.
func TestMapPlacementIsReported(t *testing.T) {
	c, nodes, n := notesCore(t)
	id := submit(t, c, model.JobSpec{Maps: 3, Places: model.Places{Offsets: []int32{0, 1, 2, 3}, Nodes: []model.NodeID{nodes[0], nodes[0], nodes[0]}}})
	require.Empty(t, beat(t, c, time.Second, nodes[3]))
	require.Empty(t, beat(t, c, 3*time.Second, nodes[1]))
	require.Equal(t, []core.Offer{ // each slot is an offer
		{Job: id, Node: nodes[3], Nearest: model.OffRack},
		{Job: id, Node: nodes[3], Nearest: model.OffRack, Refused: 1},
		{Job: id, Node: nodes[1], Nearest: model.RackLocal, Refused: 2, Waited: 2 * time.Second},
		{Job: id, Node: nodes[1], Nearest: model.RackLocal, Refused: 3, Waited: 2 * time.Second},
	}, n.offers)
	require.Equal(t, []model.Skip{{Job: id, Node: nodes[1], Reason: model.Reason{Cause: model.CauseWaiting, Count: 3, Wait: 2 * time.Second}}}, c.View().Skips())

	n.allow, n.offers = model.RackLocal, nil
	require.Len(t, beat(t, c, 4*time.Second, nodes[1]), 2, "in the rack of its data")
	require.Equal(t, 4, n.offers[1].Refused, "a launch off its data ends no wait")
	require.Len(t, beat(t, c, 5*time.Second, nodes[0]), 1)
	v, err := c.View().Locality(id)
	require.NoError(t, err)
	require.Zero(t, v, "a launch on its data does")
}

// A MapChooser's map is launched even if another is nearer to its data, and then its method
// Launched is called.
func TestMapChooserChooses(t *testing.T) {
	c, nodes, n := notesCore(t)
	p := c.Policy
	p.Locality.Part = "chooser"
	require.NoError(t, c.Reconfigure(0, p))
	id := submit(t, c, model.JobSpec{Maps: 4, Places: model.Places{Offsets: []int32{0, 1, 2, 2, 3}, Nodes: []model.NodeID{nodes[0], nodes[3], nodes[1]}}})
	require.Empty(t, beat(t, c, time.Second, nodes[0]), "two slots, both refused")
	require.Equal(t, [][]int32{{0, 1, 3}, {0, 1, 3}}, n.ready, "map 2 has no place")
	require.Equal(t, core.Offer{Job: id, Node: nodes[0], Nearest: model.NodeLocal, Refused: 1}, n.offers[1])
	require.Empty(t, n.launched)
	n.choose = 1
	var launched []event.Event
	c.Config.Events = func(e event.Event) { launched = append(launched, e) }
	require.Panics(t, func() { beat(t, c, 2*time.Second, nodes[0]) }, "map 1 is not waiting any more at the second slot")
	require.Equal(t, model.OffRack, launched[0].Locality)
	require.Equal(t, []model.JobID{id}, n.launched)
	for _, bad := range []int32{1, 2, 9} {
		n.choose = bad
		require.PanicsWithValue(t, `scheduling: the placement of maps "chooser" chose map `+string('0'+bad)+` of job_0001, which does not wait to be launched`,
			func() { beat(t, c, 3*time.Second, nodes[3]) })
	}
}

// If no waiting map has a place, a MapChooser gets no offer.
func TestMapChooserIsNotAskedOfMapsWithoutAPlace(t *testing.T) {
	c, nodes, n := notesCore(t)
	p := c.Policy
	p.Locality.Part = "chooser"
	require.NoError(t, c.Reconfigure(0, p))
	submit(t, c, model.JobSpec{Maps: 2})
	require.Len(t, beat(t, c, time.Second, nodes[0]), 2)
	require.Empty(t, n.offers)
	require.Empty(t, n.launched)
}

// An offer to a ReducePlacement has the waiting reduces, and the number of refusals since the job's
// last launch. When a job ends, the method Forget is called.
func TestReducePlacementIsReported(t *testing.T) {
	c, nodes, n := notesCore(t)
	id := submit(t, c, model.JobSpec{Reduces: 3})
	require.Empty(t, beat(t, c, time.Second, nodes[0]))
	require.Equal(t, []model.Skip{{Job: id, Kind: model.Reduce, Node: nodes[0], Reason: model.Reason{Cause: model.CausePlacementWait, Count: 1}}}, c.View().Skips())
	n.choose = 1
	require.Equal(t, []model.AttemptID{{Task: model.TaskID{Job: id, Kind: model.Reduce, Index: 1}}}, beat(t, c, 4*time.Second, nodes[1]))
	n.choose = 2
	require.Len(t, beat(t, c, 6*time.Second, nodes[2]), 1)
	require.Equal(t, []core.Offer{
		{Job: id, Node: nodes[0]},
		{Job: id, Node: nodes[1], Refused: 1, Waited: 3 * time.Second},
		{Job: id, Node: nodes[2]},
	}, n.reduces)
	require.Equal(t, [][]int32{{0, 1, 2}, {0, 1, 2}, {0, 2}}, n.waiting)
	require.NoError(t, c.Kill(7*time.Second, id))
	require.Equal(t, []model.JobID{id, id}, n.ended, "as a rule for maps and for reduces")
}

// The Core panics if a ReducePlacement chooses a reduce that does not wait.
func TestReducePlacementChoosesAWaitingOne(t *testing.T) {
	for _, choice := range []int32{0, 7} {
		c, nodes, n := notesCore(t)
		submit(t, c, model.JobSpec{Reduces: 2})
		n.choose = 0
		beat(t, c, 0, nodes[0])
		n.choose = choice
		require.PanicsWithValue(t, `scheduling: the placement of reduces "notes" chose reduce `+string('0'+choice)+` of job_0001, which does not wait to be launched`,
			func() { beat(t, c, 0, nodes[1]) })
	}
}

func TestPartsThatAreNotThere(t *testing.T) {
	parts := knownParts()
	for want, p := range map[string]model.Policy{
		`no order "mine"; Config.Parts has fewest`:               {Order: "mine"},
		`no placement of maps "mine"; Config.Parts has skip`:     {Order: "fifo", Locality: model.LocalityPolicy{Part: "mine"}},
		`no placement of reduces "mine"; Config.Parts has first`: {Order: "fifo", Reduce: model.ReducePolicy{Part: "mine"}},
	} {
		_, err := NewCore(core.Config{Parts: parts}, p)
		require.ErrorIs(t, err, core.ErrUnknownPolicy)
		require.ErrorContains(t, err, want)
	}
	_, err := NewCore(core.Config{}, model.Policy{Order: "fifo", Reduce: model.ReducePolicy{Part: "mine"}})
	require.ErrorContains(t, err, `no placement of reduces "mine"; Config.Parts has none`)
	parts.Orders["fair"] = parts.Orders["fewest"]
	_, err = NewCore(core.Config{Parts: parts}, model.Policy{Order: "fair"})
	require.ErrorIs(t, err, model.ErrBadConfig)
	require.ErrorContains(t, err, `an order "fair" is there already`)
}

// The View answers where the known input of a reduce is stored.
func TestQuestionsAboutInput(t *testing.T) {
	c, nodes := newTestCore(t, "fair", nil)
	id := submit(t, c, model.JobSpec{Maps: 3, Reduces: 2})
	task := model.TaskID{Job: id, Kind: model.Reduce, Index: 1}
	maps, bytes, err := c.View().Known(task)
	require.NoError(t, err)
	require.Zero(t, maps)
	require.Zero(t, bytes)
	launched := append(beat(t, c, 0, nodes[0]), beat(t, c, 0, nodes[2])...)
	for i, node := range []int{0, 0, 2} {
		a := launched[i]
		require.Equal(t, int32(i), a.Task.Index)
		beat(t, c, 0, nodes[node], model.Status{Attempt: a, State: model.StateSucceeded, OutputBytes: []int64{1, int64(10 << i)}})
	}
	maps, bytes, err = c.View().Known(task)
	require.NoError(t, err)
	require.Equal(t, 3, maps)
	require.Equal(t, int64(70), bytes)
	for node, want := range map[model.NodeID]int64{nodes[0]: 30, nodes[1]: 0, nodes[2]: 40, 99: 0} {
		held, err := c.View().Held(task, node)
		require.NoError(t, err)
		require.Equal(t, want, held)
	}
	_, _, err = c.View().Known(model.TaskID{Job: id, Kind: model.Map})
	require.ErrorIs(t, err, core.ErrUnknownTask)

	q := c.View()
	require.Equal(t, []model.Locality{model.NodeLocal, model.RackLocal, model.OffRack, model.OffRack, model.AnyPlace}, []model.Locality{
		q.Between(nodes[0], nodes[0]), q.Between(nodes[0], nodes[1]), q.Between(nodes[0], nodes[2]), q.Between(nodes[3], nodes[0]), q.Between(nodes[0], 99),
	})
	v, ok := q.Node(nodes[2])
	require.True(t, ok)
	require.Equal(t, "n3", v.Name)
	_, ok = q.Node(99)
	require.False(t, ok)
	s, err := q.Spec(id)
	require.NoError(t, err)
	require.Equal(t, 3, s.Maps)
	_, err = q.Spec(99)
	require.ErrorIs(t, err, core.ErrUnknownJob)
}
