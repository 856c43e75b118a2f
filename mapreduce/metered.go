package mapreduce

import (
	"io"
	"sync"
)

// Metered returns d such that grow is called with the number of bytes, compressed if they are, before
// they are written to a file of an attempt, and with a negative number when those of an attempt that is
// not committed have been removed. If grow returns an error they are not written, and the job fails with
// that error. grow must be safe for concurrent use. It is not told of the bytes that AbortJob removes.
func (d Destination) Metered(grow func(bytes int64) error) Destination {
	d.meter = &meter{grow: grow, sizes: map[string]int64{}}
	return d
}

// meter counts the bytes of attempts that are not committed; a nil one counts nothing.
type meter struct {
	grow func(bytes int64) error

	mu    sync.Mutex
	sizes map[string]int64 // by attempt
}

// add counts bytes of an attempt.
func (m *meter) add(p part, n int64) error {
	if m == nil {
		return nil
	}
	if err := m.grow(n); err != nil {
		return Permanent(err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sizes[p.attempt] += n
	return nil
}

// end forgets an attempt, whose bytes stay or are gone.
func (m *meter) end(p part, stay bool) {
	if m == nil {
		return
	}
	m.mu.Lock()
	n := m.sizes[p.attempt]
	delete(m.sizes, p.attempt)
	m.mu.Unlock()
	if n > 0 && !stay {
		_ = m.grow(-n)
	}
}

// meteredFile is a file of an attempt that is counted.
type meteredFile struct {
	io.WriteCloser
	meter *meter
	part  part
}

// Write implements io.Writer.
func (f meteredFile) Write(b []byte) (int, error) {
	if err := f.meter.add(f.part, int64(len(b))); err != nil {
		return 0, err
	}
	return f.WriteCloser.Write(b)
}

// create makes the file of an attempt in the store.
func (c *committer) create(p part) (io.WriteCloser, error) {
	f, err := c.store.create(p)
	return c.metered(p, f, err)
}

func (c *committer) metered(p part, f io.WriteCloser, err error) (io.WriteCloser, error) {
	if err != nil || c.meter == nil {
		return f, err
	}
	return meteredFile{f, c.meter, p}, nil
}

// keep makes the file of an attempt visible.
func (c *committer) keep(p part) error {
	err := c.store.commit(p)
	if err == nil {
		c.meter.end(p, true)
	}
	return err
}

// discard removes the file of an attempt, if there is one.
func (c *committer) discard(p part) error {
	err := c.store.discard(p)
	if err == nil {
		c.meter.end(p, false)
	}
	return err
}
