package own

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// onFakeClock runs f for each number below n, several at a time, on a fake clock: time advances as
// soon as all goroutines of f wait. A live cluster then takes only its computing time and is never
// late. Only package synctest has such a clock, and only for tests, so each f runs as a separate
// test. ctx ends onFakeClock between two runs, because a run cannot wait for channels of another
// clock.
func onFakeClock(ctx context.Context, n int, f func(ctx context.Context, i int) error) error {
	testing.Init()
	errs := make([]error, n)
	turns := make(chan struct{}, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			if errs[i] = ctx.Err(); errs[i] != nil {
				return
			}
			synctest.Test(new(testing.T), func(t *testing.T) {
				errs[i] = f(t.Context(), i)
				synctest.Wait()
				time.Sleep(time.Second) // the actor library's throttle of dead letters
				synctest.Wait()
			})
		})
	}
	all.Wait()
	return errors.Join(errs...)
}
