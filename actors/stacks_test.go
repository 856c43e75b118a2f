package actors

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// stackOf finds the stack of one goroutine in the text of all stacks. It repeats the request with a
// larger buffer only if the buffer was full, and never with more than 16 MiB.
func TestStacksAreSearchedToABound(t *testing.T) {
	const kib, mib = 1 << 10, 1 << 20
	own := "goroutine 71 [select]:\nmain.work()\n\t/home/main.go:5 +0x1d"
	for _, c := range []struct {
		before int // bytes of other stacks in front
		want   string
		rooms  []int
	}{
		{0, own, []int{256 * kib}},
		{200 * kib, own, []int{256 * kib}},
		{256 * kib, own, []int{256 * kib, mib}},
		{15 * mib, own, []int{256 * kib, mib, 4 * mib, 16 * mib}},
		{16 * mib, "", []int{256 * kib, mib, 4 * mib, 16 * mib}},
	} {
		other := "goroutine 7 [running]:\nmain.other()\n\n"
		all := strings.Repeat(other, c.before/len(other)+1) + own + "\n\n" + other
		var rooms []int
		got := stackOf("71", func(buf []byte) int {
			rooms = append(rooms, len(buf))
			return copy(buf, all)
		})
		require.Equal(t, c.want, got)
		require.Equal(t, c.rooms, rooms)
	}
	require.Empty(t, stackOf("1", func(buf []byte) int { return copy(buf, own) }), "another goroutine")
}
