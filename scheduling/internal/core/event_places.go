package core

import "fmt"

// Placed explains the choice of a reduce's node: the center of gravity of its input, and the
// weighted total network distances of that node and of the chosen one, in byte-hops. Best, Mean and
// Candidates are set only with Config.Explain.
type Placed struct {
	Center     string      `json:"center,omitempty"` // empty while the input is unknown
	AtCenter   int64       `json:"at_center"`
	Here       int64       `json:"here"`
	Best       int64       `json:"best,omitempty"` // minimum of all live nodes
	Mean       int64       `json:"mean,omitempty"` // of all live nodes
	Candidates []Candidate `json:"candidates,omitempty"`
}

// Candidate is a node that the rule remembered for a reduce, and its weighted distance.
type Candidate struct {
	Node string `json:"node"`
	Cost int64  `json:"cost"`
}

// worse returns by how much the chosen node is worse than the center, or "" if it is not worse or
// nothing is known.
func (p *Placed) worse() string {
	switch {
	case p == nil || p.Center == "" || p.Here <= p.AtCenter:
		return ""
	case p.AtCenter == 0:
		return fmt.Sprintf("all of its input is on %s", p.Center)
	}
	return fmt.Sprintf("+%.1f %% over %s", 100*float64(p.Here-p.AtCenter)/float64(p.AtCenter), p.Center)
}

// maxPlaces and maxOutputs limit what events contain of one job: the places of its blocks, and
// the sizes of all its maps' outputs.
const (
	maxPlaces  = 1 << 16
	maxOutputs = 1 << 20
)

// InputPlaces lists the nodes with a job's map inputs, map after map. Every map has Each nodes; if
// Each is 0, Counts has the number of nodes per map. For a job with more than 65,536 places only
// their number is given, in Omitted.
type InputPlaces struct {
	Each    int      `json:"each,omitempty"`
	Counts  []int32  `json:"counts,omitempty"`
	Nodes   []NodeID `json:"nodes,omitempty"` // owned by the Core, read-only
	Omitted int      `json:"omitted,omitempty"`
}

// Tells reports whether events include explanations (Config.Explain).
func (c *Core) Tells() bool { return c.Config.Explain && c.Config.Events != nil }

// inputPlaces returns the Places of EventSubmitted, nil if events include no explanations.
func (c *Core) inputPlaces(p Places) *InputPlaces {
	switch {
	case !c.Tells() || len(p.Nodes) == 0:
		return nil
	case len(p.Nodes) > maxPlaces:
		return &InputPlaces{Omitted: len(p.Nodes)}
	}
	out := &InputPlaces{Each: int(p.Offsets[1]), Nodes: p.Nodes}
	for m := range p.Offsets[1:] {
		if int(p.Offsets[m+1]-p.Offsets[m]) != out.Each {
			out.Each = 0
		}
	}
	if out.Each == 0 {
		for m := range p.Offsets[1:] {
			out.Counts = append(out.Counts, p.Offsets[m+1]-p.Offsets[m])
		}
	}
	return out
}

// outputTold returns the Bytes and Output of a map's EventSucceeded: the sum and, unless the job is
// huge, the sizes by reduce.
func (c *Core) outputTold(j *Job, bytes []int64) (sum int64, parts []int64) {
	for _, b := range bytes {
		sum += b
	}
	if c.Tells() && j.Spec.Maps*j.Spec.Reduces <= maxOutputs {
		parts = bytes
	}
	return sum, parts
}
