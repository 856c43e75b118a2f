package play

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/policyfile"
	"github.com/tarry-mr/tarry/scheduling/scenario"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// Request is a question to the playground. Op is the operation:
//
//	run       simulate Setup; its events go to Handle's sink
//	part      simulate Setup and Other, and find the first decision in which they differ
//	scenario  run Text, a scenario that may include Files, by name
//	fork      run Setup, or the recorded run in Text, with and without the wait Fork
//	whatif    simulate Text, the events of a recorded run, under Setup's policy
//	curve     simulate Setup with each D of Skips, and compute the formula's prediction
//	lessons   the lessons, with their set-ups and texts
//	presets   list the presets and the built-in workloads
type Request struct {
	Op    string            `json:"op"`
	Setup Setup             `json:"setup"`
	Other *Setup            `json:"other,omitempty"`
	Text  string            `json:"text,omitempty"`
	Files map[string]string `json:"files,omitempty"`
	Skips []int             `json:"skips,omitempty"`
	Fork  *Fork             `json:"fork,omitempty"`
}

// Answer is the answer to a request; comments name the operations (Request.Op) that set a field. If
// Error is not empty, the request was wrong or failed, and all other fields are empty. Errors in a
// text name its line and column.
type Answer struct {
	Error      string            `json:"error,omitempty"`
	Report     *simulator.Report `json:"report,omitempty"`     // run, part: of Setup
	Against    *simulator.Report `json:"against,omitempty"`    // part: of Other
	Divergence *Divergence       `json:"divergence,omitempty"` // part; nil: the runs decide alike to the end
	Stats      *simulator.Stats  `json:"stats,omitempty"`      // run, part: of Setup
	Output     string            `json:"output,omitempty"`     // scenario: the output of tarry scenario -v
	Code       int               `json:"code,omitempty"`       // scenario: the exit code of the command
	Branch     *Branch           `json:"branch,omitempty"`     // fork
	WhatIf     *WhatIf           `json:"whatif,omitempty"`
	Presets    *Presets          `json:"presets,omitempty"`
	Lessons    []Lesson          `json:"lessons,omitempty"`
	Curve      *Curve            `json:"curve,omitempty"`
	// Chinese (lessons) holds the page's other texts, in English and Chinese.
	Chinese [][2]string `json:"chinese,omitempty"`
	// Quantities (part) holds the numbers that lessons quote, by name.
	Quantities map[string]float64 `json:"quantities,omitempty"`
}

// Presets lists the presets and the built-in workloads.
type Presets struct {
	Policies  map[string]string `json:"policies"` // by name, as policy files
	Order     []string          `json:"order"`    // all policies' names in the order of the page
	Workloads []string          `json:"workloads"`
}

// Sink receives each event of a simulation as a line of JSON with its line feed. If the request
// runs two simulations, such as Setup and Other of part, side is 0 for the first, 1 for the second.
// Sink must not keep line, which Handle reuses.
type Sink func(side int, line []byte)

// Handle returns the Answer, in JSON, to a Request in JSON. It sends events to sink, if that is not
// nil. Errors are in the answer. No request makes Handle panic.
func Handle(request []byte, sink Sink) []byte {
	var r Request
	var a Answer
	if err := decode(request, &r); err != nil {
		a.Error = "not a request: " + err.Error()
	} else if err := answer(&r, &a, sink); err != nil {
		a = Answer{Error: err.Error()}
	}
	out, err := json.Marshal(a)
	if err != nil {
		out, _ = json.Marshal(Answer{Error: err.Error()}) // cannot fail: all fields are texts
	}
	return out
}

// decode decodes JSON without unknown fields.
func decode(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

func answer(r *Request, a *Answer, sink Sink) (err error) {
	switch r.Op {
	case "run":
		res, err := r.Setup.run(nil, tell(sink, 0))
		if err != nil {
			return err
		}
		a.Report, a.Stats = &res.Report, &res.Stats
	case "part":
		if r.Other == nil {
			return fmt.Errorf("part needs two set-ups")
		}
		return part(r, a, sink)
	case "scenario":
		a.Output, a.Code = runScenario(r.Text, r.Files)
	case "fork":
		return fork(r, a, sink)
	case "whatif":
		a.WhatIf, err = whatIf(r.Text, &r.Setup, tell(sink, 1))
		return err
	case "curve":
		a.Curve, err = curve(&r.Setup, r.Skips)
		return err
	case "lessons":
		a.Chinese = chinese()
		a.Lessons, err = lessons()
		return err
	case "presets":
		a.Presets, err = presets()
		return err
	default:
		return fmt.Errorf("unknown op %.40q", r.Op)
	}
	return nil
}

// tell returns a function that sends an event to the sink as a line of JSON, or nil if sink is nil.
func tell(sink Sink, side int) func(event.Event) {
	if sink == nil {
		return nil
	}
	var line []byte
	return func(e event.Event) {
		line = append(e.AppendJSON(line[:0]), '\n')
		sink(side, line)
	}
}

// runScenario runs a scenario and returns the output and exit code of tarry scenario -v.
func runScenario(text string, files map[string]string) (string, int) {
	const name = "scenario"
	var out strings.Builder
	open := func(file string) (io.ReadCloser, error) {
		file = path.Clean(file)
		if file == name {
			return io.NopCloser(strings.NewReader(text)), nil
		}
		if text, ok := files[file]; ok {
			return io.NopCloser(strings.NewReader(text)), nil
		}
		return nil, &fs.PathError{Op: "open", Path: file, Err: fs.ErrNotExist}
	}
	code := scenario.Run(&out, &out, []string{name}, scenario.Options{Verbose: true, Open: open})
	return out.String(), code
}

// presets returns all presets, as policy files, and the names of the built-in workloads.
func presets() (*Presets, error) {
	p := &Presets{Policies: map[string]string{}, Order: scheduling.Presets(), Workloads: workload.Names()}
	for _, name := range p.Order {
		policy, err := policyfile.Preset(name)
		if err != nil {
			return nil, err
		}
		var text strings.Builder
		if err := policyfile.Write(&text, name, &policy); err != nil {
			return nil, err
		}
		p.Policies[name] = text.String()
	}
	return p, nil
}
