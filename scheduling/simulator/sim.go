package simulator

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/tarry-mr/tarry/internal/netmodel"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// ErrStalled means that jobs remain but nothing has happened for long: no slot can ever take their
// tasks.
var ErrStalled = errors.New("simulator: stalled")

// stallAfter is the time without running tasks after which a simulation fails.
const stallAfter = 48 * time.Hour

// sim is the state of one simulation.
type sim struct {
	cfg  Config
	load *workload.Workload
	top  topology // nodes and racks
	core *scheduling.Core
	q    queue
	net  *netmodel.Network // nil without flows

	disks bool    // disks are shared: reads of a node's own disk are flows too
	cache *caches // nil if nodes have no cache

	nodes []simNode
	ring  []int32 // nodes in the order in which arrivals are offered to them
	turn  int     // where the next round of offers starts
	jobs  []simJob
	byID  []*simJob // by JobID
	files []scheduling.Places
	atts  []*attempt
	free  []*attempt

	needProgress [2]bool             // by kind: regular heartbeats report progress
	due          []bool              // by node; all false between two events
	called       []scheduling.NodeID // scratch
	running      int                 // attempts that hold a slot
	arrived      int                 // jobs submitted or scheduled, in order of the workload
	openJobs     int                 // jobs submitted to the Core that have not ended
	cleanedJobs  int                 // jobs whose cleanup is done
	updating     bool                // the next update is scheduled
	flowGen      int32               // increases when the scheduled end of a flow becomes void
	lastMove     time.Duration       // when an attempt was last running or a job came or ended
	probe        bool                // Stress: a check is scheduled

	statuses []scheduling.Status
	res      Result
}

// Run simulates the workload and returns the results. It ends when all jobs have ended, at
// Config.Until, or when ctx is done. Errors wrap ErrConfig, ErrStalled, the errors of the
// workload's Validate, and those of scheduling.NewCore and Submit.
func Run(ctx context.Context, cfg Config, w *workload.Workload) (*Result, error) {
	s, err := newSim(cfg, w)
	if err != nil {
		return nil, err
	}
	if err := s.begin(); err != nil {
		return nil, err
	}
	if err := s.loop(ctx); err != nil {
		return nil, fmt.Errorf("simulating %s at %v: %w", w.Name, s.q.now, err)
	}
	s.res.finish(s)
	return &s.res, nil
}

func newSim(cfg Config, w *workload.Workload) (*sim, error) {
	if err := errors.Join(cfg.Validate(), w.Validate()); err != nil {
		return nil, err
	}
	cfg = cfg.withDefaults()
	s := &sim{cfg: cfg, load: w, top: newTopology(cfg.Cluster.Machines)}
	for k := range s.needProgress {
		s.needProgress[k] = cfg.Policy.NeedsProgress(scheduling.TaskKind(k)) || cfg.TellProgress
	}
	if err := s.feasible(); err != nil {
		return nil, err
	}
	s.cache = newCaches(len(s.top.rackOf), cfg.Cluster.Cache)
	s.cfg.Core.Parts = s.withParts(cfg.Core.Parts)
	var err error
	if s.core, err = scheduling.NewCore(s.cfg.Core, cfg.Policy); err != nil {
		return nil, err
	}
	if cfg.Network.Flows {
		s.net, s.disks = cfg.network(s.top.rackOf)
	}
	s.jobs = make([]simJob, len(w.Jobs))
	for i := range w.Jobs {
		s.jobs[i] = simJob{spec: &w.Jobs[i], index: int32(i), after: -1}
	}
	s.files = make([]scheduling.Places, len(w.Files))
	s.byID = append(s.byID, nil) // JobIDs begin at 1
	return s, errors.Join(s.order(), s.record())
}

// order finds the job that each job's After names, and each job's followers.
func (s *sim) order() error {
	byName := map[string]int32{}
	for i := range s.jobs {
		j := &s.jobs[i]
		if name := j.spec.After; name != "" {
			before, ok := byName[name]
			if !ok {
				return fmt.Errorf("%w: job %q comes after %q, which is not an earlier job", ErrConfig, j.spec.Name, name)
			}
			j.after = before
			s.jobs[before].followers = append(s.jobs[before].followers, int32(i))
		}
		byName[j.spec.Name] = int32(i)
	}
	return nil
}

