package output

import (
	"sync"

	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// Metered returns d such that grow is called with the number of bytes, after compression, before
// they are written to an attempt's file, and with a negative number when files of an uncommitted
// attempt have been removed. If grow returns an error, the bytes are not written and the job fails
// with that error. grow must be safe for concurrent use. It is not called for the bytes that
// AbortJob removes.
func (d Destination) Metered(grow func(bytes int64) error) Destination {
	d.meter = &meter{grow: grow, sizes: map[string]int64{}}
	return d
}

// meter calls grow for the bytes of attempts, and counts them until the commit; nil counts nothing.
type meter struct {
	grow func(bytes int64) error

	mu    sync.Mutex
	sizes map[string]int64 // by attempt
}

// add counts n bytes that an attempt is about to write; it returns the error of grow.
func (m *meter) add(p Part, n int64) error {
	if m == nil {
		return nil
	}
	if err := m.grow(n); err != nil {
		return fault.Permanent(err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sizes[p.Attempt] += n
	return nil
}

// end stops counting an attempt. Unless stay is set, it gives back the attempt's bytes by grow.
func (m *meter) end(p Part, stay bool) {
	if m == nil {
		return
	}
	m.mu.Lock()
	n := m.sizes[p.Attempt]
	delete(m.sizes, p.Attempt)
	m.mu.Unlock()
	if n > 0 && !stay {
		_ = m.grow(-n)
	}
}

// keep commits the file of an attempt, and stops metering it.
func (c *Committer) keep(p Part) error {
	err := c.store.Commit(p)
	if err == nil {
		c.meter.end(p, true)
	}
	return err
}

// discard removes the file of an attempt, if there is one, and gives back its metered bytes.
func (c *Committer) discard(p Part) error {
	err := c.store.Discard(p)
	if err == nil {
		c.meter.end(p, false)
	}
	return err
}
