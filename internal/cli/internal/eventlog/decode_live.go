package eventlog

import (
	"math"
	"time"

	"github.com/tarry-mr/tarry/actors"
)

// live reads what only live clusters tell, of attempts that have ended. What comes twice is left to
// json.Unmarshal, for it would be joined.
func (f *fast) live(e *actors.Event, key []byte) {
	switch string(key) {
	case "output":
		f.ok = f.ok && e.Output == nil
		f.expect('[')
		for f.ok {
			e.Output = append(e.Output, f.integer(math.MinInt64, math.MaxInt64))
			if !f.more() {
				break
			}
		}
		f.expect(']')
	case "phases":
		f.ok = f.ok && e.Phases == nil
		e.Phases = f.phases()
	case "counters":
		f.ok = f.ok && e.Counters == nil
		f.counters(fresh(&e.Counters).AddNamed)
	default:
		f.ok = false
	}
}

func (f *fast) phases() *actors.Phases {
	p := new(actors.Phases)
	f.expect('{')
	for f.ok {
		var to *time.Duration
		switch string(f.key()) {
		case "start":
			to = &p.Start
		case "wait":
			to = &p.Wait
		case "read":
			to = &p.Read
		case "shuffle":
			to = &p.Shuffle
		case "work":
			to = &p.Work
		case "commit":
			to = &p.Commit
		default:
			f.ok = false
			return nil
		}
		*to = time.Duration(f.integer(math.MinInt64, math.MaxInt64))
		if !f.more() {
			break
		}
	}
	f.expect('}')
	return p
}

// fresh makes what p is to point to.
func fresh[T any](p **T) *T {
	*p = new(T)
	return *p
}

func (f *fast) counters(add func(group, name string, n int64)) {
	f.expect('[')
	for f.ok {
		f.expect('{')
		group := f.member("group")
		f.expect(',')
		name := f.member("name")
		f.expect(',')
		f.ok = string(f.key()) == "value" && f.ok
		n := f.integer(math.MinInt64, math.MaxInt64)
		f.expect('}')
		if !f.ok {
			return
		}
		add(group, name, n)
		if !f.more() {
			break
		}
	}
	f.expect(']')
}

// member reads a field with a text.
func (f *fast) member(key string) string {
	f.ok = string(f.key()) == key && f.ok
	return f.text()
}
