package scheduling

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A refusal is credited unless the job launched a task in the same heartbeat; what it launched in one
// before, which offered nothing, does not count.
func TestLaunchesBeforeARefusal(t *testing.T) {
	for beat, want := range map[uint64]time.Duration{1: time.Second, 2: 0} {
		c := &Core{beat: beat}
		o := &waitClock{c: c}
		o.add(0)
		o.changed(0, true, true)
		o.launch(0)
		c.beat = 2
		o.begin()
		o.refuse(0)
		o.end()
		c.beat, c.now = 3, time.Second
		o.begin()
		require.Equal(t, want, o.of[0].wait, "launched in heartbeat %d, refused in 2", beat)
	}
}
