package dfs

import "fmt"

// Changes returns a report of the replicas added to and removed from a node since its last report.
// The caller must pass it to Report; see [Config.Announce].
func (f *FS) Changes(id NodeID) (Report, error) {
	s := f.stores[id]
	if s == nil {
		return Report{}, fmt.Errorf("%w: %v", ErrUnknownNode, id)
	}
	return s.changes(id), nil
}

// Inventory returns a report of all replicas on a node, to pass to Report.
func (f *FS) Inventory(id NodeID) (Report, error) {
	s := f.stores[id]
	if s == nil {
		return Report{}, fmt.Errorf("%w: %v", ErrUnknownNode, id)
	}
	return s.all(id), nil
}

// Report applies a node's report. Only reported replicas count. A report from a lost node brings it
// back. Replicas of blocks that belong to no file, or beyond the wanted number, are deleted from
// the node.
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

// Lose marks a node as lost: its replicas do not count until it reports. If wipe is set, its store
// is erased, as if its disks were lost.
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

// PlanHeal returns the copies that give every block its number of replicas, blocks with the fewest
// replicas first. The caller must pass each to Copy, since the FS expects the new replicas. If
// nothing was lost since the last plan, it returns nil at once.
func (f *FS) PlanHeal() []Copy {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ns.heal()
}

// Copy creates one planned replica. If a source replica is corrupt, Copy drops it and tries another
// one. If none is left, it cancels this copy and returns ErrNoReplica.
func (f *FS) Copy(c Copy) error {
	err := f.fromReplica(c.Block, func(p *payload) error {
		if p.src == nil { // a Source has no checksums
			if _, _, err := p.view(0, int(p.n)); err != nil {
				return err
			}
		}
		f.stores[c.To].put(c.Block, p)
		return nil
	})
	if err == nil {
		f.announce(c.To)
		return nil
	}
	f.mu.Lock()
	if d := f.ns.byID[c.To]; d != nil {
		f.ns.vanished(d, c.Block)
	}
	f.signal()
	f.mu.Unlock()
	return fmt.Errorf("copy %v to %v: %w", c.Block, c.To, err)
}

// announce has a node report its changes: through Config.Announce, or at once if that is nil.
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
