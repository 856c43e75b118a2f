package actors

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/scheduling"
)

// fetcher fetches the segments of one partition for one reduce attempt.
type fetcher struct {
	a             *attempt
	partition     int
	nextOutput    int              // index in the shuffle's list of published outputs: the next to look at
	isFetched     []bool           // indexed by map
	fetchedTry    []int32          // indexed by map: the attempt whose output was fetched
	retries       []fetchRetry     // outputs to retry
	candidates    []int32          // maps with published outputs, to choose from
	rng           *rand.Rand       // with an emulated network: chooses among them
	remaining     int              // number of segments that are not fetched yet
	records       int64            // number of records in the segments fetched so far
	shuffledBytes [distances]int64 // bytes fetched, by distance of their node
}

func newFetcher(a *attempt, maps int) *fetcher {
	f := &fetcher{a: a, partition: int(a.id.Task.Index), isFetched: make([]bool, maps), fetchedTry: make([]int32, maps), remaining: maps}
	if a.env.network != nil {
		f.rng = a.newRNG()
	}
	return f
}

// next implements cluster.ReduceAttempt.Next. It blocks until a segment is available and lets other
// attempts compute meanwhile. It retries outputs that cannot be fetched.
func (f *fetcher) next(ctx context.Context) (cluster.Segment, error) {
	for f.remaining > 0 {
		if err := f.a.pause(ctx); err != nil {
			return cluster.Segment{}, err
		}
		o, m, news := f.choose()
		if news != nil {
			var wait time.Duration
			if o, m, wait = f.dueRetry(); o.out == nil {
				if err := f.a.idle(ctx, news, wait); err != nil {
					return cluster.Segment{}, err
				}
				continue
			}
		}
		if f.isFetched[m] {
			continue
		}
		s := o.out.Segment(f.partition)
		err := f.fetch(ctx, m, o, s.Bytes)
		if errors.Is(err, errFetch) {
			f.failed(m, o.try)
			continue
		}
		if err != nil {
			return cluster.Segment{}, err
		}
		f.isFetched[m], f.fetchedTry[m] = true, o.try
		f.remaining--
		f.records += s.Records
		f.shuffledBytes[o.at.distance(f.a.at)] += s.Bytes
		f.a.fetched.Store(int64(len(f.isFetched) - f.remaining))
		return s, nil
	}
	return cluster.Segment{}, io.EOF
}

// fetch brings a segment of map m to the attempt's node. It returns errFetch if a retry may help.
func (f *fetcher) fetch(ctx context.Context, m int32, o mapOutput, bytes int64) error {
	err := f.a.carry(ctx, o.at, bytes)
	if fail := f.a.env.cfg.fetch; err == nil && fail != nil {
		err = fail(f.a.id, m, o.try)
	}
	if errors.Is(err, errCut) || err == nil && o.at.down.Load() {
		return errFetch
	}
	return err
}

// errFetch is the error of a fetch that failed because the node is down or the transfer was cut.
var errFetch = errors.New("actors: the map output cannot be fetched")

// A failed fetch is retried after a second, then after twice as long each time, at most 10 seconds.
// The third and each later failure is reported to the Core, which decides whether the map runs
// again. Hadoop's reduces do the same with a back-off of minutes.
const (
	firstBackoff   = time.Second
	longestBackoff = 10 * time.Second
	reportedFrom   = 3
)

// fetchRetry is a map output whose fetch has failed and that the attempt will fetch again.
type fetchRetry struct {
	m, try int32
	times  int           // number of failures
	due    time.Duration // time of the next retry
}

// failed schedules a retry of an output, and reports the failure from the third on.
func (f *fetcher) failed(m, try int32) {
	retry := fetchRetry{m: m, try: try}
	if i := slices.IndexFunc(f.retries, func(l fetchRetry) bool { return l.m == m && l.try == try }); i >= 0 {
		retry = f.retries[i]
		f.retries = slices.Delete(f.retries, i, i+1)
	}
	retry.times++
	retry.due = f.a.env.now() + min(firstBackoff<<min(retry.times-1, 10), longestBackoff)
	f.retries = append(f.retries, retry)
	if retry.times >= reportedFrom {
		lost := scheduling.LostOutput{Map: m, Try: try, Unreachable: true}
		f.a.tell(&fetchFailed{attempt: f.a.id, lost: lost})
	}
}

