package actors

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/dfs/stores"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/scheduling"
)

// errChaos is the failure of user code that a plan causes.
var errChaos = errors.New("chaos in user code")

// mischief causes the faults of a plan at their times: it loses messages, damages disks and makes
// user code fail. Many goroutines call its methods.
type mischief struct {
	t     *testing.T
	plan  chaosPlan
	start time.Time

	mu      sync.Mutex
	rng     *rand.Rand
	lives   map[uint64]int               // node, by incarnation
	at      map[scheduling.AttemptID]int // node, by attempt
	struck  map[int]int                  // number of attempts hit, by index of the fault
	strikes map[string]bool              // kinds of faults that have taken effect
	open    atomic.Int64                 // spill files
	forget  func()                       // drops the cluster from what outlives the run
}

func newMischief(t *testing.T, p chaosPlan) *mischief {
	return &mischief{
		t: t, plan: p, rng: rand.New(rand.NewPCG(p.seed, 19)), lives: map[uint64]int{},
		at: map[scheduling.AttemptID]int{}, struck: map[int]int{}, strikes: map[string]bool{}, forget: func() {},
	}
}

// during returns a currently active fault with this kind that satisfies also, if the plan has one.
func (m *mischief) during(kind faultKind, also func(mishap) bool) (mishap, bool) {
	now := time.Since(m.start)
	for _, f := range m.plan.faults {
		if f.kind == kind && now >= f.at && now < f.at+f.long && (also == nil || also(f)) {
			return f, true
		}
	}
	return mishap{}, false
}

