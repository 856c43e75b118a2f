package dfs

import (
	"errors"
	"fmt"
	"time"
)

var (
	// ErrReplication is returned by New for a configuration that asks for more
	// replicas than there are nodes.
	ErrReplication = errors.New("dfs: more replicas than nodes")

	// ErrNoReplica is returned when no live node has a good replica of a block, or
	// none is alive to take one.
	ErrNoReplica = errors.New("dfs: no live replica")

	// ErrCorrupt marks a replica whose bytes do not match their checksum. It reaches a
	// reader only when every replica is corrupt, wrapped beside ErrNoReplica.
	ErrCorrupt = errors.New("dfs: checksum mismatch")

	// ErrUnknownNode is returned for a node that the configuration does not name.
	ErrUnknownNode = errors.New("dfs: unknown node")
)

// Node is one node of the cluster and the rack it stands in.
type Node struct {
	ID   NodeID
	Rack string
}

// Config describes the cluster that an FS lives on.
type Config struct {
	// Nodes holds the blocks; at least one, with distinct IDs.
	Nodes []Node

	// Replication is the number of replicas of each block; 0 means min(3, nodes).
	Replication int

	// BlockSize is the length in bytes that written files are cut at; 0 means
	// [DefaultBlockSize].
	BlockSize int64

	// Seed decides between nodes that are equally good for a replica.
	Seed uint64

	// Patience is how long a write waits for a node to report its replica, or for any node to be
	// alive, before it does with others; it does so three times at most. 0 means 10 seconds.
	Patience time.Duration

	// Announce, when set, is called after replicas came to or left a node, outside all
	// locks; the callee sees to it that Report is called with Changes of that node.
	// When nil the FS takes the changes over itself at once.
	Announce func(NodeID)
}

// Validate returns everything that is wrong with the configuration, joined.
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
	if c.Patience < 0 {
		faults = append(faults, fmt.Errorf("dfs: patience %v is negative", c.Patience))
	}
	if c.BlockSize < 0 {
		faults = append(faults, fmt.Errorf("dfs: block size %d is negative", c.BlockSize))
	}
	return errors.Join(faults...)
}
