package scheduling

import (
	"fmt"
	"time"
)

type virtualJob struct{}

// VirtualView is a job's place in the virtual cluster of hfsp, for one kind of its tasks.
type VirtualView struct {
	Left   time.Duration // serialized work left
	Slots  float64       // held
	Finish time.Duration // projected
}

// Virtual asks for a job's place in the virtual cluster.
func (c *Core) Virtual(id JobID, k TaskKind) (VirtualView, error) {
	return VirtualView{}, fmt.Errorf("%w: policy %s has no virtual cluster", ErrBadConfig, c.pol.Name)
}
