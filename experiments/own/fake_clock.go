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

// onFakeClock runs f for each number below n, several at a time, where time goes by as soon as all
// goroutines that f has started wait: a live cluster then takes as long as it computes, and is
// never late. Such time is had from package synctest alone, which serves tests, so that each f runs
// as a test of its own. ctx ends it between two runs: what another time made cannot be waited for
// in this.
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
