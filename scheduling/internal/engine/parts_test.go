package engine

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The naive fair order, delay scheduling by a skip count, and reduces anywhere, from outside.

type fewestFirst struct{}

func (fewestFirst) Rank(q View, id JobID, k TaskKind) float64 {
	j, _ := q.Job(id)
	return float64(j.Kinds[k].Running)
}

type skipFirst int

func (d skipFirst) Farthest(_ View, o MapOffer) Locality {
	if o.Refused < int(d) {
		return NodeLocal
	}
	return AnyPlace
}

type firstWaiting struct{}

func (firstWaiting) Place(_ View, o ReduceOffer) int32 {
	for i := range o.Waiting {
		return i
	}
	return -1
}

func knownParts() Parts {
	return Parts{
		Orders:  map[string]func() JobOrder{"fewest": func() JobOrder { return fewestFirst{} }},
		Maps:    map[string]func() MapPlacement{"skip": func() MapPlacement { return skipFirst(2) }},
		Reduces: map[string]func() ReducePlacement{"first": func() ReducePlacement { return firstWaiting{} }},
	}
}

// plainly leaves out of an event why, and of skips all: these words are the parts' own. Orders from
// outside tell no shares.
func plainly(list *[]Event) func(Event) {
	return func(e Event) {
		if e.Type == EventSkipped || e.Type == EventShares {
			return
		}
		e.Reason, e.Placed = Reason{}, nil
		*list = append(*list, e)
	}
}

// What is built in does the same from outside, whatever happens.
func TestPartsFromOutsideEqualTheBuiltIn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, err := Preset("delay")
		require.NoError(t, err)
		in.Locality = LocalityPolicy{Rule: SkipCount, Skips: []int{2}}
		out := in
		out.Order, out.Locality, out.Reduce = "fewest", LocalityPolicy{Part: "skip"}, ReducePolicy{Part: "first"}
		var builtIn, outside []Event
		explain := rapid.Bool().Draw(t, "explain")
		b, err := NewCore(Config{HeartbeatInterval: time.Second, Explain: explain, Events: plainly(&builtIn)}, in)
		require.NoError(t, err)
		y := newPlayOf(t, Policy{Order: "fifo"}, knownParts())
		require.NoError(t, ReplayFrom(b, &y.log)) // the nodes
		require.NoError(t, y.c.Reconfigure(y.now, out))
		require.NoError(t, b.Reconfigure(y.now, in))
		y.fixed = true
		y.c.cfg.Explain, y.c.cfg.Events = explain, plainly(&outside)
		builtIn = nil
		y.c.cfg.Calls = func(call *Call) {
			same := *call
			same.Actions = nil // its reasons are others; the events are compared
			if err := b.replay(&same); call.Op != OpHeartbeat {
				require.NoError(t, err)
			}
		}
		for range rapid.IntRange(10, 60).Draw(t, "steps") {
			y.step(4, 2)
		}
		require.Equal(t, builtIn, outside)
	})
}

// Random runs under parts from outside mixed with built-in ones end, keep all invariants and replay.
func TestRandomRunsWithPartsFromOutside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPolicy(t)
		if rapid.Bool().Draw(t, "order") {
			p.Order, p.Queues = "fewest", nil
		}
		if rapid.Bool().Draw(t, "maps") {
			p.Locality.Part = "skip"
		}
		if rapid.Bool().Draw(t, "reduces") {
			p.Reduce.Part = "first"
		}
		y := newPlayOf(t, p, knownParts())
		for range rapid.IntRange(10, 60).Draw(t, "steps") {
			y.step(4, 2)
		}
		y.finish()
		fresh, err := NewCore(silently(y.config()), p)
		require.NoError(t, err)
		require.NoError(t, ReplayFrom(fresh, &y.log))
	})
}

// curious asks everything there is to ask before it answers.
type curious struct {
	t require.TestingT
	c **Core
}

func (a curious) ask() {
	if *a.c != nil {
		ask(a.t, *a.c)
	}
}

type curiousOrder struct{ curious }

func (o curiousOrder) Rank(q View, id JobID, k TaskKind) float64 {
	o.ask()
	return fewestFirst{}.Rank(q, id, k)
}

