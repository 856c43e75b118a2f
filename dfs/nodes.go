package dfs

import (
	"fmt"
)

// Changes takes what came to and left a node's store since it last reported. Handing
// the answer to Report is the node's duty; see [Config.Announce].
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

// Report applies a node's report: what it names, and nothing else, counts as replicas.
// A report from a lost node brings it back. Replicas of blocks that no file holds, or
// that are more than wanted, are deleted from the node's store.
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

// Lose marks a node lost: its replicas do not count until it reports again. wipe tells
// whether the node's store is lost with it.
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

// PlanHeal returns the copies that restore every block's number of replicas, those in need first,
// and from then on awaits their reports. Hand each to Copy. It is empty, at
// no cost, when nothing was lost since the last plan.
func (f *FS) PlanHeal() []Copy {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ns.heal()
}

// Copy makes one planned replica. A corrupt origin is dropped and another replica
// taken; if none is left the plan is given up and ErrNoReplica returned.
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

// Heal plans and makes all copies in the caller's goroutine and returns how many it
// made. A block without any live replica is not an error of Heal; reading it is.
func (f *FS) Heal() int {
	made := 0
	for _, c := range f.PlanHeal() {
		if f.Copy(c) == nil {
			made++
		}
	}
	return made
}

// announce makes a node's changes known to the namespace.
func (f *FS) announce(id NodeID) {
	if f.cfg.Announce != nil {
		f.cfg.Announce(id)
		return
	}
	_ = f.Report(f.stores[id].changes(id)) // the node is one of ours: no error
}

// signal wakes whoever waits for replicas. The caller holds mu.
func (f *FS) signal() {
	close(f.changed)
	f.changed = make(chan struct{})
}

// replicas returns the live nodes that reported b.
func (f *FS) replicas(b BlockID) []NodeID {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if blk := f.ns.blocks[b]; blk != nil {
		return ids(blk.replicas)
	}
	return nil
}

// local returns the bytes of a block that every node can read, or nil.
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
