package serve

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/tarry-mr/tarry/actors"
)

// Server is a cluster that accepts jobs over HTTP. Its methods are safe for concurrent use.
type Server struct {
	cfg         Config
	kinds       map[string]*Job
	roots       *roots
	cluster     *actors.Cluster
	events      *broker
	ledger      *ledger
	metrics     *metrics
	connections connections
	handler     http.Handler
	config      *reloader   // reloads Config.Files; nil: there are none
	reloaders   []*reloader // with that of Access.Tokens

	boot    string // identifies this process
	started time.Time
	resumed int // see Resumed

	// placing is held from the check that nobody writes to a place in the store until the caller
	// occupies it.
	placing      sync.Mutex
	policyChange sync.Mutex         // held during a change of the policy
	draining     sync.Map           // the names of the nodes that are draining
	submitting   singleflight.Group // submissions with a key, by key
	preparing    chan struct{}      // one place per job in preparation
	end          context.CancelFunc // ends all work for clients
	ended        context.Context    // ends when the server closes
	work         sync.WaitGroup     // jobs and draining nodes
	close        func() error       // runs once
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
		cfg: cfg, kinds: map[string]*Job{}, roots: new(roots), boot: rand.Text()[:8], started: time.Now(),
		connections: connections{most: cfg.limits.connections},
		preparing:   make(chan struct{}, maxPreparing),
	}
	s.ended, s.end = context.WithCancel(context.Background())
	s.ledger = newLedger(s.ended, &cfg)
	defer func() {
		if err != nil {
			s.end()
			err = errors.Join(err, s.release())
		}
	}()
	s.events = newBroker(s.boot, cfg.limits.ring)
	for i := range cfg.Jobs {
		s.kinds[cfg.Jobs[i].Name] = &cfg.Jobs[i]
	}
	s.metrics = newMetrics(s)
	s.handler = s.routes()
	s.close = sync.OnceValue(s.shut)
	if err = cmp.Or(s.ledger.open(&cfg), s.roots.open(&cfg)); err == nil {
		err = s.startCluster()
	}
	if err == nil {
		s.restore()
		err = s.loadStore()
	}
	if err == nil {
		err = s.ledger.compact()
	}
	if err != nil {
		return nil, err
	}
	s.watchFiles()
	for _, j := range slices.Backward(s.ledger.all()) { // last: a job may end at once and then needs the whole server
		if !j.over() {
			s.resumed++
			s.work.Go(func() { s.resume(j) })
		}
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
	c.State = s.ledger.core
	c.Explain = true // so that lists and streams can say why a job waits
	s.cluster, err = actors.Start(c)
	return err
}

// Resumed returns how many jobs of an earlier process this one continues.
func (s *Server) Resumed() int { return s.resumed }

// Close ends all jobs and the cluster. With a State the jobs wait for the next process.
func (s *Server) Close() error { return s.close() }

func (s *Server) shut() error {
	s.end()
	if n := s.ledger.unfinished(); n > 0 && !s.ledger.durable() {
		s.cfg.Log.Warn("jobs end with the server, which keeps no state", "jobs", n)
	} else if n > 0 {
		s.cfg.Log.Info("jobs wait for the next server with this state", "jobs", n)
	}
	grace, cancel := context.WithTimeout(context.Background(), s.cfg.limits.grace)
	defer cancel()
	err := s.cluster.Halt(grace)
	s.work.Wait()
	return errors.Join(err, s.release())
}

// release closes the cluster, if it has started, and what is open of the state and the roots.
func (s *Server) release() (err error) {
	if s.cluster != nil {
		err = s.cluster.Close()
	}
	return errors.Join(err, s.ledger.close(), s.roots.close())
}
