package actors

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// shuffle knows where a job's map outputs are. The JobTracker publishes and withdraws;
// the fetchers of reduces read, by plain calls.
type shuffle struct {
	mu      sync.Mutex
	outputs []mapOutput
	log     []int32       // maps in the order of publication; a map that ran again comes again
	news    chan struct{} // closed at the next publication; nil if nobody waits
}

// mapOutput is the output of one map, zero while there is none.
type mapOutput struct {
	out      *cluster.MapOutput
	try      int32
	at       *place
	counters *counter.Set
	totals   totals
}

func newShuffle(maps int) *shuffle { return &shuffle{outputs: make([]mapOutput, maps)} }

// publish makes a map's output known.
func (s *shuffle) publish(m int32, o mapOutput) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.outputs[m] = o
	s.log = append(s.log, m)
	if s.news != nil {
		close(s.news)
		s.news = nil
	}
}

// withdraw forgets, and returns, the output of a map that is to run again.
func (s *shuffle) withdraw(m int32) mapOutput {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.outputs[m]
	s.outputs[m] = mapOutput{}
	return o
}

// after returns the next output published after position pos of the log, the map's
// number and the position behind it. Without one, news is what to wait for.
func (s *shuffle) after(pos int) (o mapOutput, m int32, next int, news <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for ; pos < len(s.log); pos++ {
		if m = s.log[pos]; s.outputs[m].out != nil {
			return s.outputs[m], m, pos + 1, nil
		}
	}
	if s.news == nil {
		s.news = make(chan struct{})
	}
	return mapOutput{}, 0, pos, s.news
}

// output is what is known of one map's output.
func (s *shuffle) output(m int32) mapOutput {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.outputs[m]
}

// fetcher gets the segments of one partition for one reduce attempt.
type fetcher struct {
	a         *attempt
	partition int
	pos       int
	got       []bool  // by map
	tries     []int32 // by map: the attempt whose output it is
	late      []lateFetch
	ready     []int32    // maps whose outputs are known and not fetched, with an emulated network
	rng       *rand.Rand // with an emulated network
	left      int
	records   int64 // in the segments so far
	shuffled  [distances]int64
}

func newFetcher(a *attempt, maps int) *fetcher {
	return &fetcher{a: a, partition: int(a.id.Task.Index), got: make([]bool, maps), tries: make([]int32, maps), left: maps}
}

// next is cluster.ReduceAttempt's Next: it blocks until a segment is there, giving up
// the attempt's turn to compute meanwhile. An output that cannot be fetched is tried again later.
func (f *fetcher) next(ctx context.Context) (cluster.Segment, error) {
	for f.left > 0 {
		if err := f.a.pause(ctx); err != nil {
			return cluster.Segment{}, err
		}
		o, m, news := f.choose()
		if news != nil {
			var wait time.Duration
			if o, m, wait = f.again(); o.out == nil {
				if err := f.a.idle(ctx, news, wait); err != nil {
					return cluster.Segment{}, err
				}
				continue
			}
		}
		if f.got[m] {
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
		f.got[m], f.tries[m] = true, o.try
		f.left--
		f.records += s.Records
		f.shuffled[o.at.distance(f.a.at)] += s.Bytes
		f.a.fetched.Store(int64(len(f.got) - f.left))
		return s, nil
	}
	return cluster.Segment{}, io.EOF
}

// fetch brings a segment to the attempt's node; errFetch says that it can be tried again.
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
