package mapreduce

import (
	"encoding/json"
	"strconv"
	"sync"
)

// measured yields the engine counters that [Counters.All] has, in its order, which is theirs.
func (c *Counters) measured(yield func(Counter, int64) bool) {
	var live [counterCount]bool // by the first counter of a group
	first := firstOfGroup()
	for i, n := range c.framework {
		live[first[i]] = live[first[i]] || n != 0
	}
	for i, n := range c.framework {
		if c.counted[i] && live[first[i]] && !yield(Counter(i), n) {
			return
		}
	}
}

// firstOfGroup is the first counter of the group of each.
var firstOfGroup = sync.OnceValue(func() (first [counterCount]Counter) {
	for i := range counterCount {
		for first[i] = 0; first[i].Group() != i.Group(); first[i]++ {
		}
	}
	return first
})

// AppendJSON appends what MarshalJSON writes: a live cluster tells the counters of each attempt.
func (c *Counters) AppendJSON(b []byte) []byte {
	b = append(b, '[')
	next := ""
	if len(c.users) > 0 {
		for v := range c.All() {
			b = appendQuoted(append(append(b, next...), `{"group":`...), v.Group)
			b = appendQuoted(append(b, `,"name":`...), v.Name)
			b = append(strconv.AppendInt(append(b, `,"value":`...), v.Value, 10), '}')
			next = ","
		}
		return append(b, ']')
	}
	beginnings := counterJSON()
	for id, n := range c.measured {
		b = append(append(b, next...), beginnings[id]...)
		b = append(strconv.AppendInt(b, n, 10), '}')
		next = ","
	}
	return append(b, ']')
}

// counterJSON is an engine counter as JSON, up to its value.
var counterJSON = sync.OnceValue(func() (list [counterCount]string) {
	for id := range counterCount {
		b := appendQuoted([]byte(`{"group":`), id.Group())
		b = appendQuoted(append(b, `,"name":`...), id.String())
		list[id] = string(append(b, `,"value":`...))
	}
	return list
})

// MarshalJSON writes the list of [Counters.All].
func (c *Counters) MarshalJSON() ([]byte, error) {
	return c.AppendJSON(nil), nil
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (c *Counters) UnmarshalJSON(b []byte) error {
	var list []CounterValue
	if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	*c = Counters{}
	for _, v := range list {
		c.AddNamed(v.Group, v.Name, v.Value)
	}
	return nil
}

// appendQuoted appends a string in quotes; what must be escaped is left to package json.
func appendQuoted(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			quoted, _ := json.Marshal(s) // strings can be
			return append(b, quoted...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}
