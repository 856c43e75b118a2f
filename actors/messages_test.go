package actors

import "time"

// losing returns a Config.deliver that drops messages between nodes and JobTracker if lose returns
// true.
func losing(lose func(msg any) bool) func(any) []time.Duration {
	return func(msg any) []time.Duration {
		if withJobTracker(msg) && lose(msg) {
			return nil
		}
		return atOnce
	}
}
