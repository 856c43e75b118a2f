package eventlog

import (
	"encoding"
	"math"
	"strconv"
	"time"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/scheduling"
)

// decodeFast reads an event in the form that AppendJSON gives it, some times as fast as json.Unmarshal
// and with the same result. It gives up, and the event must not be used, at whatever is out of the
// ordinary: other fields, spaces, letters that are escaped or no ASCII. Texts says which strings were
// there before, as nodes, pools and users come again and again.
func decodeFast(line []byte, e *actors.Event, texts map[string]string) bool {
	f := fast{b: line, texts: texts, ok: true}
	f.expect('{')
	for f.ok {
		f.field(e, f.key())
		if !f.more() {
			break
		}
	}
	f.expect('}')
	return f.ok && len(f.b) == 0
}

// fast is the rest of a line; ok until something is out of the ordinary.
type fast struct {
	b     []byte
	texts map[string]string
	ok    bool
}

// field reads the value of a field.
func (f *fast) field(e *actors.Event, key []byte) {
	switch string(key) {
	case "at":
		e.At = time.Duration(f.integer(math.MinInt64, math.MaxInt64))
	case "type":
		f.named(&e.Type)
	case "job":
		whole(f, &e.JobID, math.MaxInt32)
	case "attempt":
		f.named(&e.Attempt)
	case "kind":
		whole(f, &e.Kind, 1)
	case "node":
		e.Node = scheduling.NodeID(f.integer(-1, math.MaxInt32))
	case "reason":
		f.reason(e)
	case "until":
		whole(f, &e.Until, math.MaxInt64)
	case "slot":
		whole(f, &e.Slot, math.MaxInt32)
	case "count":
		whole(f, &e.Count, math.MaxInt32)
	case "held":
		whole(f, &e.Held, math.MaxInt64)
	case "progress":
		e.Progress = f.number()
	case "bytes":
		whole(f, &e.Bytes, math.MaxInt64)
	case "need":
		whole(f, &e.Need, math.MaxInt32)
	case "slow_start":
		e.Gate = f.number()
	case "width":
		whole(f, &e.Width, math.MaxInt32)
	default:
		f.standing(e, key)
	}
}

// standing reads texts and pairs.
func (f *fast) standing(e *actors.Event, key []byte) {
	switch string(key) {
	case "node_name":
		e.NodeName = f.text()
	case "rack":
		e.Rack = f.text()
	case "locality":
		e.Near = f.text()
	case "level":
		e.Level = f.text()
	case "name":
		e.Name = f.text()
	case "user":
		e.User = f.text()
	case "pool":
		e.Pool = f.text()
	case "priority":
		e.Priority = f.text()
	case "state":
		e.State = f.text()
	case "slots":
		f.pair(&e.Slots)
	case "tasks":
		f.pair(&e.Tasks)
	case "demand":
		f.pair(&e.Demand)
	case "running":
		f.pair(&e.Running)
	case "min":
		f.pair(&e.Min)
	case "max":
		f.pair(&e.Max)
	case "shares":
		f.expect('[')
		e.Shares[0] = f.number()
		f.expect(',')
		e.Shares[1] = f.number()
		f.expect(']')
	default:
		f.live(e, key)
	}
}

// reason reads why.
func (f *fast) reason(e *actors.Event) {
	f.expect('{')
	for f.ok {
		switch string(f.key()) {
		case "cause":
			f.named(&e.Reason.Cause)
		case "wait":
			whole(f, &e.Reason.Wait, math.MaxInt64)
		case "count":
			whole(f, &e.Reason.Count, math.MaxInt32)
		case "of":
			whole(f, &e.Reason.Of, math.MaxInt32)
		default:
			f.ok = false
		}
		if !f.more() {
			break
		}
	}
	f.expect('}')
}

// expect reads one letter.
func (f *fast) expect(c byte) {
	if f.ok = f.ok && len(f.b) > 0 && f.b[0] == c; f.ok {
		f.b = f.b[1:]
	}
}

// more reads a comma, if one is there.
func (f *fast) more() bool {
	if !f.ok || len(f.b) == 0 || f.b[0] != ',' {
		return false
	}
	f.b = f.b[1:]
	return true
}

// key reads the name of a field with its colon.
func (f *fast) key() []byte {
	key := f.raw()
	f.expect(':')
	return key
}

// raw reads a string without anything in it that needs care.
func (f *fast) raw() []byte {
	f.expect('"')
	for i, c := range f.b {
		switch {
		case !f.ok || c < ' ' || c > '~' || c == '\\':
			f.ok = false
			return nil
		case c == '"':
			text := f.b[:i]
			f.b = f.b[i+1:]
			return text
		}
	}
	f.ok = false
	return nil
}

// mostTexts bounds how many strings are remembered.
const mostTexts = 10_000

func (f *fast) text() string {
	raw := f.raw()
	if s, known := f.texts[string(raw)]; known {
		return s
	}
	s := string(raw)
	if len(f.texts) < mostTexts {
		f.texts[s] = s
	}
	return s
}

// named reads what has a form as text.
func (f *fast) named(to encoding.TextUnmarshaler) {
	raw := f.raw()
	f.ok = f.ok && to.UnmarshalText(raw) == nil
}

// whole reads a whole number that is not negative.
func whole[T ~int | ~uint8 | ~int32 | ~int64](f *fast, to *T, most int64) {
	*to = T(f.integer(0, most))
}

// integer reads a whole number as JSON has it.
func (f *fast) integer(least, most int64) int64 {
	n := 0
	if n < len(f.b) && f.b[n] == '-' {
		n++
	}
	from := n
	for n < len(f.b) && f.b[n] >= '0' && f.b[n] <= '9' {
		n++
	}
	if !f.ok || n == from || f.b[from] == '0' && n > from+1 {
		f.ok = false
		return 0
	}
	x, err := strconv.ParseInt(string(f.b[:n]), 10, 64)
	f.b = f.b[n:]
	f.ok = err == nil && x >= least && x <= most
	return x
}

// number reads a number without an exponent.
func (f *fast) number() float64 {
	start := f.b
	f.integer(math.MinInt64, math.MaxInt64)
	if !f.ok || len(f.b) == 0 || f.b[0] != '.' {
		x, err := strconv.ParseFloat(string(start[:len(start)-len(f.b)]), 64)
		f.ok = f.ok && err == nil && (len(f.b) == 0 || f.b[0] != 'e' && f.b[0] != 'E')
		return x
	}
	n := 1
	for n < len(f.b) && f.b[n] >= '0' && f.b[n] <= '9' {
		n++
	}
	f.b = f.b[n:]
	x, err := strconv.ParseFloat(string(start[:len(start)-len(f.b)]), 64)
	f.ok = n > 1 && err == nil && (len(f.b) == 0 || f.b[0] != 'e' && f.b[0] != 'E')
	return x
}

// pair reads two whole numbers, of maps and of reduces.
func (f *fast) pair(to *[2]int) {
	f.expect('[')
	to[0] = int(f.integer(-1, math.MaxInt32))
	f.expect(',')
	to[1] = int(f.integer(-1, math.MaxInt32))
	f.expect(']')
}
