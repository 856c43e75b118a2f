package actors

import (
	"errors"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
)

// errFetch says that a segment could not be fetched: its node is down, or the transfer was cut.
var errFetch = errors.New("actors: the map output cannot be fetched")

// A fetch that fails is tried again after a second, and then after twice as long each time, at
// most 10 seconds. The third failure, and each one after it, is reported: whether the map runs
// again is for the Core to say. Hadoop's reduces do likewise, with a back-off of minutes.
const (
	firstBackoff   = time.Second
	longestBackoff = 10 * time.Second
	reportedFrom   = 3
)

// lateFetch is an output that could not be fetched.
type lateFetch struct {
	m, try int32
	times  int           // it failed
	due    time.Duration // when it is tried again
}

// failed puts an output off, and reports it if that has been done before.
func (f *fetcher) failed(m, try int32) {
	late := lateFetch{m: m, try: try}
	if at := f.lateFetch(m, try); at >= 0 {
		late = f.late[at]
		f.drop(at)
	}
	late.times++
	late.due = f.a.env.now() + min(firstBackoff<<min(late.times-1, 10), longestBackoff)
	f.late = append(f.late, late)
	if late.times >= reportedFrom {
		lost := scheduling.LostOutput{Map: m, Try: try, Unreachable: true}
		f.a.tell(&fetchFailed{attempt: f.a.id, lost: lost})
	}
}

func (f *fetcher) lateFetch(m, try int32) int {
	for at, l := range f.late {
		if l.m == m && l.try == try {
			return at
		}
	}
	return -1
}

func (f *fetcher) drop(at int) { f.late = append(f.late[:at], f.late[at+1:]...) }

// again is an output that is due to be tried again; without one, how long it is until the next is,
// 0 if there is none. Those that have been made anew come by way of the shuffle.
func (f *fetcher) again() (o mapOutput, m int32, wait time.Duration) {
	now := f.a.env.now()
	for at := 0; at < len(f.late); {
		l := f.late[at]
		if o = f.a.run.shuffle.output(l.m); f.got[l.m] || o.out == nil || o.try != l.try {
			f.drop(at)
			continue
		}
		if l.due <= now {
			return o, l.m, 0
		}
		if wait == 0 || l.due-now < wait {
			wait = l.due - now
		}
		at++
	}
	return mapOutput{}, 0, wait
}
