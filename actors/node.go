package actors

import (
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/scheduling"
)

// node is the actor of one emulated machine. It registers, sends heartbeats, carries out actions in
// its Slots and creates replicas of blocks.
type node struct {
	env *env
	at  *place

	life       uint64        // incarnation
	announced  time.Duration // when it last sent nodeUp
	registered bool
	seq        uint64
	pending    *heartbeat // sent and not yet answered
	sent       time.Duration
	again      bool // send another heartbeat once pending is answered

	alarm                 // for the next heartbeat
	watched time.Duration // when watch last ran

	stopping bool // waits for its Slots to stop and ignores messages: a new Slot would never be stopped

	running []*slotAttempt
	free    [2][]*actor.PID // idle Slots by task kind
	ended   []*report       // not yet in a heartbeat
	lost    []*fetchFailed  // not yet in a heartbeat

	copies  []dfs.Copy    // replicas to create
	copyDue time.Duration // earliest start of the next one
}

// slotAttempt is an attempt in one of the node's Slots, and the node's last look at it.
type slotAttempt struct {
	attempt *attempt
	slot    *actor.PID
	paused  bool
	seen    progressSample
}

// Messages to a Node.
type (
	// joined answers join: the node is registered.
	joined struct {
		node        scheduling.NodeID
		incarnation uint64
	}

	// heartbeatAck answers heartbeat seq; the node carries out its actions in order.
	heartbeatAck struct {
		seq         uint64
		incarnation uint64
		actions     []action
		reregister  bool
	}

	// poke asks for a heartbeat now: there is work or an action for the node.
	poke struct{}

	// fetchFailed is a reduce's report of a map output that it could not fetch.
	fetchFailed struct {
		attempt scheduling.AttemptID
		lost    scheduling.LostOutput
	}

	// copyBlock asks the node to create a replica.
	copyBlock struct {
		copy dfs.Copy
	}
)

// report says how an attempt ended. Its goroutine sends it to the Slot, the Slot to the Node, and
// the Node to the JobTracker in a heartbeat.
type report struct {
	status   scheduling.Status
	err      error              // error of a failed attempt
	output   *cluster.MapOutput // map output; the run owns it
	counters *counter.Set       // counters of an attempt that succeeded
	totals   totals             // totals of an attempt that succeeded
	skipped  []cluster.Skipped  // records that a map skipped
	shuffled [distances]int64   // bytes by distance, of a reduce
	phases   Phases
}

// action is a scheduling.Action with the run of the attempt to launch.
type action struct {
	scheduling.Action
	run *run
}

// Receive implements actor.Actor.
func (n *node) Receive(c actor.Context) {
	if n.stopping {
		return
	}
	switch m := c.Message().(type) {
	case *actor.Started:
		n.start(c)
	case *joined:
		n.joined(c, m)
	case *tick:
		if m == n.next {
			n.arm(c)
			n.watch()
			n.makeCopies()
			if n.env.now()-n.announced >= n.env.cfg.Expiry/2 {
				n.announce(c)
			}
			n.beat(c, true)
		}
	case *poke:
		n.beat(c, false)
	case *heartbeatAck:
		n.answered(c, m)
	case *report:
		n.ends(c, m)
	case *fetchFailed:
		n.lost = append(n.lost, m)
		n.beat(c, false)
	case *copyBlock:
		if !slices.ContainsFunc(n.copies, func(c dfs.Copy) bool { return c.Block == m.copy.Block }) {
			n.copies = append(n.copies, m.copy)
			n.copyDue = max(n.copyDue, n.env.now())
		}
		n.makeCopies()
	case *actor.Stopping, *actor.Restarting:
		n.stopping = true
		n.alarm.Stop()
	}
}

func (n *node) start(c actor.Context) {
	n.life = n.env.lives.Add(1)
	n.at.down.Store(false)
	n.arm(c)
	n.register(c)
}

// arm sets the alarm for the next heartbeat.
func (n *node) arm(c actor.Context) {
	n.alarm = n.env.sys.alarm(c.Self(), n.env.cfg.HeartbeatInterval)
}

// register announces the node to the NameNode and asks the JobTracker to add it. Every tick repeats
// it until the JobTracker answers.
func (n *node) register(c actor.Context) {
	n.announce(c)
	m := &join{pid: c.Self(), spec: scheduling.Node{
		Name: n.at.name, Rack: n.at.rack, Incarnation: n.life,
		MapSlots: n.env.cfg.MapSlots, ReduceSlots: n.env.cfg.ReduceSlots,
	}}
	c.Request(n.env.jobTracker, m)
}

func (n *node) joined(c actor.Context, m *joined) {
	if m.incarnation != n.life || n.registered {
		return
	}
	n.registered = true
	n.beat(c, false)
}

