package cluster

import (
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/internal/input"
	"github.com/tarry-mr/tarry/mapreduce/internal/kept"
)

// Kept returns the in-memory outputs of earlier jobs that the plan reads.
func (p *Plan) Kept() []*kept.Store { return slices.Clone(p.kept) }

// Hold keeps the parts that the plan reads in memory until the job ends. SetupJob calls it if the
// caller has not. With revive they may have been released: then they are lost and must be
// recomputed before the job reads them. After an error nothing is held.
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

// LetGo gives up a claimed plan before SetupJob: it releases the kept parts and closes the files.
func (p *Plan) LetGo() error {
	p.letGo()
	return input.CloseAll(p.job.Sources)
}

// letGo undoes Hold: the parts may be released.
func (p *Plan) letGo() {
	if !p.holds {
		return
	}
	p.holds = false
	for _, k := range p.kept {
		k.LetGo()
	}
}
