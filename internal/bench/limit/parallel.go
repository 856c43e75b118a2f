package limit

import (
	"sync"
	"sync/atomic"
)

// parallel runs f(0) … f(n-1) on n goroutines and returns when all are done.
func parallel(n int, f func(goroutine int)) {
	var wg sync.WaitGroup
	for g := range n {
		wg.Go(func() { f(g) })
	}
	wg.Wait()
}

// chunks hands out the ranges [from, to) of [0, length), each of size bytes but the last, to
// whichever of the goroutines is free next.
func chunks(length, size, goroutines int, f func(goroutine, from, to int)) {
	var next atomic.Int64
	parallel(goroutines, func(g int) {
		for {
			from := int(next.Add(int64(size))) - size
			if from >= length {
				return
			}
			f(g, from, min(from+size, length))
		}
	})
}
