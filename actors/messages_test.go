package actors

import "time"

// losing is a Config.deliver that loses the messages between nodes and JobTracker that lose
// selects.
func losing(lose func(msg any) bool) func(any) []time.Duration {
	return func(msg any) []time.Duration {
		if withJobTracker(msg) && lose(msg) {
			return nil
		}
		return atOnce
	}
}
