package actors

import (
	"sync"

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
