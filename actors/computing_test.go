package actors

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce"
)

// If the memory budget does not suffice for all slots, fewer attempts compute at the same time.
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

// By default a job has a reduce for each 64 MiB of its input, rounded up to a power of two and at
// most 64. The submitter may choose any number.
func TestReducesFollowTheInput(t *testing.T) {
	for _, x := range []struct {
		input int64
		said  int
		want  int
	}{
		{0, 0, 1},
		{1, 0, 1},
		{64 << 20, 0, 1},
		{64<<20 + 1, 0, 2},
		{2*64<<20 + 1, 0, 4},
		{4 * 64 << 20, 0, 4},
		{33 * 64 << 20, 0, 64},
		{64 * 64 << 20, 0, 64},
		{64*64<<20 + 1, 0, 64},
		{1, 100, 100},
		{1, 1, 1},
	} {
		src := mapreduce.Source{Data: together{size: x.input}}
		p, err := counting(0).Bind(mapreduce.Lines(src), mapreduce.Text[pair](mapreduce.Writer("-", io.Discard)))
		require.NoError(t, err)
		require.Equal(t, x.input, p.InputBytes())
		require.Equal(t, x.want, SubmitOptions{Reduces: x.said}.reduces(p), "%+v", x)
	}
}
