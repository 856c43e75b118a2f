package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/tarry-mr/tarry/scheduling"
)

// slot is the actor that holds one attempt, running or suspended, or none. A Node has one Slot for
// each task slot and one more for each suspended attempt. An attempt runs in a goroutine of its
// own.
type slot struct {
	env     *env
	attempt *attempt
}

// Messages to a Slot; it also passes on its attempt's commitRequest and fetchFailed.
type (
	// order is an action for an attempt: to start it in a free slot or, if the slot still has it,
	// to kill, suspend or resume it.
	order struct {
		verb    scheduling.Verb
		attempt *attempt
	}

	// commitAnswer is the JobTracker's answer to a commitRequest.
	commitAnswer struct {
		attempt scheduling.AttemptID
		granted bool
	}
)

// Receive implements actor.Actor.
func (s *slot) Receive(c actor.Context) {
	switch m := c.Message().(type) {
	case *order:
		s.obey(c, m)
	case *commitRequest:
		if s.holds(m.attempt) {
			c.Request(s.env.jobTracker, m)
		}
	case *commitAnswer:
		if s.holds(m.attempt) {
			select {
			case s.attempt.granted <- m.granted:
			default: // a repeated answer
			}
		}
	case *fetchFailed:
		c.Send(c.Parent(), m)
	case *report:
		if s.holds(m.status.Attempt) {
			s.attempt = nil
			c.Send(c.Parent(), m)
		}
	case *actor.Restarting:
		s.restarting(c)
		s.stop()
	case *actor.Stopping:
		s.stop()
	}
}

func (s *slot) holds(id scheduling.AttemptID) bool { return s.attempt != nil && s.attempt.id == id }

func (s *slot) obey(c actor.Context, m *order) {
	switch {
	case m.verb == scheduling.Launch:
		s.launch(c, m.attempt)
	case s.attempt != m.attempt: // it has ended
	case m.verb == scheduling.Kill:
		s.stop()
	default:
		s.attempt.gate.hold(m.verb == scheduling.Suspend)
	}
}

// launch starts the attempt's goroutine, which reports its end to this actor.
func (s *slot) launch(c actor.Context, a *attempt) {
	root, self := c.ActorSystem().Root, c.Self()
	s.attempt = a
	a.tell = func(msg any) { root.Send(self, msg) }
	go func() {
		number := goroutineNumber()
		a.number.Store(&number)
		a.work()
	}()
}

// restarting reports the attempt as failed without blaming its task: the Slot itself panicked.
func (s *slot) restarting(c actor.Context) {
	if a := s.attempt; a != nil {
		c.Send(c.Parent(), &report{status: scheduling.Status{
			Attempt: a.id, State: scheduling.StateFailed, Blameless: true, Err: "the slot was restarted",
		}})
	}
}

// stop ends the attempt, if there is one.
func (s *slot) stop() {
	if s.attempt != nil {
		s.attempt.stop(errStopped)
	}
}
