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

// chunks calls f for the ranges [from, to) of [0, length), of size bytes except the last, each in
// the goroutine that is free next.
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
