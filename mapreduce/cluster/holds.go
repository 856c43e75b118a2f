package cluster

import (
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/internal/input"
	"github.com/tarry-mr/tarry/mapreduce/internal/kept"
)

// Kept are the kept parts that the plan reads.
func (p *Plan) Kept() []*kept.Store { return slices.Clone(p.kept) }

// Hold keeps what the plan reads of kept parts until the job ends; SetupJob does so if nobody has
// before. With revive set it may have been released: its parts are then lost, and to be made again
// before the job reads them. After an error nothing is held.
func (p *Plan) Hold(revive bool) error {
	if p.holds {
		return nil
	}
	for i, k := range p.kept {
		if err := k.Hold(revive); err != nil {
			for _, k := range p.kept[:i] {
				k.LetGo()
			}
			return err
		}
	}
	p.holds = true
	return nil
}

// LetGo gives up a plan that was claimed and does not come to SetupJob: what it holds and its
// files.
func (p *Plan) LetGo() error {
	p.letGo()
	return input.CloseAll(p.job.Sources)
}

// letGo ends Hold.
func (p *Plan) letGo() {
	if !p.holds {
		return
	}
	p.holds = false
	for _, k := range p.kept {
		k.LetGo()
	}
}
