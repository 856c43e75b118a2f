package serve

import (
	"context"
	"sync"
	"testing"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// BenchmarkEventFor200Readers measures what publishing an event costs the JobTracker while 200
// streams read.
func BenchmarkEventFor200Readers(b *testing.B) {
	events := newBroker(1<<12, 200)
	ctx, cancel := context.WithCancel(b.Context())
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() {
			for next := uint64(1); ctx.Err() == nil; {
				list, missed, wait := events.read(next, batchEvents)
				next += missed + uint64(len(list))
				for _, l := range list {
					l.frame("boot")
				}
				if wait != nil {
					select {
					case <-wait:
					case <-ctx.Done():
					}
				}
			}
		})
	}
	e := actors.Event{Event: event.Event{Type: event.Launched, JobID: 1, NodeName: "node-01"}}
	for b.Loop() {
		events.add(e)
	}
	cancel()
	all.Wait()
}
