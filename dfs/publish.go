package dfs

import (
	"fmt"
	"io/fs"
	"time"
)

// patience is the default time of Config.Patience.
const patience = 10 * time.Second

// maxRounds limits how often await waits for Patience.
const maxRounds = 3

// store creates a block of p and sends it to its nodes, first to those that represent hosts. If no
// node is alive, it waits for one as await does. Bytes of a [Source] need no live node.
func (f *FS) store(hosts []string, length int64, p *payload) (*block, error) {
	f.mu.Lock()
	b := f.ns.newBlock(hosts, length, p)
	nodes, bare := ids(b.placed), b.bare()
	f.mu.Unlock()
	f.put(b, nodes)
	if bare {
		if err := f.await([]*block{b}); err != nil {
			f.abandon([]*block{b})
			return nil, err
		}
	}
	return b, nil
}

func (f *FS) put(b *block, nodes []NodeID) {
	for _, n := range nodes {
		f.stores[n].put(b.id, b.fresh)
	}
}

// publish names all files or none, once each replica of their blocks is reported or given up.
func (f *FS) publish(op string, names []string, files []*inode, blocks []*block) error {
	err := f.await(blocks)
	f.mu.Lock()
	now := time.Now()
	done := 0
	for ; done < len(files) && err == nil; done++ {
		files[done].modified = now
		if err = f.ns.insert(names[done], files[done], now); err != nil {
			break
		}
	}
	if err != nil {
		for _, name := range names[:done] {
			_, _ = f.ns.detach(name, now) // it was inserted above, so detach cannot fail
		}
	}
	for _, b := range blocks {
		b.fresh = nil // now only the nodes have the bytes
	}
	f.mu.Unlock()
	if err != nil {
		f.abandon(blocks)
		return &fs.PathError{Op: op, Path: names[min(done, len(names)-1)], Err: err}
	}
	return nil
}

// await has nodes report their new replicas of blocks, and waits for all of these. It gives up
// nodes that do not report in time, and chooses new nodes for blocks without a replica. It returns
// nil once each block has one or needs none; healing creates the rest.
func (f *FS) await(blocks []*block) error {
	f.offer(blocks)
	timer := time.NewTimer(f.cfg.Patience)
	defer timer.Stop()
	for round := 1; ; {
		changed, waiting, bare := f.progress(blocks)
		switch {
		case bare == nil && !waiting:
			return nil
		case bare != nil && round > maxRounds:
			return fmt.Errorf("%w: %v: no node has reported it", ErrNoReplica, bare.id)
		case bare != nil && f.offer(blocks):
			continue
		case bare != nil && f.cfg.Announce == nil:
			return fmt.Errorf("%w: %v: no node is alive", ErrNoReplica, bare.id)
		}
		select {
		case <-changed:
		case <-timer.C:
			f.giveUp(blocks)
			round++
			timer.Reset(f.cfg.Patience)
		}
	}
}

// offer chooses nodes for the bare blocks, and has all nodes report that have unreported replicas
// of blocks. It reports whether it has chosen any.
func (f *FS) offer(blocks []*block) (any bool) {
	due := map[NodeID]bool{}
	for _, b := range blocks {
		var chosen []NodeID
		f.mu.Lock()
		if b.bare() {
			chosen = ids(f.ns.choose(b, nil))
		}
		for _, d := range b.placed {
			due[d.id] = true
		}
		f.mu.Unlock()
		f.put(b, chosen)
		any = any || len(chosen) > 0
	}
	for _, n := range f.cfg.Nodes {
		if due[n.ID] {
			f.announce(n.ID)
		}
	}
	return any
}

// progress reports whether replicas of blocks are still awaited, and returns a bare block, if there
// is one. changed is closed when both may have changed.
func (f *FS) progress(blocks []*block) (changed <-chan struct{}, waiting bool, bare *block) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	for _, b := range blocks {
		waiting = waiting || len(b.placed) > 0
		if b.bare() {
			bare = b
		}
	}
	return f.changed, waiting, bare
}

// giveUp stops waiting for replicas of blocks that have not been reported.
func (f *FS) giveUp(blocks []*block) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, b := range blocks {
		for len(b.placed) > 0 {
			f.ns.vanished(b.placed[0], b.id)
		}
	}
	f.signal()
}
