package eventlog

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"time"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// Trace is a Chrome trace: a row for each slot that was in use at once on a node, a bar for each
// attempt, or one each time that it ran if it was suspended, bars inside it for its phases.
// Perfetto and Chrome's about:tracing show it. It is for one goroutine at a time.
type Trace struct {
	file   *os.File
	buffer *bufio.Writer
	first  bool
	rows   map[int][]scheduling.AttemptID // by node: which attempt holds each row
	open   map[scheduling.AttemptID]traceBar
}

// traceBar is an attempt that has not ended.
type traceBar struct {
	node, row int           // row is -1 while it is suspended
	start     time.Duration // of the bar: the launch, or the last resuming
	resumed   bool
	locality  string
	reason    string
}

// traceEvent is a line of the trace, in microseconds.
type traceEvent struct {
	Name  string         `json:"name"`
	Phase string         `json:"ph"`
	At    float64        `json:"ts"`
	For   float64        `json:"dur,omitempty"`
	Node  int            `json:"pid"`
	Row   int            `json:"tid"`
	Args  map[string]any `json:"args,omitempty"`
}

// CreateTrace makes a file for a trace.
func CreateTrace(name string) (*Trace, error) {
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	t := &Trace{
		file: f, buffer: bufio.NewWriterSize(f, 1<<16), first: true,
		rows: map[int][]scheduling.AttemptID{}, open: map[scheduling.AttemptID]traceBar{},
	}
	_, err = t.buffer.WriteString("[")
	return t, err
}

// Write adds what an event says to the trace.
func (t *Trace) Write(e actors.Event) error {
	node := int(e.Node)
	switch e.Type {
	case event.Joined:
		name := map[string]any{"name": e.NodeName}
		return t.put(traceEvent{Name: "process_name", Phase: "M", Node: node, Args: name})
	case event.Launched:
		t.open[e.Attempt] = traceBar{
			node: node, row: t.takeRow(node, e.Attempt), start: e.At,
			locality: e.Near, reason: e.Reason.String(),
		}
		return nil
	case event.Suspended:
		bar, ok := t.open[e.Attempt]
		if !ok || bar.row < 0 {
			return nil
		}
		err := t.attempt(e, bar)
		t.rows[bar.node][bar.row] = scheduling.AttemptID{}
		bar.row = -1
		t.open[e.Attempt] = bar
		return err
	case event.Resumed:
		bar, ok := t.open[e.Attempt]
		if !ok || bar.row >= 0 {
			return nil
		}
		bar.row, bar.start, bar.resumed = t.takeRow(bar.node, e.Attempt), e.At, true
		t.open[e.Attempt] = bar
		return nil
	case event.Succeeded, event.Failed, event.Killed:
		bar, ok := t.open[e.Attempt]
		if !ok {
			return nil
		}
		delete(t.open, e.Attempt)
		if bar.row < 0 { // suspended: it holds no slot
			return nil
		}
		t.rows[bar.node][bar.row] = scheduling.AttemptID{}
		return t.attempt(e, bar)
	default:
		return nil
	}
}

// takeRow finds a free row on a node.
func (t *Trace) takeRow(node int, a scheduling.AttemptID) int {
	rows := t.rows[node]
	for i, held := range rows {
		if held == (scheduling.AttemptID{}) {
			rows[i] = a
			return i
		}
	}
	t.rows[node] = append(rows, a)
	return len(rows)
}

// attempt writes an attempt's bar and those of its phases.
func (t *Trace) attempt(e actors.Event, bar traceBar) error {
	args := map[string]any{"end": e.Type.String()}
	if bar.locality != "" {
		args["locality"] = bar.locality
	}
	if bar.reason != "" {
		args["reason"] = bar.reason
	}
	if e.Err != "" {
		args["error"] = e.Err
	}
	bars := []traceEvent{{
		Name: e.Attempt.String(), Phase: "X", At: micros(bar.start), For: micros(e.At - bar.start), Args: args,
	}}
	if p := e.Phases; p != nil && !bar.resumed { // phases do not say when it was suspended
		at := p.Start
		phase := func(name string, took time.Duration) {
			if took > 0 {
				bars = append(bars, traceEvent{Name: name, Phase: "X", At: micros(at), For: micros(took)})
				at += took
			}
		}
		phase("wait", p.Wait)
		phase("read", p.Read)
		phase("shuffle", p.Shuffle)
		phase("work", p.Work)
		phase("commit", p.Commit)
	}
	for _, b := range bars {
		b.Node, b.Row = bar.node, bar.row
		if err := t.put(b); err != nil {
			return err
		}
	}
	return nil
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

func (t *Trace) put(e traceEvent) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if !t.first {
		line = append([]byte(",\n"), line...)
	}
	t.first = false
	_, err = t.buffer.Write(line)
	return err
}

// Close finishes the trace.
func (t *Trace) Close() error {
	_, err := t.buffer.WriteString("]\n")
	return errors.Join(err, t.buffer.Flush(), t.file.Close())
}
