package cluster

import (
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/internal/input"
	"github.com/tarry-mr/tarry/mapreduce/internal/kept"
)

// Kept returns the datasets of earlier jobs that the plan reads.
func (p *Plan) Kept() []*kept.Store { return slices.Clone(p.kept) }

// Hold prevents the release, until the job ends, of the dataset parts that the plan reads. SetupJob
// calls it if the caller has not. If revive is set, they may be released already: then they are
// lost, and must be recomputed before the job reads them. After an error nothing is held.
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

// LetGo gives up a claimed plan before SetupJob: it undoes Hold and closes the input files.
func (p *Plan) LetGo() error {
	p.letGo()
	return input.CloseAll(p.job.Sources)
}

// letGo undoes Hold, so that the datasets can be released.
func (p *Plan) letGo() {
	if !p.holds {
		return
	}
	p.holds = false
	for _, k := range p.kept {
		k.LetGo()
	}
}