// beat sends a heartbeat. If one is unanswered, the next follows its answer; one that stays
// unanswered for two intervals is sent again unchanged. Only the timer's heartbeats include
// attempts that still run.
func (n *node) beat(c actor.Context, timed bool) {
	switch {
	case !n.registered:
		if timed {
			n.register(c)
		}
		return
	case n.pending != nil:
		n.again = true
		if timed && n.env.now()-n.sent >= 2*n.env.cfg.HeartbeatInterval {
			n.send(c)
		}
		return
	}
	n.seq++
	n.again = false
	n.pending = &heartbeat{reports: n.ended, beat: scheduling.Heartbeat{
		Node: n.at.id, Incarnation: n.life, Seq: n.seq, Statuses: n.statuses(timed),
	}}
	n.ended, n.lost = nil, nil
	n.send(c)
}

func (n *node) send(c actor.Context) {
	n.sent = n.env.now()
	c.Request(n.env.jobTracker, n.pending)
}

// statuses returns the statuses of attempts that ended or found map outputs lost; with all, of
// every attempt.
func (n *node) statuses(all bool) []scheduling.Status {
	size := len(n.ended) + len(n.lost)
	if all {
		size += len(n.running)
	}
	if size == 0 {
		return nil
	}
	list := make([]scheduling.Status, 0, size)
	for _, h := range n.running {
		s := scheduling.Status{Attempt: h.attempt.id, Progress: h.attempt.done(), ReduceProgress: h.attempt.reduced()}
		if h.paused {
			s.State = scheduling.StateSuspended
		}
		for _, l := range n.lost {
			if l.attempt == h.attempt.id {
				s.Lost = append(s.Lost, l.lost)
			}
		}
		if all || len(s.Lost) > 0 {
			list = append(list, s)
		}
	}
	for _, r := range n.ended {
		list = append(list, r.status)
	}
	return list
}

// answered carries out the actions that came with the answer to the pending heartbeat.
func (n *node) answered(c actor.Context, m *heartbeatAck) {
	if n.pending == nil || m.incarnation != n.life || m.seq != n.pending.beat.Seq {
		return
	}
	n.pending = nil
	if m.reregister {
		n.comeBack(c)
		return
	}
	for i := range m.actions {
		n.perform(c, &m.actions[i])
	}
	if n.again || len(n.ended) > 0 {
		n.beat(c, false)
	}
}

// perform carries out one action. An action that is repeated has no further effect.
func (n *node) perform(c actor.Context, o *action) {
	i := slices.IndexFunc(n.running, func(h *slotAttempt) bool { return h.attempt.id == o.Attempt })
	switch {
	case o.Verb == scheduling.Launch && i < 0:
		n.launch(c, o)
	case o.Verb != scheduling.Launch && i >= 0:
		h := n.running[i]
		if o.Verb != scheduling.Kill {
			h.paused = o.Verb == scheduling.Suspend
		}
		c.Send(h.slot, &order{verb: o.Verb, attempt: h.attempt})
	}
}

func (n *node) launch(c actor.Context, o *action) {
	kind := o.Attempt.Task.Kind
	h := &slotAttempt{attempt: newAttempt(n.env, o.run, o.Attempt, n.at)}
	if k := len(n.free[kind]) - 1; k >= 0 {
		h.slot = n.free[kind][k]
		n.free[kind] = n.free[kind][:k]
	} else {
		h.slot = c.Spawn(n.env.sys.props(func() actor.Actor { return &slot{env: n.env} }))
	}
	n.running = append(n.running, h)
	c.Send(h.slot, &order{verb: scheduling.Launch, attempt: h.attempt})
}

// ends records the end of an attempt and sends a heartbeat at once with its report.
func (n *node) ends(c actor.Context, r *report) {
	i := slices.IndexFunc(n.running, func(h *slotAttempt) bool { return h.attempt.id == r.status.Attempt })
	if i < 0 {
		return
	}
	kind := r.status.Attempt.Task.Kind
	n.free[kind] = append(n.free[kind], n.running[i].slot)
	n.running = slices.Delete(n.running, i, i+1)
	n.ended = append(n.ended, r)
	n.beat(c, false)
}

// comeBack starts a new incarnation: the JobTracker has declared the node's attempts lost.
func (n *node) comeBack(c actor.Context) {
	for _, h := range n.running {
		c.Stop(h.slot) // it stops its attempt
	}
	n.running, n.ended, n.lost = nil, nil, nil
	n.registered, n.again = false, false
	n.life, n.seq = n.env.lives.Add(1), 0
	n.register(c)
}

// announce tells the NameNode that the node is up. The node repeats it from time to time, because
// orders to copy may have been lost.
func (n *node) announce(c actor.Context) {
	n.announced = n.env.now()
	c.Send(n.env.nameNode, &nodeUp{node: dfs.NodeID(n.at.name), pid: c.Self(), life: n.life})
}