// dueRetry returns a failed output whose retry is due. If none is due, it returns the time until
// the next one, or 0 if there is none. Outputs recomputed by a rerun map arrive through the shuffle
// instead.
func (f *fetcher) dueRetry() (o mapOutput, m int32, wait time.Duration) {
	f.retries = slices.DeleteFunc(f.retries, func(l fetchRetry) bool {
		o := f.a.run.shuffle.output(l.m)
		return f.isFetched[l.m] || o.out == nil || o.try != l.try
	})
	if len(f.retries) == 0 {
		return mapOutput{}, 0, 0
	}
	next := slices.MinFunc(f.retries, func(a, b fetchRetry) int { return cmp.Compare(a.due, b.due) })
	if wait = next.due - f.a.env.now(); wait > 0 {
		return mapOutput{}, 0, wait
	}
	return f.a.run.shuffle.output(next.m), next.m, 0
}

// carry blocks for as long as the emulated network takes to bring bytes from a node to the
// attempt's node. Other attempts may compute meanwhile, and a suspended attempt's transfer stops.
// It returns errCut if the sender went down.
func (a *attempt) carry(ctx context.Context, from *place, bytes int64) error {
	if a.env.network == nil || from == a.at {
		return nil
	}
	defer a.rest()()
	for left := float64(bytes); left > 0; {
		if err := a.pause(ctx); err != nil {
			return err
		}
		shut, shuts := a.gate.look()
		switch {
		case shut:
			continue
		case from.down.Load():
			return errCut
		}
		a.releaseCompute()
		var err error
		left, err = a.env.network.carry(ctx, from.id, a.at.id, left, shuts)
		if err == nil || errors.Is(err, errCut) {
			err = cmp.Or(a.acquireCompute(), err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// choose returns the next map output to fetch, the first published, or, if all known outputs were
// chosen, a channel news that is closed when another output is published. With an emulated network
// it chooses at random among the known outputs, so that reduces do not all queue at the same nodes.
func (f *fetcher) choose() (o mapOutput, m int32, news <-chan struct{}) {
	known := f.a.run.shuffle
	for news == nil {
		if m, f.nextOutput, news = known.after(f.nextOutput); news == nil && !f.isFetched[m] {
			f.candidates = append(f.candidates, m)
		}
	}
	for len(f.candidates) > 0 {
		k := 0
		if f.rng != nil {
			k = f.rng.IntN(len(f.candidates))
		}
		m, f.candidates[k] = f.candidates[k], f.candidates[0]
		f.candidates = f.candidates[1:]
		if o = known.output(m); o.out != nil {
			return o, m, nil
		}
	}
	return mapOutput{}, 0, news
}

// fetchSplit delays a map for as long as its split takes from the nearest replica. If all replicas
// are down the map reads at once, since the bytes are in this process.
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

// nearest returns the nearest of the named nodes that is up, at random among equals, or nil if all
// are down.
func (a *attempt) nearest(hosts []string) *place {
	var up []*place
	for _, name := range hosts {
		if p := a.env.placeOf(name); p != nil && !p.down.Load() {
			up = append(up, p)
		}
	}
	if len(up) == 0 {
		return nil
	}
	a.newRNG().Shuffle(len(up), func(i, k int) { up[i], up[k] = up[k], up[i] })
	return slices.MinFunc(up, func(p, q *place) int { return p.distance(a.at) - q.distance(a.at) })
}

// newRNG returns a random source seeded by the cluster's seed and the attempt's ID.
func (a *attempt) newRNG() *rand.Rand {
	t := a.id.Task
	return rand.New(rand.NewPCG(a.env.cfg.Seed, uint64(t.Job)<<40^uint64(t.Kind)<<36^uint64(t.Index)<<8^uint64(a.id.Try)))
}

// blame decides whether an attempt's failure counts against its task. Damaged spill files do not
// count, for a limited number of times per task: the maps with damaged output and the attempt run
// again. A disk that damages every spill fails the job in the end.
func (a *attempt) blame(r *report, err error) {
	if errors.Is(err, errInjected) {
		r.status.Blameless = true
	}
	if !errors.Is(err, cluster.ErrDamagedSpill) {
		return
	}
	var d *cluster.DamagedOutputError
	if errors.As(err, &d) && a.fetcher != nil {
		for _, m := range d.Maps {
			r.status.Lost = append(r.status.Lost, scheduling.LostOutput{Map: int32(m), Try: a.fetcher.fetchedTry[m]})
		}
	}
	r.status.Blameless = a.run.forgives(a.id.Task)
	a.env.cfg.Logger.Warn("a spill is damaged", "attempt", a.id, "err", err)
}

// forgives counts one more attempt at t that a damaged spill ended, and reports whether it still
// does not count against the task.
func (r *run) forgives(t scheduling.TaskID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	h := r.historyOf(t)
	h.damaged++
	return h.damaged <= r.env.cfg.MaxAttempts
}
