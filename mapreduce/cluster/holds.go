package cluster

// Hold prevents the release, until the job ends, of the dataset parts that the plan reads. SetupJob
// calls it if the caller has not. If revive is set, they may be released already: then they are
// lost, and must be recomputed before the job reads them. After an error nothing is held.
func (p *Plan) Hold(revive bool) error {
	if p.holds {
		return nil
	}
	for i, k := range p.job.Kept {
		if err := k.Hold(revive); err != nil {
			for _, k := range p.job.Kept[:i] {
				k.LetGo()
			}
			return err
		}
	}
	p.holds = true
	return nil
}

// letGo undoes Hold, so that the datasets can be released.
func (p *Plan) letGo() {
	if !p.holds {
		return
	}
	p.holds = false
	for _, k := range p.job.Kept {
		k.LetGo()
	}
}
