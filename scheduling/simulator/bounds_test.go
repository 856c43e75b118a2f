package simulator

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// boundless has the fields of a Config that may have any value of their type. They are a seed,
// bounds themselves, and enumerations.
var boundless = map[string]bool{"Seed": true, "MaxEvents": true, "Drive": true, "Rule": true, "Active": true, "Setup": true, "Grain": true}

// Each number of a Config has bounds: infinities, NaN and the ends of its type are rejected, and
// the error has the value.
func TestEveryNumberHasBounds(t *testing.T) {
	tried := 0
	each(reflect.TypeFor[Config](), nil, func(path []int, field reflect.StructField) {
		for _, v := range extremes(field) {
			cfg := Config{Cluster: Cluster{Nodes: 3}}
			at := reflect.ValueOf(&cfg).Elem().FieldByIndex(path)
			if at.Kind() == reflect.Array {
				at = at.Index(1)
			}
			at.Set(v.Convert(at.Type()))
			err := cfg.Validate()
			require.ErrorIs(t, err, ErrConfig, "%s = %v", field.Name, v)
			require.Less(t, len(err.Error()), 300)
			tried++
		}
	})
	require.Greater(t, tried, 60)
}

// each calls f for every number in a struct type, and in its structs that this package defines.
func each(of reflect.Type, path []int, f func([]int, reflect.StructField)) {
	for i := range of.NumField() {
		field, here := of.Field(i), append(slices.Clip(path), i)
		switch field.Type.Kind() {
		case reflect.Struct:
			if field.Type.PkgPath() == of.PkgPath() {
				each(field.Type, here, f)
			}
		case reflect.Int, reflect.Int64, reflect.Float64, reflect.Array, reflect.Uint8, reflect.Uint64:
			f(here, field)
		default:
		}
	}
}

// extremes returns values that a field of that type must reject.
func extremes(field reflect.StructField) (list []reflect.Value) {
	of := field.Type
	if of.Kind() == reflect.Array {
		of = of.Elem()
	}
	upper := !boundless[field.Name] || field.Name == "Setup" || field.Name == "Grain"
	switch of.Kind() {
	case reflect.Float64:
		for _, x := range []float64{math.NaN(), math.Inf(1), 1e308} {
			list = append(list, reflect.ValueOf(x))
		}
		if field.Name != "MergeRate" { // negative means none
			list = append(list, reflect.ValueOf(-1.0), reflect.ValueOf(math.Inf(-1)))
		} else {
			list = append(list, reflect.ValueOf(1e-300))
		}
	case reflect.Int, reflect.Int64:
		if upper {
			list = append(list, reflect.ValueOf(math.MaxInt))
		}
		if !boundless[field.Name] {
			list = append(list, reflect.ValueOf(-5), reflect.ValueOf(math.MinInt))
		}
	default:
	}
	return list
}

// Numbers that contradict each other are rejected, and small ones if a simulation with them would
// not end.
func TestBadConfig(t *testing.T) {
	require.ErrorIs(t, (&Config{}).Validate(), ErrConfig, "no nodes")
	for name, cfg := range map[string]Config{
		"racks":     {Cluster: Cluster{Racks: 3}},
		"slow":      {Cluster: Cluster{SlowNodes: 2}},
		"uplink":    {Network: Network{Oversubscription: 0.5}},
		"closed":    {Submission: Submission{Rule: Closed}},
		"no node":   {Failures: Failures{Outages: []Outage{{Node: 1}}}},
		"heartbeat": {Interval: 1},
		"update":    {Update: 1},
		"sample":    {Sample: 1},
		"mtbf":      {Failures: Failures{MTBF: 1}},
		"repair":    {Failures: Failures{MTBF: time.Hour, Repair: time.Millisecond}},
		"outage":    {Failures: Failures{Outages: []Outage{{For: 1}}}},
		"read":      {Cluster: Cluster{ReadRate: 1e-9}},
		"link":      {Network: Network{NodeLink: 1e-9}},
	} {
		cfg.Cluster.Nodes = 1
		require.ErrorIs(t, cfg.Validate(), ErrConfig, name)
	}
}

// A configuration within the bounds that would run for years is rejected before it begins, with the
// reason.
func TestEndlessSimulationsAreRefused(t *testing.T) {
	gig := int64(1 << 30)
	for name, c := range map[string]struct {
		cfg  Config
		job  workload.Job
		want string
	}{
		"one byte a second": {
			Config{Cluster: Cluster{Nodes: 2, ReadRate: 1}},
			workload.Job{Maps: 8, InputBytes: gig},
			"a map of job \"j\" takes 37283h0m0s, more than 10000h0m0s: raise the rate",
		},
		"slow link": {
			Config{Cluster: Cluster{Nodes: 2}, Network: Network{Flows: true, NodeLink: 1}},
			workload.Job{Maps: 8, InputBytes: gig},
			"a map of job \"j\" takes 37283h0m0s",
		},
		"heartbeats": {
			Config{Cluster: Cluster{Nodes: 1000}, Interval: time.Millisecond},
			workload.Job{Maps: 1_000_000, Map: workload.Cost{Time: time.Minute}},
			"heartbeats of 1000 nodes each 1ms, is 1.5e+10 events, more than 2e+08: raise the heartbeat interval",
		},
		"updates": {
			Config{Cluster: Cluster{Nodes: 1}, Interval: time.Hour, Update: time.Millisecond},
			workload.Job{Maps: 2_000, Map: workload.Cost{Time: 1000 * time.Hour}},
			"events, more than",
		},
		"failures": {
			Config{Cluster: Cluster{Nodes: 10_000}, Failures: Failures{MTBF: time.Second}},
			workload.Job{Maps: 1, Map: workload.Cost{Time: 100 * time.Hour}},
			"events, more than",
		},
		"samples": {
			Config{Cluster: Cluster{Nodes: 1}, Sample: time.Millisecond},
			workload.Job{Maps: 1, Map: workload.Cost{Time: 100 * time.Hour}},
			"sample less often than each 1ms",
		},
		"years": {
			Config{Cluster: Cluster{Nodes: 1}, Interval: 1000 * time.Hour, Update: 1000 * time.Hour},
			workload.Job{Maps: 1000, Map: workload.Cost{Time: 9000 * time.Hour}},
			"keep all slots busy for 257 years",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.cfg.Policy, c.job.Name = preset(t, "fifo"), "j"
			_, err := Run(t.Context(), c.cfg, &workload.Workload{Jobs: []workload.Job{c.job}})
			require.ErrorIs(t, err, ErrConfig)
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "\n")
		})
	}
}

// A simulation that needs more events than estimated ends with ErrTooLong at MaxEvents. Here tasks
// take longer than nodes live.
func TestMaxEvents(t *testing.T) {
	cfg := Config{
		Cluster: Cluster{Nodes: 3}, Policy: preset(t, "fifo"), MaxEvents: 20_000,
		Failures: Failures{MTBF: 10 * time.Second, Repair: time.Second},
	}
	w := workload.Workload{Jobs: []workload.Job{{Name: "j", Maps: 3, Map: workload.Cost{Time: 10 * time.Minute}}}}
	_, err := Run(t.Context(), cfg, &w)
	require.ErrorIs(t, err, ErrTooLong)
}

// Validate lists the first twenty errors and the number of the others.
func TestManyFaults(t *testing.T) {
	err := (&Config{Failures: Failures{Outages: make([]Outage, 100_000)}}).Validate()
	require.Len(t, strings.Split(err.Error(), "\n"), 21)
}
