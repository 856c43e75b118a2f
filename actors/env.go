package actors

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/access"
)

// env is shared by all parts of one cluster. Its fields do not change after Start, except through
// their own methods.
type env struct {
	cfg       Config
	admission atomic.Pointer[admission]
	start     time.Time
	sys       *system

	jobTracker, nameNode *actor.PID
	registry             registry
	joining              sync.WaitGroup // counts the nodes that have not registered since Start

	fs     *dfs.FS
	places []*place // indexed by scheduling.NodeID
	byName map[string]*place

	datasets    datasets
	lastDataset atomic.Int64 // its number, from 1, for its name in messages

	network *network // nil: transfers between nodes take no time

	memory        *cluster.Memory
	buffers       *cluster.Buffers
	spills        *cluster.Spills
	ballast       *heapBallast // nil until the first large job
	ballastOnce   sync.Once
	chaos         *chaosInjector // nil without Config.Chaos
	computeTokens chan struct{}  // one token per computing attempt; nil: no limit

	durable scheduling.DurableState // state of earlier clusters in Config.State; only the JobTracker uses it

	lives   atomic.Uint64  // number of incarnations of all nodes so far
	endings sync.WaitGroup // goroutines that end jobs
}

// admission has what decides about a new job: the current policy, which a restarted JobTracker uses
// too, and the admission rules; nil rules let everybody do everything. A reload replaces both.
type admission struct {
	policy scheduling.Policy
	rules  *access.Rules
}

// now returns the time since the cluster's start, the clock of the Core.
func (e *env) now() time.Duration { return time.Since(e.start) }

// place is the address of a node: its ID, name and rack.
type place struct {
	id   scheduling.NodeID
	name string
	rack string

	down   atomic.Bool // the node has died: its data cannot be fetched any more
	joined sync.Once   // ends the wait for its first registration
}

// placeOf returns the node called name, or nil.
func (e *env) placeOf(name string) *place { return e.byName[name] }

// distances is the number of network distances by which shuffled bytes are counted: same node, same
// rack, off-rack.
const distances = 3

// distance returns 0 for the same node, 1 for the same rack and 2 otherwise.
func (p *place) distance(q *place) int {
	switch {
	case p == q:
		return 0
	case p.rack == q.rack:
		return 1
	}
	return 2
}

// heapBallast is memory that delays garbage collections. Go collects garbage when the heap has
// doubled. The heap of a cluster is small, since its buffers are outside of it, so a map that makes
// a string per line would cause a hundred collections a second. With the ballast the heap may grow
// by 16 MiB between them; a WordCount of strings takes a tenth less time. Nothing writes to the
// ballast, so the system gives it no pages.
type heapBallast [16 << 20]byte

// A cluster allocates the ballast at its first job that reads at least ballastInput bytes, since
// allocating it causes a collection, and only if Config.Memory is at least ballastMemory or
// unlimited.
const (
	ballastInput  = 32 << 20
	ballastMemory = 512 << 20
)

// keepHeapBallast allocates the ballast if a job of input bytes is worth it. The ballast lives as
// long as the cluster.
func (e *env) keepHeapBallast(input int64) {
	if input >= ballastInput && (e.cfg.Memory <= 0 || e.cfg.Memory >= ballastMemory) {
		e.ballastOnce.Do(func() { e.ballast = new(heapBallast) })
	}
}
