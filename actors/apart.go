package actors

import "github.com/tarry-mr/tarry/mapreduce"

// User code may panic, or end the goroutine it runs in, as t.Fatal of a test does. Neither
// may reach an actor or an ending.

// recovered runs f; a panic is its error.
func recovered(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = mapreduce.NewPanicError(v)
		}
	}()
	return f()
}

// apart runs f in a goroutine of its own and waits for it.
func apart(f func() error) error {
	done := make(chan error, 1)
	go func() {
		var err error
		returned := false
		defer func() {
			if !returned {
				err = mapreduce.Exited()
			}
			done <- err
		}()
		err = recovered(f)
		returned = true
	}()
	return <-done
}
