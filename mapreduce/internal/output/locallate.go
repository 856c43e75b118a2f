package output

import (
	"errors"
	"os"

	"github.com/tarry-mr/tarry/internal/nofollow"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// Late returns d with a directory that the first writing attempt creates, although SetupJob makes
// the same checks. A job that waits for its turn then has no files open. If something else exists
// there by then, the job fails at once with ErrOutputExists. SetupJob still takes over the output
// of a killed run of the same job. Destinations other than local directories are returned
// unchanged.
func (d Destination) Late() Destination {
	if s, ok := d.store.(*localStore); ok {
		s.late = true
	}
	return d
}

// ready creates the directory if Late has postponed that. If too many files are open, another
// attempt may succeed.
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

// unmade reports whether the job ends without a directory; then no late attempt creates one.
func (s *localStore) unmade() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.waits
	s.waits = false
	return was
}

// opened returns the directory of temporary files, or nil if it is not created.
func (s *localStore) opened() *os.Root {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.temp
}
