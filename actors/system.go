package actors

import (
	"errors"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/asynkron/protoactor-go/actor"
)

// system wraps the actor library: props, logging, timers and shutdown.
type system struct {
	*actor.ActorSystem
	log     *slog.Logger
	deliver func(msg any) []time.Duration // nil: each message arrives at once
}

func newSystem(log *slog.Logger, deliver func(any) []time.Duration) *system {
	lib := actor.NewActorSystem(
		// It logs each message that arrives too late, which is normal after a node has stopped, and
		// panics, which logPanics logs.
		actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return slog.New(slog.DiscardHandler) }),
		// The library holds a goroutine for this long at each interval's first dead letter.
		actor.WithDeadLetterThrottleInterval(10*time.Millisecond),
	)
	return &system{ActorSystem: lib, log: log, deliver: deliver}
}

// props returns the props of an actor: an unbounded mailbox and a middleware that logs a panic with
// its stack before the supervisor sees it. A panic restarts the actor.
func (s *system) props(producer actor.Producer) *actor.Props {
	options := []actor.PropsOption{actor.WithReceiverMiddleware(s.logPanics)}
	if s.deliver != nil {
		options = append(options, actor.WithSenderMiddleware(s.misdeliver))
	}
	return actor.PropsFromProducer(producer, options...)
}

// misdeliver delays, drops or duplicates an actor's messages as s.deliver says.
func (s *system) misdeliver(next actor.SenderFunc) actor.SenderFunc {
	return func(c actor.SenderContext, to *actor.PID, env *actor.MessageEnvelope) {
		for _, late := range s.deliver(env.Message) {
			if late == 0 {
				next(c, to, env)
				continue
			}
			time.AfterFunc(late, func() { s.Root.RequestWithCustomSender(to, env.Message, env.Sender) })
		}
	}
}

func (s *system) logPanics(next actor.ReceiverFunc) actor.ReceiverFunc {
	return func(c actor.ReceiverContext, env *actor.MessageEnvelope) {
		defer func() {
			if r := recover(); r != nil {
				s.log.Error("actor panics", "actor", c.Self().Id, "panic", r, "stack", string(debug.Stack()))
				panic(r)
			}
		}()
		next(c, env)
	}
}

// alarm is the timer that will send an actor its next tick. The actor stops it when it stops, and
// ignores other ticks, since one may be in flight.
type alarm struct {
	*time.Timer
	next *tick
	due  time.Time
}

// tick is what an actor's own alarm sends.
type tick struct{ _ byte } // not empty, so that each has an address of its own

// alarm sends pid a tick after d.
func (s *system) alarm(pid *actor.PID, d time.Duration) alarm {
	root, next := s.Root, new(tick)
	return alarm{time.AfterFunc(d, func() { root.Send(pid, next) }), next, time.Now().Add(d)}
}

// stopGrace is how long stop waits: an actor may have to handle thousands of messages first.
const stopGrace = 5 * time.Minute

// stop ends actors after the messages in their mailboxes, and waits for them and their children. It
// ignores nil pids.
func (s *system) stop(pids ...*actor.PID) error { return s.end(s.Root.Poison, pids...) }

// kill stops an actor before the messages in its mailbox and waits for it and its children.
func (s *system) kill(pid *actor.PID) error { return s.end(s.Root.Stop, pid) }

func (s *system) end(how func(*actor.PID), pids ...*actor.PID) error {
	ends := make([]*actor.Future, 0, len(pids))
	for _, pid := range pids {
		if process, running := s.ProcessRegistry.Get(pid); running {
			ended := actor.NewFuture(s.ActorSystem, stopGrace) // the library's own timeout is too short
			process.SendSystemMessage(pid, &actor.Watch{Watcher: ended.PID()})
			how(pid)
			ends = append(ends, ended)
		}
	}
	var errs []error
	for _, ended := range ends {
		errs = append(errs, ended.Wait())
	}
	return errors.Join(errs...)
}
