package actors

import (
	"sync"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// shuffle records where a job's map outputs are. The JobTracker publishes and withdraws outputs;
// the fetchers of reduces read by plain calls.
type shuffle struct {
	mu      sync.Mutex
	outputs []mapOutput
	log     []int32       // maps in order of publication; a rerun map appears again
	news    chan struct{} // closed at the next publication; nil if nobody waits
}

// mapOutput is the output of one map; zero while it does not exist.
type mapOutput struct {
	out      *cluster.MapOutput
	try      int32
	at       *place
	counters *counter.Set
	totals   totals
}

func newShuffle(maps int) *shuffle { return &shuffle{outputs: make([]mapOutput, maps)} }

// publish makes a map's output known to the fetchers and wakes waiting ones.
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

// withdraw removes and returns the output of a map that must run again.
func (s *shuffle) withdraw(m int32) mapOutput {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.outputs[m]
	s.outputs[m] = mapOutput{}
	return o
}

// after returns the map of the next output published at or after position pos of the log, and the
// position after it. If there is none, it returns a channel that is closed at the next publication.
func (s *shuffle) after(pos int) (m int32, next int, news <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for ; pos < len(s.log); pos++ {
		if m = s.log[pos]; s.outputs[m].out != nil {
			return m, pos + 1, nil
		}
	}
	if s.news == nil {
		s.news = make(chan struct{})
	}
	return 0, pos, s.news
}

// output returns the published output of one map; zero if there is none.
func (s *shuffle) output(m int32) mapOutput {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.outputs[m]
}
