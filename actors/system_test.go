package actors

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHeapBallastIsShared states that clusters of a process have one ballast; none have those with little
// memory, and those with small jobs, which would pay for a collection and not need it.
func TestHeapBallastIsShared(t *testing.T) {
	had := func(memory, input int64) *heapBallast {
		e := &env{cfg: Config{Memory: memory}}
		e.keepHeapBallast(input)
		return e.ballast.Load()
	}
	one := had(0, ballastInput)
	require.NotNil(t, one)
	require.Same(t, one, had(ballastMemory, ballastInput))
	require.Nil(t, had(ballastMemory-1, ballastInput))
	require.Nil(t, had(0, ballastInput-1))
}
