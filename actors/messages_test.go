package actors

import "time"

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
