package serve

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tarry-mr/tarry/actors"
)

// Server is a cluster that takes jobs over HTTP. Its methods are safe for concurrent use.
type Server struct {
	cfg     Config
	kinds   map[string]*Job
	roots   *roots
	memory  *memory // nil: what it does is forgotten with it
	cluster *actors.Cluster
	events  *broker
	jobs    *table
	nodes   nodeTable
	metrics *metrics
	room    *room
	outputs outputs
	handler http.Handler

	boot    string // tells this process from others
	started time.Time

	writing      sync.RWMutex // read: what is remembered changes; write: the journal begins anew
	trimming     sync.Mutex
	policyChange sync.Mutex // one at a time
	closing      atomic.Bool
	preparing    chan struct{}      // a place each for jobs that are being prepared
	end          context.CancelFunc // of all that runs for clients
	ended        context.Context
	work         sync.WaitGroup // jobs, and nodes that are drained
	close        func() error   // once
}

// mostPreparing is how many jobs are prepared at once. Directories that many make in one place at the
// same time take them longer than one after the other, and each keeps some files open.
const mostPreparing = 64

// Start starts a cluster, takes in the jobs that a former process has left, and is ready to serve.
func Start(cfg Config) (_ *Server, err error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.withDefaults()
	s := &Server{
		cfg: cfg, kinds: map[string]*Job{}, boot: rand.Text()[:8], started: time.Now(),
		events: newBroker(cfg.limits.ring, cfg.limits.watchers),
		jobs: &table{
			next: 1, keys: keys{all: map[fingerprint]*keyed{}}, targets: map[string]*job{},
			most: cfg.limits.unfinished, history: cfg.History,
		},
		outputs:   outputs{owners: map[string]string{}},
		nodes:     nodeTable{draining: map[string]bool{}},
		preparing: make(chan struct{}, mostPreparing),
	}
	for i := range cfg.Jobs {
		s.kinds[cfg.Jobs[i].Name] = &cfg.Jobs[i]
	}
	var was *snapshot
	if s.memory, was, err = openMemory(&cfg); err != nil {
		return nil, err
	}
	if s.roots, err = openRoots(&cfg); err != nil {
		return nil, errors.Join(err, s.memory.close())
	}
	s.ended, s.end = context.WithCancel(context.Background())
	s.metrics = newMetrics(s)
	s.room = &room{most: cfg.StoreBytes, count: s.countStored}
	s.handler = s.routes()
	s.close = sync.OnceValue(s.shut)
	if err := s.startCluster(); err != nil {
		return nil, errors.Join(err, s.memory.close(), s.roots.close())
	}
	again, err := s.takeIn(was)
	if err != nil {
		return nil, errors.Join(err, s.cluster.Close(), s.memory.close(), s.roots.close())
	}
	for _, j := range again { // last: each may end at once, and needs all of the server for that
		s.work.Go(func() { s.resume(j) })
	}
	return s, nil
}

// startCluster starts the cluster.
func (s *Server) startCluster() (err error) {
	c := s.cfg.Cluster
	tell := c.Events
	c.Events = func(e actors.Event) {
		s.events.add(e)
		if tell != nil {
			tell(e)
		}
	}
	if s.memory != nil {
		c.State = s.memory.state
	}
	c.Explain = true // lists and streams say why a job waits
	s.cluster, err = actors.Start(c)
	return err
}

// takeIn takes in the jobs and files of a former process; again are the jobs that are to go on.
func (s *Server) takeIn(was *snapshot) (again []*job, err error) {
	if s.memory == nil {
		return nil, nil
	}
	s.outputs.owners = was.Outputs
	s.memory.files.sums, s.memory.files.sound = was.Files, map[string]bool{}
	again = s.restore(was)
	if err := s.loadStore(); err != nil {
		return nil, err
	}
	return again, s.memory.compact(s.snapshot())
}

// Handler serves the API and the pages.
func (s *Server) Handler() http.Handler { return s.handler }

// Cluster is the cluster that the server runs.
func (s *Server) Cluster() *actors.Cluster { return s.cluster }

// Resumed tells how many jobs of a former process go on, or went on.
func (s *Server) Resumed() int {
	n := 0
	for _, j := range s.jobs.all() {
		if j.resumed && !j.over() {
			n++
		}
	}
	return n
}

// Close ends all jobs, and the cluster. With a State they wait for the next process.
func (s *Server) Close() error { return s.close() }

func (s *Server) shut() error {
	s.closing.Store(true)
	s.end()
	if n := s.jobs.open(); n > 0 && s.memory == nil {
		s.cfg.Log.Warn("jobs end with the server, which keeps no state", "jobs", n)
	} else if n > 0 {
		s.cfg.Log.Info("jobs wait for the next server with this state", "jobs", n)
	}
	grace, cancel := context.WithTimeout(context.Background(), s.cfg.limits.grace)
	defer cancel()
	err := s.cluster.Halt(grace)
	s.work.Wait()
	return errors.Join(err, s.cluster.Close(), s.memory.close(), s.roots.close())
}
