package actors

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Fewer attempts compute at once where the memory is not enough for all slots.
func TestMemoryBoundsComputing(t *testing.T) {
	for _, c := range []struct {
		memory          int64
		slots, parallel int
		want            int
	}{
		{0, 64, 0, 0},
		{0, 64, 3, 3},
		{1 << 30, 2, 0, 0},
		{64 << 20, 64, 0, 8},
		{64 << 20, 64, 4, 4},
		{64 << 20, 64, 100, 8},
		{1, 1, 0, 0},
		{1, 2, 0, 2},
	} {
		cfg := Config{Memory: c.memory, MapSlots: c.slots, ReduceSlots: c.slots, Parallelism: c.parallel}.withDefaults()
		require.Equal(t, c.want, cfg.computing(), "%+v", c)
	}
}
