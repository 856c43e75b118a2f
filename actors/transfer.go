package actors

import (
	"context"
	"errors"
	"math/rand/v2"
)

// carry holds the attempt for as long as bytes take from a node to the attempt's own on
// the emulated network. Meanwhile others may compute. While the attempt is suspended the
// transfer stands still; errCut says that the sender went down.
func (a *attempt) carry(ctx context.Context, from *place, bytes int64) error {
	if a.env.network == nil || from == a.at {
		return nil
	}
	defer a.rest()()
	for left := float64(bytes); left > 0; {
		if err := a.pause(ctx); err != nil {
			return err
		}
		if from.down.Load() {
			return errCut
		}
		a.releaseCompute()
		var err error
		left, err = a.env.network.carry(ctx, from.id, a.at.id, left, a.gate.shutting())
		if err != nil && !errors.Is(err, errCut) {
			return err
		}
		if late := a.acquireCompute(); late != nil {
			return late
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// choose is the next map whose segment to fetch, or what to wait for: the first one
// published. With an emulated network it is one by lot of all that are there, or all reduces
// would queue at the same nodes.
func (f *fetcher) choose() (o mapOutput, m int32, news <-chan struct{}) {
	known := f.a.run.shuffle
	if f.a.env.network == nil {
		o, m, f.pos, news = known.after(f.pos)
		return o, m, news
	}
	if f.rng == nil {
		f.rng = f.a.newRNG()
	}
	for news == nil {
		if _, m, f.pos, news = known.after(f.pos); news == nil && !f.got[m] {
			f.ready = append(f.ready, m)
		}
	}
	for len(f.ready) > 0 {
		k, last := f.rng.IntN(len(f.ready)), len(f.ready)-1
		m = f.ready[k]
		f.ready[k] = f.ready[last]
		f.ready = f.ready[:last]
		if o = known.output(m); o.out != nil {
			return o, m, nil
		}
	}
	return mapOutput{}, 0, news
}

// fetchSplit holds a map for as long as its split takes from the nearest replica. One
// whose replicas are all down reads at once: the bytes are in this process.
func (a *attempt) fetchSplit(r *report) error {
	if a.env.network == nil {
		return nil
	}
	began, waited := a.env.now(), a.waited
	defer func() { r.phases.Read = a.env.now() - began - (a.waited - waited) }()
	split := &a.run.splits[a.id.Task.Index]
	for {
		from := a.nearest(split.Hosts)
		if from == nil {
			return nil
		}
		if err := a.carry(a.ctx, from, split.Length); !errors.Is(err, errCut) {
			return err
		}
	}
}

// nearest is the nearest of the named nodes that is up, by lot among equals; nil if none
// is.
func (a *attempt) nearest(hosts []string) *place {
	rng := a.newRNG()
	var best *place
	equals := 0
	for _, name := range hosts {
		p := a.env.placeOf(name)
		if p == nil || p.down.Load() {
			continue
		}
		if best == nil || p.distance(a.at) < best.distance(a.at) {
			best, equals = p, 0
		}
		if p.distance(a.at) == best.distance(a.at) {
			equals++
			if rng.IntN(equals) == 0 {
				best = p
			}
		}
	}
	return best
}

// newRNG is a source of choices that depends on the seed and the attempt's name.
func (a *attempt) newRNG() *rand.Rand {
	t := a.id.Task
	return rand.New(rand.NewPCG(a.env.cfg.Seed, uint64(t.Job)<<40^uint64(t.Kind)<<36^uint64(t.Index)<<8^uint64(a.id.Try)))
}