// begin lets the nodes join and schedules the first events.
func (s *sim) begin() error {
	s.tellBeginning()
	s.nodes = make([]simNode, s.cfg.Cluster.Nodes)
	for i := range s.nodes {
		s.nodes[i] = s.newNode(int32(i))
		if err := s.join(&s.nodes[i]); err != nil {
			return err
		}
	}
	r := rand.New(rand.NewPCG(s.cfg.Seed, 0x0ffe5))
	for _, i := range r.Perm(len(s.nodes)) {
		s.ring = append(s.ring, int32(i))
	}
	if s.cfg.InTurn {
		s.ring = s.top.inTurn()
	}
	s.due = make([]bool, len(s.nodes))
	if s.cfg.Sample > 0 {
		s.at(0, evSample, 0, 0)
	}
	s.planFailures()
	s.arrivals()
	return nil
}

// tellBeginning emits the first event of a simulation, which describes it.
func (s *sim) tellBeginning() {
	c := &s.cfg
	if c.Core.Events == nil {
		return
	}
	p := s.core.View().Policy()
	c.Core.Events(event.Event{
		Type: event.Began, Node: scheduling.NoNode, Name: p.Name, Policy: &p,
		Began: &event.Header{
			Schema: event.Schema, Simulated: true, Seed: c.Seed, Heartbeat: c.Interval, Expiry: c.Core.Expiry,
			Nodes: c.Cluster.Nodes, Racks: c.Cluster.Racks, Drive: c.Drive.String(),
		},
	})
}

// at schedules an event; the time is never in the past.
func (s *sim) at(t time.Duration, kind eventKind, a, b int32) {
	s.q.push(simEvent{at: t, kind: kind, a: a, b: b})
}

// loop handles events until all jobs are done.
func (s *sim) loop(ctx context.Context) error {
	for s.cleanedJobs < len(s.jobs) {
		if s.net != nil && s.net.Changed() {
			if e := s.q.first(); e == nil || e.at > s.q.now {
				s.net.Resolve(s.q.now)
				s.awaitFlow()
			}
		}
		e, ok := s.q.pop()
		if !ok {
			return fmt.Errorf("%w: %d of %d jobs are done and no event is left", ErrStalled, s.cleanedJobs, len(s.jobs))
		}
		if s.cfg.Until > 0 && e.at > s.cfg.Until {
			s.q.now = s.cfg.Until
			return nil
		}
		if err := s.goesOn(); err != nil {
			return err
		}
		if s.res.Stats.Events%16_384 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			if s.cfg.Progress != nil {
				s.cfg.Progress(s.q.now, s.cleanedJobs)
			}
		}
		if err := s.handle(e); err != nil {
			return err
		}
		if err := s.askDue(); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// handle handles one event.
func (s *sim) handle(e simEvent) error {
	switch e.kind {
	case evAttempt:
		if a := s.atts[e.a]; a.gen == e.b {
			return s.phaseOver(a)
		}
	case evHeartbeat:
		return s.timer(&s.nodes[e.a], e.b)
	case evArrive:
		s.arrive(e.a)
	case evSubmit:
		return s.submit(e.a)
	case evUpdate:
		return s.update()
	case evFlow:
		if e.b == s.flowGen {
			return s.flowsEnd()
		}
	case evFail:
		s.fail(&s.nodes[e.a], time.Duration(e.b)*time.Second)
	case evRepair:
		return s.repair(&s.nodes[e.a])
	case evSample:
		s.sample()
	case evJobEnd:
		s.jobEnd(e.a)
	}
	return nil
}

// update calls Core.Update periodically, while jobs are open.
func (s *sim) update() error {
	if s.openJobs == 0 && !s.cfg.Failures.any() {
		s.updating = false
		return nil
	}
	if err := s.core.Update(s.q.now); err != nil {
		return err
	}
	if s.cfg.Failures.any() {
		if _, err := s.core.Expire(s.q.now); err != nil {
			return err
		}
	}
	if s.running > 0 || s.openJobs == 0 {
		s.lastMove = s.q.now
	} else if s.q.now-s.lastMove > stallAfter {
		return fmt.Errorf("%w: no task has run for %v; %d of %d jobs are done", ErrStalled, stallAfter, s.cleanedJobs, len(s.jobs))
	}
	s.at(s.q.now+s.cfg.Update, evUpdate, 0, 0)
	return nil
}
