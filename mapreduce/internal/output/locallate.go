package output

import (
	"errors"
	"os"
	"sync"

	"github.com/tarry-mr/tarry/internal/nofollow"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// Late returns d such that SetupJob refuses what it would refuse, but leaves the directory to be made by
// the first attempt that writes: a job that waits its turn then has no files open. If somebody else has
// made something in its place by then, the job fails at once with ErrOutputExists. What a killed run of
// the same job has left is taken over by SetupJob, as ever. Destinations other than directories of this
// machine are as before.
func (d Destination) Late() Destination {
	if s, ok := d.store.(*localStore); ok {
		s.late = true
	}
	return d
}

// lateness is what a localStore knows of a directory that is made when it is needed.
type lateness struct {
	late bool // wanted

	mu    sync.Mutex // held while the directory is made
	waits bool       // it is not made yet
}

// ready has the directory made, if that was put off. Where the files that a process may open do not
// suffice another attempt may have more luck.
func (s *localStore) ready() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.waits {
		return nil
	}
	err := s.make()
	if errors.Is(err, ErrOutputExists) || errors.Is(err, nofollow.ErrLink) {
		return fault.Permanent(err)
	}
	s.waits = err != nil
	return err
}

// unmade tells whether the job ends before its directory was made, which from now on nobody does.
func (s *localStore) unmade() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.waits
	s.waits = false
	return was
}

// opened is the directory of temporary files; nil while it is not made.
func (s *localStore) opened() *os.Root {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.temp
}
