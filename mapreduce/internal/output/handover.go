package output

import (
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/internal/attempt"
)

// Handover is what a worker process reports about its successful attempt, so that the Committer of
// the job can commit it. It can be encoded as JSON.
type Handover struct {
	Routes []string `json:"routes,omitempty"` // names of its files for mapreduce.Routed
	// Receipts are what a remote store needs to complete parts, by the name of the attempt's file.
	Receipts map[string]string `json:"receipts,omitempty"`
}

// Handover returns what another process needs to commit this process's successful attempt.
func (c *Committer) Handover(id attempt.ID) (h Handover) {
	c.mu.Lock()
	defer c.mu.Unlock()
	files := []Part{c.Part(id)}
	for _, r := range c.routes[id] {
		h.Routes = append(h.Routes, r.Attempt[len(id.String())+len("~"):])
		files = append(files, r)
	}
	slices.Sort(h.Routes)
	if s, ok := c.Store.(*remoteStore); ok {
		h.Receipts = map[string]string{}
		for _, f := range files {
			h.Receipts[f.Attempt] = s.receiptOf(f.Attempt)
		}
	}
	return h
}

// Take accepts the handover of an attempt in another process, which can then be committed.
func (c *Committer) Take(id attempt.ID, h Handover) error {
	if s, ok := c.Store.(*remoteStore); ok {
		for attempt, receipt := range h.Receipts {
			s.receive(attempt, receipt)
		}
	}
	for _, name := range h.Routes {
		if err := CheckRoute(name); err != nil {
			return err
		}
		c.routed(id, name)
	}
	return nil
}
