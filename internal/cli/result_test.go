package cli

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// The summary of a run has a line of shuffled bytes by distance only if some left their node.
func TestShuffledBytesByDistance(t *testing.T) {
	for _, x := range []struct {
		node, rack, far int64
		want            string
	}{
		{node: 1500, want: ""},
		{node: 1500, rack: 2500, want: "shuffled 1.5 kB node-local, 2.5 kB rack-local, 0 B off-rack"},
		{far: 3500, want: "shuffled 0 B node-local, 0 B rack-local, 3.5 kB off-rack"},
	} {
		var c counter.Set
		c.AddNamed("CoGRS", "Node-local shuffle bytes", x.node)
		c.AddNamed("CoGRS", "Rack-local shuffle bytes", x.rack)
		c.AddNamed("CoGRS", "Off-rack shuffle bytes", x.far)
		require.Equal(t, x.want, shuffledWhere(&c))
	}
}
