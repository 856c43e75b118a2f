package core

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// avoiding returns a Core of ten nodes. With this number of faults, all jobs avoid a node.
func avoiding(faults int) *Core {
	c := &Core{Live: 10, Policy: model.Policy{Avoid: model.Avoidance{Jobs: faults}}}
	for range c.Live {
		c.Nodes = append(c.Nodes, &NodeState{Live: true})
	}
	return c
}

// A node is avoided only if its faults are more than 1.5 times the mean of all nodes.
func TestFaultsAboveTheMean(t *testing.T) {
	for others, want := range map[int]bool{16: true, 17: false} {
		c := avoiding(3)
		c.Nodes[0].Faults, c.Nodes[1].Faults = 3, others
		require.Equal(t, want, c.tooFaulty(c.Nodes[0]), "3 and a mean of %v", float64(3+others)/10)
		c.Nodes[0].Faults = 2
		require.False(t, c.tooFaulty(c.Nodes[0]))
	}
	c := avoiding(1)
	c.Nodes[0].Faults = 9
	for i := 1; i <= 5; i++ {
		require.True(t, c.tooFaulty(c.Nodes[0]), "%d avoided", i-1)
		c.Nodes[i].Avoided = true
	}
	require.False(t, c.tooFaulty(c.Nodes[0]), "half of them are")
	c.Nodes[5].Live = false
	require.True(t, c.tooFaulty(c.Nodes[0]))
}