type curiousMaps struct{ curious }

func (m curiousMaps) Farthest(q View, o MapOffer) Locality {
	m.ask()
	return skipFirst(2).Farthest(q, o)
}

type curiousReduces struct{ curious }

func (r curiousReduces) Place(q View, o ReduceOffer) int32 {
	r.ask()
	return firstWaiting{}.Place(q, o)
}

// A part may ask anything while a slot is offered, under every order: the answers are the same.
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
			y := newPlayOf(t, p, knownParts())
			for range rapid.IntRange(5, 20).Draw(t, "steps") {
				y.step(4, 2)
			}
			var c *Core
			asks := curious{t, &c}
			cfg := silently(y.config())
			cfg.Parts = Parts{
				Orders:  map[string]func() JobOrder{"fewest": func() JobOrder { return curiousOrder{asks} }},
				Maps:    map[string]func() MapPlacement{"skip": func() MapPlacement { return curiousMaps{asks} }},
				Reduces: map[string]func() ReducePlacement{"first": func() ReducePlacement { return curiousReduces{asks} }},
			}
			fresh, err := NewCore(cfg, p)
			require.NoError(t, err)
			c = fresh
			require.NoError(t, ReplayFrom(fresh, &y.log))
		}))
	}
}

// notes writes down what it is offered, and refuses.
type notes struct {
	offers   []MapOffer
	reduces  []ReduceOffer
	ready    [][]int32 // maps
	waiting  [][]int32 // reduces
	launched []JobID
	ended    []JobID
	allow    Locality
	choose   int32
}

func (n *notes) Farthest(_ View, o MapOffer) Locality {
	n.ready = append(n.ready, slices.Collect(o.Waiting))
	o.Waiting = nil
	n.offers = append(n.offers, o)
	return n.allow
}

// chooser is notes that choose a map.
type chooser struct{ *notes }

func (c chooser) Choose(q View, o MapOffer) int32 {
	c.Farthest(q, o)
	return c.choose
}

func (c chooser) Launched(id JobID) { c.launched = append(c.launched, id) }

func (n *notes) Place(_ View, o ReduceOffer) int32 {
	n.waiting = append(n.waiting, slices.Collect(o.Waiting))
	o.Waiting = nil
	n.reduces = append(n.reduces, o)
	return n.choose
}

func (n *notes) Forget(id JobID) { n.ended = append(n.ended, id) }

// notesCore is a core of four nodes in two racks under parts that take notes.
func notesCore(t *testing.T) (*Core, []NodeID, *notes) {
	n := &notes{choose: -1}
	c, nodes := newTestCore(t, "fair", func(cfg *Config, p *Policy) {
		cfg.Parts = Parts{
			Maps: map[string]func() MapPlacement{
				"notes": func() MapPlacement { return n }, "chooser": func() MapPlacement { return chooser{n} },
			},
			Reduces: map[string]func() ReducePlacement{"notes": func() ReducePlacement { return n }},
		}
		cfg.Explain = true
		p.SlowStart = 0
		p.Locality.Part, p.Reduce.Part = "notes", "notes"
	})
	return c, nodes, n
}

// A rule for maps is told how near the nearest map is, and of the refusals since the last map on
// its data.
func TestMapPlacementIsTold(t *testing.T) {
	c, nodes, n := notesCore(t)
	id, err := c.Submit(0, JobSpec{Maps: 3, Places: Places{Offsets: []int32{0, 1, 2, 3}, Nodes: []NodeID{nodes[0], nodes[0], nodes[0]}}})
	require.NoError(t, err)
	require.Empty(t, beat(t, c, time.Second, nodes[3]))
	require.Empty(t, beat(t, c, 3*time.Second, nodes[1]))
	require.Equal(t, []MapOffer{ // each slot is an offer
		{Job: id, Node: nodes[3], Nearest: OffRack},
		{Job: id, Node: nodes[3], Nearest: OffRack, Refused: 1},
		{Job: id, Node: nodes[1], Nearest: RackLocal, Refused: 2, Waited: 2 * time.Second},
		{Job: id, Node: nodes[1], Nearest: RackLocal, Refused: 3, Waited: 2 * time.Second},
	}, n.offers)
	require.Equal(t, []Skip{{Job: id, Node: nodes[1], Reason: Reason{Cause: CauseWaiting, Count: 3, Wait: 2 * time.Second}}}, c.View().Skips())

	n.allow, n.offers = RackLocal, nil
	require.Len(t, beat(t, c, 4*time.Second, nodes[1]), 2, "in the rack of its data")
	require.Equal(t, 4, n.offers[1].Refused, "a launch off its data ends no wait")
	require.Len(t, beat(t, c, 5*time.Second, nodes[0]), 1)
	v, err := c.View().Locality(id)
	require.NoError(t, err)
	require.Zero(t, v, "a launch on its data does")
}

