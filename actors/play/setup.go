package play

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/policyfile"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/clusterfile"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// Setup describes a simulation. A zero field means the default in brackets.
type Setup struct {
	Workload string `json:"workload"` // name of a built-in one, or the text of a workload file
	Jobs     int    `json:"jobs,omitempty"`
	// Cluster is the text of a cluster file; then the numbers below it have no effect.
	Cluster     string  `json:"cluster,omitempty"`
	Nodes       int     `json:"nodes,omitempty"`        // (10)
	Racks       int     `json:"racks,omitempty"`        // (1)
	MapSlots    int     `json:"map_slots,omitempty"`    // (4)
	ReduceSlots int     `json:"reduce_slots,omitempty"` // (2)
	Flows       bool    `json:"flows,omitempty"`        // transfers share links
	Link        float64 `json:"link,omitempty"`         // with Flows: bytes per second of a node's link (125e6)
	Over        float64 `json:"over,omitempty"`         // with Flows: over-subscription of racks (1)
	Heartbeats  bool    `json:"heartbeats,omitempty"`   // free slots show only at heartbeats
	// Policy is a preset, or the text of a policy file. Set lists settings KEY=VALUE that override
	// those of Policy; Weights overrides the weights of pools, by name.
	Policy  string             `json:"policy"`
	Set     []string           `json:"set,omitempty"`
	Weights map[string]float64 `json:"weights,omitempty"`
	Seed    uint64             `json:"seed,omitempty"` // (1)
	// Most is the maximum number of simulator events (2 million, which a page can still show).
	Most uint64 `json:"most,omitempty"`
}

// maxNodes and maxEvents limit a simulation to what a page can show.
const (
	maxNodes  = 10_000
	maxEvents = 2_000_000
)

// isText reports whether s is the text of a file and not a name: it has a line feed, ":" or "{".
func isText(s string) bool { return strings.ContainsAny(s, "\n:{") }

// workload returns the jobs of a set-up, read from its text or drawn from its seed.
func (s *Setup) workload() (w workload.Workload, err error) {
	r := rand.New(rand.NewPCG(max(s.Seed, 1), 0x7a22)) // the stream of tarry sim
	if isText(s.Workload) {
		w, err = workload.ReadYAML(strings.NewReader(s.Workload), "workload", r)
	} else {
		w, err = workload.Named(s.Workload, r)
	}
	if s.Jobs > 0 && s.Jobs < len(w.Jobs) {
		w.Jobs = w.Jobs[:s.Jobs]
	}
	return w, err
}

// PolicyOf returns the policy of a set-up. Errors in its text name line and column.
func (s *Setup) PolicyOf() (p scheduling.Policy, err error) {
	if isText(s.Policy) {
		f, err := policyfile.Read(strings.NewReader(s.Policy), "policy")
		if err != nil {
			return p, err
		}
		if p, err = f.Policy(); err != nil {
			return p, err
		}
	} else if p, err = policyfile.Preset(s.Policy); err != nil {
		return p, err
	}
	return s.override(p)
}

// override returns p with the settings of Set and the pools' weights of Weights.
func (s *Setup) override(p scheduling.Policy) (scheduling.Policy, error) {
	for _, one := range s.Set {
		key, value, _ := strings.Cut(one, "=")
		f, err := policyfile.Find(key)
		if err == nil {
			err = f.Set(&p, value)
		}
		if err != nil {
			return p, err
		}
	}
	if p.Order == "pools" {
		for _, name := range slices.Sorted(maps.Keys(s.Weights)) {
			if !p.Pools.SetWeight(name, s.Weights[name]) {
				return p, fmt.Errorf("weights: there is no pool %q", name)
			}
		}
	}
	return p, p.Validate()
}

// config returns the simulator's configuration for a set-up.
func (s *Setup) config() (cfg simulator.Config, err error) {
	if cfg.Policy, err = s.PolicyOf(); err != nil {
		return cfg, err
	}
	cfg.Seed, cfg.MaxEvents = max(s.Seed, 1), maxEvents
	if s.Most > 0 {
		cfg.MaxEvents = min(s.Most, maxEvents)
	}
	cfg.Cluster = simulator.Cluster{
		Nodes: cmp.Or(s.Nodes, 10), Racks: cmp.Or(s.Racks, 1), MapSlots: cmp.Or(s.MapSlots, 4), ReduceSlots: cmp.Or(s.ReduceSlots, 2),
	}
	cfg.Network = simulator.Network{Flows: s.Flows, NodeLink: s.Link, Oversubscription: s.Over}
	if s.Heartbeats {
		cfg.Drive = simulator.HeartbeatDrive
	}
	if s.Cluster != "" {
		if err := clusterfile.Read(strings.NewReader(s.Cluster), "cluster", &cfg); err != nil {
			return cfg, err
		}
	}
	if cfg.Cluster.Nodes > maxNodes {
		return cfg, fmt.Errorf("%d nodes, a page shows %d at most", cfg.Cluster.Nodes, maxNodes)
	}
	return cfg, cfg.Validate()
}

// run simulates a set-up. It calls events, unless nil, with each event and its explanation. If fork
// is not nil, the job of fork uses the slot and does not wait.
func (s *Setup) run(fork *scheduling.Fork, events func(event.Event)) (*simulator.Result, error) {
	w, err := s.workload()
	if err != nil {
		return nil, err
	}
	cfg, err := s.config()
	if err != nil {
		return nil, err
	}
	cfg.Core.Events, cfg.Core.Explain, cfg.Core.Fork = events, events != nil, fork
	return simulator.Run(context.Background(), cfg, &w)
}
