package play

import (
	"context"
	"fmt"
	"strings"

	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/replay"
)

// WhatIf has the figures of a recorded run, of its simulation under the same policy (Again), and of
// one under another policy (Asked). Again shows the error of the simulation.
type WhatIf struct {
	Recorded simulator.Figures `json:"recorded"`
	Again    simulator.Figures `json:"again"`
	Asked    simulator.Figures `json:"asked"`
	Warnings []string          `json:"warnings,omitempty"`
}

// whatIf simulates a recorded run, given as lines of JSON, under the set-up's Policy, Set and
// Weights. An empty Policy is the recorded one. whatIf ignores the set-up's other fields.
func whatIf(text string, s *Setup, events func(event.Event)) (*WhatIf, error) {
	rec, err := recording(text, false)
	if err != nil {
		return nil, err
	}
	policy, err := s.override(rec.Policy)
	if s.Policy != "" {
		policy, err = s.PolicyOf()
	}
	if err != nil {
		return nil, err
	}
	again, err := rec.Run(context.Background(), rec.Policy, nil, nil)
	if err != nil {
		return nil, fmt.Errorf("the recorded policy: %w", err)
	}
	asked, err := rec.Run(context.Background(), policy, nil, events)
	if err != nil {
		return nil, fmt.Errorf("the asked policy: %w", err)
	}
	return &WhatIf{again.Recorded, again.Again, asked.Again, rec.Warnings}, nil
}

// recording reads a recorded run from lines of JSON. With unfinished, its jobs need not have ended.
func recording(text string, unfinished bool) (*replay.Recording, error) {
	r := replay.Reader{Unfinished: unfinished}
	n := 0
	for line := range strings.Lines(text) {
		n++
		if strings.TrimSpace(line) == "" {
			continue
		}
		e, err := replay.Decode([]byte(line))
		if err == nil {
			err = r.Add(e)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	return r.End()
}
