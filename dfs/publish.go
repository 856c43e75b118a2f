package dfs

import (
	"fmt"
	"io/fs"
	"time"
)

// patience is the default time of Config.Patience.
const patience = 10 * time.Second

// store creates a block of p and sends it to its nodes, first to those that represent hosts. If no
// node is alive, it waits up to Patience for one, if nodes report through Announce. Bytes of a
// [Source] need no live node.
func (f *FS) store(writer NodeID, hosts []string, length int64, p *payload) (*block, error) {
	deadline := time.NewTimer(f.cfg.Patience)
	defer deadline.Stop()
	for {
		f.mu.Lock()
		b, err := f.ns.newBlock(writer, hosts, length, p)
		changed := f.changed
		var nodes []NodeID
		if err == nil {
			nodes = ids(b.placed)
		}
		f.mu.Unlock()
		if err == nil {
			f.put(nodes, b.id, p)
			return b, nil
		}
		if f.cfg.Announce == nil {
			return nil, err
		}
		select {
		case <-changed:
		case <-deadline.C:
			return nil, err
		}
	}
}

func (f *FS) put(nodes []NodeID, id BlockID, p *payload) {
	for _, n := range nodes {
		f.stores[n].put(id, p)
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

// maxRounds limits how often await chooses new nodes for blocks that no node has reported.
const maxRounds = 3

// await has nodes report their new replicas of blocks, and waits for all of these. It gives up
// nodes that do not report in time, and chooses new nodes for blocks without a replica. It returns
// nil once each block has one or needs none; healing creates the rest.
func (f *FS) await(blocks []*block) error {
	f.announceAll(blocks)
	timer := time.NewTimer(f.cfg.Patience)
	defer timer.Stop()
	for round := 1; ; {
		changed, waiting, bare := f.progress(blocks)
		switch {
		case bare == nil && !waiting:
			return nil
		case bare != nil && round > maxRounds:
			return fmt.Errorf("%w: %v: no node has reported it", ErrNoReplica, bare.id)
		case bare != nil && f.replace(blocks):
			f.announceAll(blocks)
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

// progress reports whether replicas of blocks are still awaited. bare is a block that needs nodes
// but has none. changed is closed when both may have changed.
func (f *FS) progress(blocks []*block) (changed <-chan struct{}, waiting bool, bare *block) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	for _, b := range blocks {
		waiting = waiting || len(b.placed) > 0
		if len(b.placed)+len(b.replicas) == 0 && b.local == nil {
			bare = b
		}
	}
	return f.changed, waiting, bare
}

// replace chooses new nodes for the blocks that have none; it returns false if no node is alive.
func (f *FS) replace(blocks []*block) (any bool) {
	for _, b := range blocks {
		f.mu.Lock()
		var nodes []NodeID
		if len(b.placed)+len(b.replicas) == 0 {
			nodes = ids(f.ns.choose(b, "", nil))
			any = any || len(nodes) > 0
		}
		f.mu.Unlock()
		f.put(nodes, b.id, b.fresh)
	}
	return any
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

// announceAll has all nodes report that have unreported replicas of blocks.
func (f *FS) announceAll(blocks []*block) {
	seen := map[*node]bool{}
	f.mu.RLock()
	for _, b := range blocks {
		for _, d := range b.placed {
			seen[d] = true
		}
	}
	f.mu.RUnlock()
	for _, d := range f.ns.nodes { // the list never changes
		if seen[d] {
			f.announce(d.id)
		}
	}
}
