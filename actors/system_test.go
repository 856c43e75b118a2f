package actors

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The clusters of a process share one heap ballast. It exists only if they have enough memory and a
// large job: for small jobs it would cost a collection.
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
