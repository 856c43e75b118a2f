package delaymath

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Setup describes a job and its cluster for the analysis. Either SlotRate or both SlotsPerNode and
// TaskTime must be given.
type Setup struct {
	Tasks        int           // N: maps of the job, 1 or more
	Nodes        int           // M, 1 or more
	Replication  int           // R, 1 to Nodes
	SlotsPerNode int           // L, map slots per node; 0 if unknown
	TaskTime     time.Duration // T, mean length of a map task on this cluster; 0 if unknown
	SlotRate     float64       // map slots that become free per second under load; 0 means S/T
	Racks        Racks         // zero: only one level of locality
}

// Plan is a pair of waits, for a node and then for a rack, and the expected locality with them.
type Plan struct {
	D1, D2        float64       // slot offers to refuse for a node, then for a rack; integers if chosen by ForLocality
	W1, W2        time.Duration // D1 and D2 as times
	Rate          float64       // slots per second, for the conversion
	Locality      float64       // ExpectedLocality for D1
	LocalityBound float64       // LocalityBound for D1, which Equation 2 solves
	WithinRack    float64       // fraction of the tasks that run at least rack-local; NaN without racks
	MeanSkips     float64       // mean number of offers refused before a launch, for D1 rounded down
	MeanWait      time.Duration // MeanSkips as a time
}

// Validate returns everything that is wrong with the numbers, one error per number, joined.
func (s Setup) Validate() error {
	var errs []error
	bad := func(wrong bool, format string, args ...any) {
		if wrong {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	bad(s.Tasks < 1, "tasks must be 1 or more, not %d", s.Tasks)
	bad(s.Nodes < 1, "nodes must be 1 or more, not %d", s.Nodes)
	bad(s.Replication < 1, "replication must be 1 or more, not %d", s.Replication)
	bad(s.Nodes >= 1 && s.Replication > s.Nodes, "replication %d needs as many nodes, there are %d", s.Replication, s.Nodes)
	bad(s.SlotsPerNode < 0, "slots per node must not be negative, as %d is", s.SlotsPerNode)
	bad(s.TaskTime < 0, "task time must not be negative, as %v is", s.TaskTime)
	bad(s.SlotRate != 0 && !isRate(s.SlotRate), "slot rate must be a positive number of slots per second, not %v", s.SlotRate)
	bad(s.SlotRate == 0 && (s.SlotsPerNode == 0 || s.TaskTime == 0),
		"either the slot rate, or slots per node and task time must be given")
	if s.Racks != (Racks{}) {
		bad(s.Racks.Count < 1, "racks must be 1 or more, not %d", s.Racks.Count)
		bad(s.Nodes >= 1 && s.Racks.Count > s.Nodes, "there are more racks (%d) than nodes (%d)", s.Racks.Count, s.Nodes)
		bad(s.Racks.Count >= 1 && !s.Racks.valid(), "racks per block must be 1 to %d, not %d", s.Racks.Count, s.Racks.PerBlock)
	}
	return errors.Join(errs...)
}

// rate returns SlotRate or, if it is 0, the rate that slots and task time yield.
func (s Setup) rate() float64 {
	if s.SlotRate != 0 {
		return s.SlotRate
	}
	return Rate(s.SlotsPerNode*s.Nodes, s.TaskTime)
}

// ForLocality returns a plan with which the fraction `node` of the tasks (0 to below 1) is expected
// to run node-local, by Equation 2. With racks, the fraction `rack` (0 to below 1) is expected to
// run at least rack-local. Without racks, `rack` is ignored.
func (s Setup) ForLocality(node, rack float64) (Plan, error) {
	errs := []error{s.Validate()}
	if !(node >= 0 && node < 1) {
		errs = append(errs, fmt.Errorf("locality must be from 0 to below 1, not %v: no finite wait makes every task local", node))
	}
	if s.Racks != (Racks{}) && !(rack >= 0 && rack < 1) {
		errs = append(errs, fmt.Errorf("rack locality must be from 0 to below 1, not %v", rack))
	}
	if err := errors.Join(errs...); err != nil {
		return Plan{}, err
	}
	d1 := float64(Skips(node, s.Tasks, s.Nodes, s.Replication))
	d2 := 0.0
	if s.Racks != (Racks{}) {
		d2 = float64(s.Racks.LeastSkips(rack, d1, s.Tasks, s.Nodes, s.Replication))
	}
	p := s.plan(d1, d2)
	p.W1, p.W2 = Wait(d1, p.Rate), Wait(d2, p.Rate)
	return p, nil
}

// ForWaits returns the plan with waits of w1 for a node and then w2 for a rack (each 0 or more; w2
// must be 0 without racks).
func (s Setup) ForWaits(w1, w2 time.Duration) (Plan, error) {
	errs := []error{s.Validate()}
	for _, w := range []time.Duration{w1, w2} {
		if w < 0 {
			errs = append(errs, fmt.Errorf("a wait must not be negative, as %v is", w))
		}
	}
	if w2 != 0 && s.Racks == (Racks{}) {
		errs = append(errs, errors.New("a wait for racks needs the number of racks"))
	}
	if err := errors.Join(errs...); err != nil {
		return Plan{}, err
	}
	rate := s.rate()
	p := s.plan(Offers(w1, rate), Offers(w2, rate))
	p.W1, p.W2 = w1, w2
	return p, nil
}

// plan returns the effects of refusing d1 and then d2 offers; W1 and W2 are still 0.
func (s Setup) plan(d1, d2 float64) Plan {
	n, m, r := s.Tasks, s.Nodes, s.Replication
	whole := int(min(d1, 1<<62))
	p := Plan{
		D1: d1, D2: d2, Rate: s.rate(),
		Locality:      ExpectedLocality(d1, n, m, r),
		LocalityBound: LocalityBound(d1, n, m, r),
		WithinRack:    math.NaN(),
		MeanSkips:     MeanSkips(whole, n, m, r),
	}
	if s.Racks != (Racks{}) {
		p.WithinRack = s.Racks.WithinRack(d1, d2, n, m, r)
	}
	p.MeanWait = Wait(p.MeanSkips, p.Rate)
	return p
}
