package own

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sync/errgroup"
)

// onFakeClock runs f for each number below n, several at a time, on a fake clock: time advances as
// soon as all goroutines of f wait. A live cluster then takes only its computing time and is never
// late. Only package synctest has such a clock, and only for tests, so each f runs as a separate
// test. ctx ends onFakeClock between two runs, because a run cannot wait for channels of another
// clock.
func onFakeClock(ctx context.Context, n int, f func(ctx context.Context, i int) error) error {
	testing.Init()
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		all.Go(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			var err error
			synctest.Test(new(testing.T), func(t *testing.T) {
				err = f(t.Context(), i)
				synctest.Wait()
				time.Sleep(time.Second) // the actor library's throttle of dead letters
				synctest.Wait()
			})
			return err
		})
	}
	return all.Wait()
}
