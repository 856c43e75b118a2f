package event

import (
	"encoding/json"
	"math"
	"strconv"

	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// AppendJSON appends the event as [json.Marshal] writes it, but several times faster: a large
// simulation has millions of events.
func (e *Event) AppendJSON(b []byte) []byte {
	b = strconv.AppendInt(append(b, `{"at":`...), int64(e.At), 10)
	b = append(append(append(b, `,"type":"`...), e.Type.String()...), '"')
	b = appendInt(b, `,"job":`, int64(e.JobID))
	if e.Attempt != (model.AttemptID{}) {
		b = append(appendAttempt(append(b, `,"attempt":"`...), e.Attempt), '"')
	}
	b = appendInt(b, `,"kind":`, int64(e.Kind))
	b = strconv.AppendInt(append(b, `,"node":`...), int64(e.Node), 10)
	b = appendString(b, `,"node_name":`, e.NodeName)
	b = appendString(b, `,"rack":`, e.Rack)
	b = appendString(b, `,"locality":`, e.Near)
	if e.Reason != (model.Reason{}) {
		b = appendReason(append(b, `,"reason":`...), e.Reason)
	}
	b = appendInt(b, `,"until":`, int64(e.Until))
	b = appendInt(b, `,"slot":`, int64(e.Slot))
	b = appendString(b, `,"level":`, e.Level)
	b = appendInt(b, `,"count":`, int64(e.Count))
	b = appendInt(b, `,"held":`, int64(e.Held))
	if e.Progress != 0 {
		b = appendFloat(append(b, `,"progress":`...), e.Progress)
	}
	if e.Placed != nil {
		b = appendAny(b, `,"placed":`, e.Placed)
	}
	b = appendString(b, `,"name":`, e.Name)
	b = appendString(b, `,"user":`, e.User)
	b = appendString(b, `,"pool":`, e.Pool)
	b = appendString(b, `,"priority":`, e.Priority)
	b = appendPair(b, `,"slots":`, e.Slots)
	b = appendPair(b, `,"tasks":`, e.Tasks)
	b = appendInt(b, `,"bytes":`, e.Bytes)
	if len(e.Output) > 0 {
		b = appendNumbers(append(b, `,"output":`...), e.Output)
	}
	return e.appendShares(b)
}

// appendShares appends the fields from Places on, and the closing brace.
func (e *Event) appendShares(b []byte) []byte {
	if e.Places != nil {
		b = appendAny(b, `,"places":`, e.Places)
	}
	if e.Gate != 0 {
		b = appendFloat(append(b, `,"slow_start":`...), e.Gate)
	}
	b = appendInt(b, `,"width":`, int64(e.Width))
	if e.Shares != [2]float64{} {
		b = appendFloat(append(b, `,"shares":[`...), e.Shares[model.Map])
		b = append(appendFloat(append(b, ','), e.Shares[model.Reduce]), ']')
	}
	b = appendPair(b, `,"demand":`, e.Demand)
	b = appendPair(b, `,"running":`, e.Running)
	b = appendPair(b, `,"min":`, e.Min)
	b = appendPair(b, `,"max":`, e.Max)
	if e.Virtual != [2]Projected{} {
		b = appendAny(b, `,"virtual":`, e.Virtual)
	}
	b = appendInt(b, `,"need":`, int64(e.Need))
	b = appendString(b, `,"state":`, e.State)
	b = appendString(b, `,"err":`, e.Err)
	if e.Began != nil {
		b = appendAny(b, `,"began":`, e.Began)
	}
	if e.Policy != nil {
		b = appendAny(b, `,"policy":`, e.Policy)
	}
	return append(b, '}')
}

// appendReason appends a reason, which must not be zero.
func appendReason(b []byte, r model.Reason) []byte {
	at := len(b)
	if r.Cause != model.NoCause {
		b = append(append(append(b, `,"cause":"`...), r.Cause.String()...), '"')
	}
	b = appendInt(b, `,"wait":`, int64(r.Wait))
	b = appendInt(b, `,"count":`, int64(r.Count))
	b = appendInt(b, `,"of":`, int64(r.Of))
	b[at] = '{' // replaces the first comma
	return append(b, '}')
}

// appendAttempt appends the text of id.String.
func appendAttempt(b []byte, id model.AttemptID) []byte {
	b = appendPadded(append(b, "job_"...), int32(id.Task.Job), 4)
	b = append(b, '_', "mr"[id.Task.Kind], '_')
	b = appendPadded(b, id.Task.Index, 6)
	return strconv.AppendInt(append(b, '_'), int64(id.Try), 10)
}

// appendPadded appends a non-negative number with leading zeros.
func appendPadded(b []byte, n int32, width int) []byte {
	at := len(b)
	b = strconv.AppendInt(b, int64(n), 10)
	for short := width - (len(b) - at); short > 0; short-- {
		b = append(b, '0')
		copy(b[at+1:], b[at:])
		b[at] = '0'
	}
	return b
}

func appendInt(b []byte, key string, n int64) []byte {
	if n == 0 {
		return b
	}
	return strconv.AppendInt(append(b, key...), n, 10)
}

func appendPair(b []byte, key string, pair [2]int) []byte {
	if pair == [2]int{} {
		return b
	}
	b = strconv.AppendInt(append(append(b, key...), '['), int64(pair[model.Map]), 10)
	return append(strconv.AppendInt(append(b, ','), int64(pair[model.Reduce]), 10), ']')
}

func appendNumbers(b []byte, list []int64) []byte {
	for i, n := range list {
		b = strconv.AppendInt(append(b, "[,"[min(i, 1)]), n, 10)
	}
	return append(b, ']')
}

// appendFloat appends a finite number; others cannot be written in JSON.
func appendFloat(b []byte, f float64) []byte {
	if abs := math.Abs(f); abs >= 1e-6 && abs < 1e21 || f == 0 && !math.Signbit(f) {
		return strconv.AppendFloat(b, f, 'f', -1, 64)
	}
	return appendAny(b, "", f)
}

// appendString appends a string; json.Marshal writes those with special characters.
func appendString(b []byte, key, s string) []byte {
	if s == "" {
		return b
	}
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return appendAny(b, key, s)
		}
	}
	return append(append(append(append(b, key...), '"'), s...), '"')
}

func appendAny(b []byte, key string, v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		text = []byte("null") // a number that JSON cannot express
	}
	return append(append(b, key...), text...)
}
