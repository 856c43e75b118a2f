package actors

import (
	"math/rand/v2"
	"sync"
	"time"
)

// between says whether a message goes from one machine to another: what a node and its own slots
// tell each other is not lost, nor is what the actors are told by timers and commands.
func between(msg any) bool {
	return withJobTracker(msg) || withNameNode(msg)
}

func withJobTracker(msg any) bool {
	switch msg.(type) {
	case *join, *joined, *heartbeat, *heartbeatAck, *commitRequest, *commitAnswer, *poke:
		return true
	}
	return false
}

func withNameNode(msg any) bool {
	switch msg.(type) {
	case *nodeUp, *nodeLost, *reportBlocks, *blockReport, *copyBlock:
		return true
	}
	return false
}

var atOnce = []time.Duration{0}

// losing is a Config.deliver that loses the messages between nodes and JobTracker that lose says.
func losing(lose func(msg any) bool) func(any) []time.Duration {
	return func(msg any) []time.Duration {
		if withJobTracker(msg) && lose(msg) {
			return nil
		}
		return atOnce
	}
}

// misdelivering is a Config.deliver that loses, delays and doubles messages between machines, one
// in four of those with the JobTracker and one in eight of those with the NameNode. Some are so
// late that nodes expire meanwhile.
func misdelivering(seed uint64) func(any) []time.Duration {
	rng := rand.New(rand.NewPCG(seed, 19))
	var mu sync.Mutex
	return func(msg any) []time.Duration {
		mu.Lock()
		defer mu.Unlock()
		late := func() time.Duration {
			return time.Duration(rng.Int64N(int64([]time.Duration{10 * time.Millisecond, time.Second, 30 * time.Second}[rng.IntN(3)])))
		}
		switch {
		case !between(msg), rng.IntN(4) != 0, withNameNode(msg) && rng.IntN(2) == 0:
			return atOnce
		}
		switch rng.IntN(4) {
		case 0:
			return nil
		case 1:
			return []time.Duration{late()}
		case 2:
			return []time.Duration{0, 0}
		default:
			return []time.Duration{0, late()}
		}
	}
}
