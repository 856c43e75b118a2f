package event

import (
	"fmt"

	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

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

// Candidate is a node that the reduce rule considers for a reduce, with its weighted distance.
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

// InputPlaces lists the nodes with replicas of a job's map inputs, map after map. Every map has
// Each nodes; if Each is 0, Counts has the number of nodes of each map. A job with more than 65,536
// such nodes in all has only their number, in Omitted.
type InputPlaces struct {
	Each    int            `json:"each,omitempty"`
	Counts  []int32        `json:"counts,omitempty"`
	Nodes   []model.NodeID `json:"nodes,omitempty"` // owned by the Core, read-only
	Omitted int            `json:"omitted,omitempty"`
}
