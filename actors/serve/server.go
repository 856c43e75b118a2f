package serve

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tarry-mr/tarry/actors"
)

// Server is a cluster that accepts jobs over HTTP. Its methods are safe for concurrent use.
type Server struct {
	cfg         Config
	kinds       map[string]*Job
	roots       *roots
	memory      *memory // nil: nothing survives the process
	cluster     *actors.Cluster
	events      *broker
	jobs        *table
	metrics     *metrics
	connections *connections
	room        *storeQuota
	catalog     catalog
	handler     http.Handler
	config      *reloader // reloads Config.Files; nil: there are none
	tokens      *reloader // reloads the file of Access.Tokens; nil: there is none

	boot    string // identifies this process
	started time.Time

	writing      sync.RWMutex // read-locked while the durable state changes, write-locked while the journal is replaced
	trimming     sync.Mutex
	policyChange sync.Mutex // held during a change of the policy
	closing      atomic.Bool
	draining     sync.Map           // the names of the nodes that are draining
	preparing    chan struct{}      // one place per job in preparation
	end          context.CancelFunc // ends all work for clients
	ended        context.Context
	work         sync.WaitGroup // jobs and draining nodes
	close        func() error   // runs once
}

// maxPreparing is the maximum number of jobs in preparation. Creating directories in one place in
// parallel takes longer than in sequence, and each job keeps some files open.
const maxPreparing = 64

// Start starts a cluster and restores the jobs that an earlier process has left. The server is then
// ready to serve.
func Start(cfg Config) (_ *Server, err error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.withDefaults()
	s := &Server{
		cfg: cfg, kinds: map[string]*Job{}, boot: rand.Text()[:8], started: time.Now(),
		jobs: &table{
			next: 1, keys: keys{all: map[fingerprint]*keyedJob{}}, targets: map[string]*job{},
			maxUnfinished: cfg.limits.unfinished, history: cfg.History,
		},
		preparing: make(chan struct{}, maxPreparing),
	}
	s.events = newBroker(s.boot, cfg.limits.ring, cfg.limits.watchers)
	for i := range cfg.Jobs {
		s.kinds[cfg.Jobs[i].Name] = &cfg.Jobs[i]
	}
	var was *snapshot
	if s.memory, was, err = openMemory(&cfg); err != nil {
		return nil, err
	}
	s.catalog.stored, s.catalog.sound = was.stored, map[string]bool{}
	if s.roots, err = openRoots(&cfg); err != nil {
		return nil, errors.Join(err, s.memory.close())
	}
	s.ended, s.end = context.WithCancel(context.Background())
	s.metrics = newMetrics(s)
	s.connections = &connections{
		most: cfg.limits.connections, perAddress: cfg.limits.perAddress, open: map[net.Conn]string{}, byAddress: map[string]int{},
	}
	s.room = &storeQuota{maxBytes: cfg.StoreBytes, count: s.countStored}
	s.handler = s.routes()
	s.close = sync.OnceValue(s.shut)
	if err := s.startCluster(); err != nil {
		return nil, errors.Join(err, s.memory.close(), s.roots.close())
	}
	again, err := s.takeIn(was)
	if err != nil {
		return nil, errors.Join(err, s.cluster.Close(), s.memory.close(), s.roots.close())
	}
	s.watchFiles()
	for _, j := range again { // last: a job may end at once and then needs the whole server
		s.work.Go(func() { s.resume(j) })
	}
	return s, nil
}

// startCluster starts the cluster, whose events go to s.events.
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
	c.Explain = true // so that lists and streams can say why a job waits
	s.cluster, err = actors.Start(c)
	return err
}

// takeIn restores the jobs and files of an earlier process; again are the jobs that must continue.
func (s *Server) takeIn(was *snapshot) (again []*job, err error) {
	if s.memory == nil {
		return nil, nil
	}
	again = s.restore(was)
	if err := s.loadStore(); err != nil {
		return nil, err
	}
	return again, s.memory.compact(s.snapshot())
}

// Handler returns the handler of the API and the pages.
func (s *Server) Handler() http.Handler { return s.handler }

// Cluster returns the server's cluster.
func (s *Server) Cluster() *actors.Cluster { return s.cluster }

// Resumed returns how many jobs of an earlier process have not ended yet.
func (s *Server) Resumed() int {
	n := 0
	for _, j := range s.jobs.all() {
		if j.resumed && !j.over() {
			n++
		}
	}
	return n
}

// Close ends all jobs and the cluster. With a State the jobs wait for the next process.
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
