package dfs

import (
	"fmt"
)

// Changes returns the replicas that were added to or removed from a node's store since its last
// report. The caller must pass the result to Report; see [Config.Announce].
func (f *FS) Changes(id NodeID) (Report, error) {
	s := f.stores[id]
	if s == nil {
		return Report{}, fmt.Errorf("%w: %v", ErrUnknownNode, id)
	}
	return s.changes(id), nil
}

// Inventory returns a full report of a node's store.
func (f *FS) Inventory(id NodeID) (Report, error) {
	s := f.stores[id]
	if s == nil {
		return Report{}, fmt.Errorf("%w: %v", ErrUnknownNode, id)
	}
	return s.all(id), nil
}

// Report applies a node's report. Only reported replicas count. A report from a lost node brings it
// back. Replicas of blocks that belong to no file, or beyond the wanted number, are deleted from
// the node's store.
func (f *FS) Report(r Report) error {
	f.mu.Lock()
	unwanted, err := f.ns.report(r)
	f.signal()
	f.mu.Unlock()
	if err != nil {
		return err
	}
	f.stores[r.Node].forget(unwanted)
	return nil
}

// Lose marks a node as lost: its replicas do not count until it reports again. With wipe the node's
// store is erased.
func (f *FS) Lose(id NodeID, wipe bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	d := f.ns.byID[id]
	if d == nil {
		return fmt.Errorf("%w: %v", ErrUnknownNode, id)
	}
	f.ns.lose(d)
	if wipe {
		f.stores[id].wipe()
	}
	f.signal()
	return nil
}

// PlanHeal returns the copies that restore every block's number of replicas, blocks with the fewest
// replicas first. From then on the FS expects reports of them; pass each to Copy. If nothing was
// lost since the last plan, it returns nothing and costs nothing.
func (f *FS) PlanHeal() []Copy {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ns.heal()
}

// Copy creates one planned replica. If a source replica is corrupt, it is dropped and another one
// used; if none is left, Copy cancels the plan and returns ErrNoReplica.
func (f *FS) Copy(c Copy) error {
	if p := f.local(c.Block); p != nil {
		f.stores[c.To].put(c.Block, p)
		f.announce(c.To)
		return nil
	}
	from := f.replicas(c.Block)
	var faults []error
	for _, id := range from {
		p := f.stores[id].get(c.Block)
		if p == nil {
			continue
		}
		if _, _, err := p.view(0, int(p.n)); err != nil {
			faults = append(faults, fmt.Errorf("%v on %v: %w", c.Block, id, err))
			f.dropCorrupt(id, c.Block)
			continue
		}
		f.stores[c.To].put(c.Block, p)
		f.announce(c.To)
		return nil
	}
	f.mu.Lock()
	if d := f.ns.byID[c.To]; d != nil {
		f.ns.vanished(d, c.Block)
	}
	f.signal()
	f.mu.Unlock()
	return fmt.Errorf("copy %v to %v: %w", c.Block, c.To, &UnreadableError{Block: c.Block, Faults: faults})
}

// Heal plans and makes all copies in the caller's goroutine and returns how many it made. A block
// without any live replica causes no error here, but when it is read.
func (f *FS) Heal() int {
	made := 0
	for _, c := range f.PlanHeal() {
		if f.Copy(c) == nil {
			made++
		}
	}
	return made
}

// announce causes a report of the changes in a node's store; see Config.Announce.
func (f *FS) announce(id NodeID) {
	if f.cfg.Announce != nil {
		f.cfg.Announce(id)
		return
	}
	_ = f.Report(f.stores[id].changes(id)) // the node exists, so there is no error
}

// signal wakes writes that wait for reports of replicas. The caller holds mu.
func (f *FS) signal() {
	close(f.changed)
	f.changed = make(chan struct{})
}

// replicas returns the live nodes that reported a replica of b.
func (f *FS) replicas(b BlockID) []NodeID {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if blk := f.ns.blocks[b]; blk != nil {
		return ids(blk.replicas)
	}
	return nil
}

// local returns the bytes of a registered source's block, which any node can read, or nil.
func (f *FS) local(b BlockID) *payload {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if blk := f.ns.blocks[b]; blk != nil {
		return blk.local
	}
	return nil
}

// dropCorrupt deletes a bad replica, so that healing makes a good one.
func (f *FS) dropCorrupt(id NodeID, b BlockID) {
	if f.stores[id].drop(b) {
		f.announce(id)
	}
}