// A chooser names the map itself, however far another one is from its data, and is told of its
// launch.
func TestMapChooserChooses(t *testing.T) {
	c, nodes, n := notesCore(t)
	p := c.pol
	p.Locality.Part = "chooser"
	require.NoError(t, c.Reconfigure(0, p))
	id, err := c.Submit(0, JobSpec{Maps: 4, Places: Places{Offsets: []int32{0, 1, 2, 2, 3}, Nodes: []NodeID{nodes[0], nodes[3], nodes[1]}}})
	require.NoError(t, err)
	require.Empty(t, beat(t, c, time.Second, nodes[0]), "two slots, both refused")
	require.Equal(t, [][]int32{{0, 1, 3}, {0, 1, 3}}, n.ready, "map 2 has no place")
	require.Equal(t, MapOffer{Job: id, Node: nodes[0], Nearest: NodeLocal, Refused: 1}, n.offers[1])
	require.Empty(t, n.launched)
	n.choose = 1
	var launched []Event
	c.cfg.Events = func(e Event) { launched = append(launched, e) }
	require.Panics(t, func() { beat(t, c, 2*time.Second, nodes[0]) }, "map 1 is not waiting any more at the second slot")
	require.Equal(t, OffRack, launched[0].Locality)
	require.Equal(t, []JobID{id}, n.launched)
	for _, bad := range []int32{1, 2, 9} {
		n.choose = bad
		require.PanicsWithValue(t, `scheduling: the placement of maps "chooser" chose map `+string('0'+bad)+` of job_0001, which does not wait to be launched`,
			func() { beat(t, c, 3*time.Second, nodes[3]) })
	}
}

// Where no map that waits has a place, a chooser is not asked.
func TestMapChooserIsNotAskedOfMapsWithoutAPlace(t *testing.T) {
	c, nodes, n := notesCore(t)
	p := c.pol
	p.Locality.Part = "chooser"
	require.NoError(t, c.Reconfigure(0, p))
	_, err := c.Submit(0, JobSpec{Maps: 2})
	require.NoError(t, err)
	require.Len(t, beat(t, c, time.Second, nodes[0]), 2)
	require.Empty(t, n.offers)
	require.Empty(t, n.launched)
}

// A map without a place waits for nothing.
func TestMapPlacementIsNotAskedOfMapsWithoutAPlace(t *testing.T) {
	c, nodes, n := notesCore(t)
	_, err := c.Submit(0, JobSpec{Maps: 2})
	require.NoError(t, err)
	require.Len(t, beat(t, c, time.Second, nodes[0]), 2)
	require.Empty(t, n.offers)
}

// A rule for reduces is told which wait, and of the refusals since the last launch; it is told when
// a job ends.
func TestReducePlacementIsTold(t *testing.T) {
	c, nodes, n := notesCore(t)
	id, err := c.Submit(0, JobSpec{Reduces: 3})
	require.NoError(t, err)
	require.Empty(t, beat(t, c, time.Second, nodes[0]))
	require.Equal(t, []Skip{{Job: id, Kind: Reduce, Node: nodes[0], Reason: Reason{Cause: CausePlacementWait, Count: 1}}}, c.View().Skips())
	n.choose = 1
	require.Equal(t, []AttemptID{{Task: TaskID{Job: id, Kind: Reduce, Index: 1}}}, beat(t, c, 4*time.Second, nodes[1]))
	n.choose = 2
	require.Len(t, beat(t, c, 6*time.Second, nodes[2]), 1)
	require.Equal(t, []ReduceOffer{
		{Job: id, Node: nodes[0]},
		{Job: id, Node: nodes[1], Refused: 1, Waited: 3 * time.Second},
		{Job: id, Node: nodes[2]},
	}, n.reduces)
	require.Equal(t, [][]int32{{0, 1, 2}, {0, 1, 2}, {0, 2}}, n.waiting)
	require.NoError(t, c.Kill(7*time.Second, id))
	require.Equal(t, []JobID{id, id}, n.ended, "as a rule for maps and for reduces")
}

