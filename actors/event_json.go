package actors

import (
	"strconv"
	"time"
)

// AppendJSON appends the event as [json.Marshal] writes it, some times as fast: a live run tells the
// phases and counters of each attempt.
func (e *Event) AppendJSON(b []byte) []byte {
	b = e.Event.AppendJSON(b)
	if e.Phases == nil && e.Counters == nil {
		return b
	}
	b = b[:len(b)-1] // the brace, after at least one field
	if e.Phases != nil {
		b = e.Phases.appendJSON(append(b, `,"phases":`...))
	}
	if e.Counters != nil {
		b = e.Counters.AppendJSON(append(b, `,"counters":`...))
	}
	return append(b, '}')
}

func (p *Phases) appendJSON(b []byte) []byte {
	some := func(key string, d time.Duration) {
		if d != 0 {
			b = strconv.AppendInt(append(b, key...), int64(d), 10)
		}
	}
	b = strconv.AppendInt(append(b, `{"start":`...), int64(p.Start), 10)
	some(`,"wait":`, p.Wait)
	some(`,"read":`, p.Read)
	some(`,"shuffle":`, p.Shuffle)
	b = strconv.AppendInt(append(b, `,"work":`...), int64(p.Work), 10)
	some(`,"commit":`, p.Commit)
	return append(b, '}')
}
