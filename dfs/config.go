package dfs

import (
	"errors"
	"fmt"
)

var (
	// ErrReplication is returned by New if Replication exceeds the number of nodes.
	ErrReplication = errors.New("dfs: more replicas than nodes")

	// ErrNoReplica is returned when no live node has a good replica of a block, or no live node can
	// store one.
	ErrNoReplica = errors.New("dfs: no live replica")

	// ErrCorrupt marks a replica whose bytes do not match their checksum. A reader gets it,
	// together with ErrNoReplica, only if all replicas are corrupt.
	ErrCorrupt = errors.New("dfs: checksum mismatch")

	// ErrUnknownNode is returned for a node that the configuration does not name.
	ErrUnknownNode = errors.New("dfs: unknown node")
)

// Node is a node of the cluster and its rack.
type Node struct {
	ID   NodeID
	Rack string
}

// Config describes the cluster of an FS.
type Config struct {
	// Nodes store the blocks. The list must not be empty, and IDs must be distinct.
	Nodes []Node

	// Replication is the number of replicas of each block; 0 means min(3, nodes).
	Replication int

	// BlockSize is the block length in bytes of written files; 0 means [DefaultBlockSize].
	BlockSize int64

	// Seed decides between nodes that are equally good for a replica.
	Seed uint64

	// Degraded, if not nil, is called without locks held after a reader has dropped a corrupt
	// replica. It should cause a PlanHeal.
	Degraded func()
}

// Validate returns all mistakes in the configuration, joined.
func (c Config) Validate() error {
	var faults []error
	if len(c.Nodes) == 0 {
		faults = append(faults, errors.New("dfs: no nodes"))
	}
	seen := map[NodeID]bool{}
	for _, n := range c.Nodes {
		if n.ID == "" {
			faults = append(faults, errors.New("dfs: a node has no ID"))
		} else if seen[n.ID] {
			faults = append(faults, fmt.Errorf("dfs: node %v named twice", n.ID))
		}
		seen[n.ID] = true
	}
	if c.Replication < 0 {
		faults = append(faults, fmt.Errorf("dfs: replication %d is negative", c.Replication))
	}
	if c.Replication > len(c.Nodes) {
		faults = append(faults, fmt.Errorf("%w: replication %d, %d nodes", ErrReplication, c.Replication, len(c.Nodes)))
	}
	if c.BlockSize < 0 {
		faults = append(faults, fmt.Errorf("dfs: block size %d is negative", c.BlockSize))
	}
	return errors.Join(faults...)
}