// A reduce that does not wait cannot be chosen.
func TestReducePlacementChoosesAWaitingOne(t *testing.T) {
	for _, choice := range []int32{0, 7} {
		c, nodes, n := notesCore(t)
		_, err := c.Submit(0, JobSpec{Reduces: 2})
		require.NoError(t, err)
		n.choose = 0
		beat(t, c, 0, nodes[0])
		n.choose = choice
		require.PanicsWithValue(t, `scheduling: the placement of reduces "notes" chose reduce `+string('0'+choice)+` of job_0001, which does not wait to be launched`,
			func() { beat(t, c, 0, nodes[1]) })
	}
}

func TestPartsThatAreNotThere(t *testing.T) {
	parts := knownParts()
	for want, p := range map[string]Policy{
		`no order "mine"; Config.Parts has fewest`:               {Order: "mine"},
		`no placement of maps "mine"; Config.Parts has skip`:     {Order: "fifo", Locality: LocalityPolicy{Part: "mine"}},
		`no placement of reduces "mine"; Config.Parts has first`: {Order: "fifo", Reduce: ReducePolicy{Part: "mine"}},
	} {
		_, err := NewCore(Config{Parts: parts}, p)
		require.ErrorIs(t, err, ErrUnknownPolicy)
		require.ErrorContains(t, err, want)
	}
	_, err := NewCore(Config{}, Policy{Order: "fifo", Reduce: ReducePolicy{Part: "mine"}})
	require.ErrorContains(t, err, `no placement of reduces "mine"; Config.Parts has none`)
	parts.Orders["fair"] = parts.Orders["fewest"]
	_, err = NewCore(Config{Parts: parts}, Policy{Order: "fair"})
	require.ErrorIs(t, err, ErrBadConfig)
	require.ErrorContains(t, err, `an order "fair" is there already`)
}

// What lies where, by the questions a placement asks.
func TestQuestionsAboutInput(t *testing.T) {
	c, nodes := newTestCore(t, "fair", nil)
	id, err := c.Submit(0, JobSpec{Maps: 3, Reduces: 2})
	require.NoError(t, err)
	task := TaskID{Job: id, Kind: Reduce, Index: 1}
	maps, bytes, err := c.View().Known(task)
	require.NoError(t, err)
	require.Zero(t, maps)
	require.Zero(t, bytes)
	launched := append(beat(t, c, 0, nodes[0]), beat(t, c, 0, nodes[2])...)
	for i, node := range []int{0, 0, 2} {
		a := launched[i]
		require.Equal(t, int32(i), a.Task.Index)
		beat(t, c, 0, nodes[node], Status{Attempt: a, State: StateSucceeded, OutputBytes: []int64{1, int64(10 << i)}})
	}
	maps, bytes, err = c.View().Known(task)
	require.NoError(t, err)
	require.Equal(t, 3, maps)
	require.Equal(t, int64(70), bytes)
	for node, want := range map[NodeID]int64{nodes[0]: 30, nodes[1]: 0, nodes[2]: 40, 99: 0} {
		held, err := c.View().Held(task, node)
		require.NoError(t, err)
		require.Equal(t, want, held)
	}
	_, _, err = c.View().Known(TaskID{Job: id, Kind: Map})
	require.ErrorIs(t, err, ErrUnknownTask)

	q := c.View()
	require.Equal(t, []Locality{NodeLocal, RackLocal, OffRack, OffRack, AnyPlace}, []Locality{
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
	require.ErrorIs(t, err, ErrUnknownJob)
}
