package actors

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/tarry-mr/tarry/mapreduce"
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
		b = appendCounters(append(b, `,"counters":`...), e.Counters)
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

func appendCounters(b []byte, c *mapreduce.Counters) []byte {
	b = append(b, '[')
	next := ""
	for v := range c.All() {
		b = appendText(append(append(b, next...), `{"group":`...), v.Group)
		b = appendText(append(b, `,"name":`...), v.Name)
		b = append(strconv.AppendInt(append(b, `,"value":`...), v.Value, 10), '}')
		next = ","
	}
	return append(b, ']')
}

// appendText appends a string in quotes; what must be escaped is left to package json.
func appendText(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			quoted, _ := json.Marshal(s) // strings can be
			return append(b, quoted...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}
