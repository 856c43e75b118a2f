package actors

import "encoding/json"

// AppendJSON appends the event as [json.Marshal] writes it; see the event of package scheduling.
// Those with phases or counters, one an attempt, are left to package json.
func (e *Event) AppendJSON(b []byte) []byte {
	if e.Phases == nil && e.Counters == nil {
		return e.Event.AppendJSON(b)
	}
	text, err := json.Marshal(e)
	if err != nil {
		panic(err) // no field of an event can fail
	}
	return append(b, text...)
}
