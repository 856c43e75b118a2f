package actors

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/allocation"
)

// env is what all parts of one cluster share. Its fields do not change after Start,
// except through their own methods.
type env struct {
	cfg    Config
	rules  atomic.Pointer[allocation.Rules]  // of admission; nil: everybody may do everything
	policy atomic.Pointer[scheduling.Policy] // in force; a JobTracker that is started anew takes it up
	start  time.Time
	sys    *system
	fs     *dfs.FS
	places []*place // by scheduling.NodeID
	byName map[string]*place

	datasets datasets

	network *network // nil: bytes between nodes take no time

	memory        *cluster.Memory
	buffers       *cluster.Buffers
	spills        *cluster.Spills
	ballast       atomic.Pointer[heapBallast] // nil until a job is large
	chaos         *chaosInjector              // nil without Config.Chaos
	computeTokens chan struct{}               // tokens to compute; nil: no limit

	facts scheduling.Facts // of former clusters of the State: where a new Core begins; the JobTracker's

	lives    atomic.Uint64  // incarnations given so far
	attempts sync.WaitGroup // goroutines of attempts
	endings  sync.WaitGroup // goroutines that end jobs
}

// now is the time since the cluster's start, as the Core counts it.
func (e *env) now() time.Duration { return time.Since(e.start) }

// place is a node's address, as others know it.
type place struct {
	id   scheduling.NodeID
	name string
	rack string

	// down is set when the node has died: what it holds cannot be fetched any more.
	down atomic.Bool
}

// placeOf finds a node by name; nil if there is none.
func (e *env) placeOf(name string) *place { return e.byName[name] }

// distances is the number of network distances that shuffled bytes are counted by:
// same node, same rack, elsewhere.
const distances = 3

// distance is 0, 1 or 2.
func (p *place) distance(q *place) int {
	switch {
	case p == q:
		return 0
	case p.rack == q.rack:
		return 1
	}
	return 2
}

// acquireCompute waits until the attempt may compute.
func (e *env) acquireCompute(ctx context.Context) error {
	if e.computeTokens == nil {
		return context.Cause(ctx)
	}
	select {
	case e.computeTokens <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// releaseCompute lets another attempt compute.
func (e *env) releaseCompute() {
	if e.computeTokens != nil {
		<-e.computeTokens
	}
}

// heapBallast is memory that delays garbage collections. Go collects garbage when the heap has doubled;
// that of a cluster is small, since its buffers lie outside, so that a map which makes a string for
// each line would have it collected a hundred times a second. With the ballast Go collects it when the
// heap has grown by 16 MiB. A WordCount of strings takes a tenth less time. Nobody writes to the
// ballast, so the system gives it no pages.
type heapBallast [16 << 20]byte

// A cluster has the ballast from its first job on that reads at least ballastInput bytes, since
// allocating it collects garbage once, and with at least ballastMemory of Config.Memory.
const (
	ballastInput  = 32 << 20
	ballastMemory = 512 << 20
)

var sharedBallast struct {
	sync.Mutex
	last weak.Pointer[heapBallast] // what the clusters of a process share
}

// keepHeapBallast allocates the ballast if a job of input bytes is worth it. It stays as long as the
// cluster does.
func (e *env) keepHeapBallast(input int64) {
	if input < ballastInput || 0 < e.cfg.Memory && e.cfg.Memory < ballastMemory || e.ballast.Load() != nil {
		return
	}
	sharedBallast.Lock()
	defer sharedBallast.Unlock()
	s := sharedBallast.last.Value()
	if s == nil {
		s = new(heapBallast)
		sharedBallast.last = weak.Make(s)
	}
	e.ballast.Store(s)
}