// deliver implements Config.deliver: it cuts nodes off from the JobTracker, and loses, delays and
// doubles messages.
func (m *mischief) deliver(msg any) []time.Duration {
	if !between(msg) {
		return atOnce
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	node := m.nodeOf(msg)
	if _, cut := m.during(faultCut, func(f mishap) bool { return f.node == node }); cut {
		return nil
	}
	f, noisy := m.during(faultNet, nil)
	if !noisy || m.rng.IntN(f.count) != 0 {
		return atOnce
	}
	late := time.Duration(m.rng.Int64N(int64([]time.Duration{10 * time.Millisecond, time.Second, 30 * time.Second}[m.rng.IntN(3)])))
	return [][]time.Duration{nil, {late}, {0, 0}, {0, late}}[m.rng.IntN(4)]
}

// nodeOf returns the number of the node that sends or receives a message, or -1 if it is unknown.
func (m *mischief) nodeOf(msg any) int {
	known := func(node int, ok bool) int {
		if !ok {
			return -1
		}
		return node
	}
	switch msg := msg.(type) {
	case *join:
		var node int
		_, _ = fmt.Sscanf(msg.spec.Name, "node-%d", &node)
		m.lives[msg.spec.Incarnation] = node
		return node
	case *heartbeat:
		return int(msg.beat.Node)
	case *joined:
		return int(msg.node)
	case *heartbeatAck:
		node, ok := m.lives[msg.incarnation]
		for _, a := range msg.actions {
			if ok && a.Verb == scheduling.Launch {
				m.at[a.Attempt] = node
			}
		}
		return known(node, ok)
	case *commitRequest:
		node, ok := m.at[msg.attempt]
		return known(node, ok)
	case *commitAnswer:
		node, ok := m.at[msg.attempt]
		return known(node, ok)
	}
	return -1
}

// strike causes the plan's faults of user code for an attempt: it fails, panics, exits or hangs.
func (m *mischief) strike(job int, t *mapreduce.Task) error {
	m.mu.Lock()
	var hit []mishap
	for i, f := range m.plan.faults {
		if f.job == job && f.task == t.ID().Index && f.kind.ofCode() && time.Since(m.start) >= f.at && m.struck[i] < max(1, f.count) {
			m.struck[i]++
			hit = append(hit, f)
		}
	}
	m.mu.Unlock()
	for _, f := range hit {
		switch f.kind {
		case faultError:
			return errChaos
		case faultPanic:
			panic(errChaos)
		case faultExit:
			runtime.Goexit()
		case faultStuck:
			<-t.Context().Done()
		default: // a hang
			select {
			case <-t.Context().Done():
			case <-time.After(f.long):
			}
		}
	}
	return nil
}

// ofCode reports whether faults of this kind happen in user code.
func (k faultKind) ofCode() bool {
	switch k {
	case faultError, faultPanic, faultExit, faultHang, faultStuck:
		return true
	default:
		return false
	}
}

// spillFile implements Config.spillFile: during faults of spills, its disk is full, or reads fail
// or have a wrong bit.
func (m *mischief) spillFile() (cluster.SpillFile, error) {
	full := func(op string) error {
		m.mu.Lock()
		defer m.mu.Unlock()
		if _, full := m.during(faultFull, nil); full {
			return &os.PathError{Op: op, Path: "spill", Err: syscall.ENOSPC}
		}
		return nil
	}
	if err := full("open"); err != nil {
		return nil, err
	}
	read := func(p []byte) error {
		m.mu.Lock()
		defer m.mu.Unlock()
		if _, bad := m.during(faultSpill, nil); !bad {
			return nil
		}
		switch m.rng.IntN(4) {
		case 0:
			p[m.rng.IntN(len(p))] ^= 1 << m.rng.IntN(8)
		case 1:
			return &os.PathError{Op: "read", Path: "spill", Err: syscall.EIO}
		default:
		}
		return nil
	}
	m.open.Add(1)
	return &spillFile{write: func() error { return full("write") }, read: read, close: func() { m.open.Add(-1) }}, nil
}

// badOutput is the block store as a stores.Store, with a disk that fails during output faults.
type badOutput struct {
	*dfs.FS
	m *mischief
}

// fails returns the error that a method must return if an output fault is active, or nil.
func (b *badOutput) fails() error {
	b.m.mu.Lock()
	defer b.m.mu.Unlock()
	if _, bad := b.m.during(faultOutput, nil); bad && b.m.rng.IntN(2) == 0 {
		return &os.PathError{Op: "write", Path: "output", Err: []syscall.Errno{syscall.ENOSPC, syscall.EIO}[b.m.rng.IntN(2)]}
	}
	return nil
}

func (b *badOutput) CreateNew(name string, _ []byte) error {
	if err := b.fails(); err != nil {
		return err
	}
	return b.WriteFile(name, nil)
}

func (b *badOutput) Complete(name, receipt string) error {
	if err := b.fails(); err != nil {
		return err
	}
	return b.Rename(receipt, name)
}

func (b *badOutput) RemoveAll(name string) error {
	if err := b.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (*badOutput) AbandonAll(string) error { return nil }

func (b *badOutput) Begin(name, attempt string) (stores.Part, error) {
	if err := b.fails(); err != nil {
		return nil, err
	}
	name = path.Join(path.Dir(name), "_temporary", attempt)
	w, err := b.Create(name)
	return &badPart{w, b, name}, err
}

type badPart struct {
	*dfs.Writer
	b    *badOutput
	name string
}

func (p *badPart) Receipt() string { return p.name }
func (p *badPart) Abort() error    { return errors.Join(p.Writer.Abort(), p.b.RemoveAll(p.name)) }

func (p *badPart) Write(b []byte) (int, error) {
	if err := p.b.fails(); err != nil {
		return 0, err
	}
	return p.Writer.Write(b)
}

func (p *badPart) Close() error {
	if err := p.b.fails(); err != nil {
		_ = p.Writer.Close()
		return err
	}
	return p.Writer.Close()
}

// command causes a fault that is a single action, such as a node's death, and ignores other faults.
func (m *mischief) command(c *Cluster, jobs []*JobHandle, f mishap) error {
	name := fmt.Sprintf("node-%02d", f.node)
	switch f.kind {
	case faultKill:
		_ = c.KillNode(name) // an error means that it does not run
	case faultStop:
		_ = c.StopNode(name)
	case faultStart:
		return c.StartNode(name)
	case faultCordon:
		time.AfterFunc(f.long, func() { _ = c.Cordon(name, false) }) // an error means that the cluster is closed
		if err := c.Cordon(name, true); !errors.Is(err, scheduling.ErrUnknownNode) {
			return err
		} // a restarted JobTracker knows no nodes yet
	case faultFlip:
		blocks, err := c.FS().Blocks("in")
		if err != nil {
			return err
		}
		c.FS().Damage(dfs.NodeID(name), blocks[f.task%len(blocks)].ID)
	case faultKillJob:
		if f.job < len(jobs) && jobs[f.job] != nil {
			_ = jobs[f.job].Kill("chaos") // an error means that the job has ended
		}
	case faultTracker:
		if err := c.ask(onTurn(func(*jobTracker) error { panic(errChaos) })); !errors.Is(err, errScheduler) {
			return fmt.Errorf("a panic of the JobTracker: %w", err)
		}
	default:
	}
	return nil
}
