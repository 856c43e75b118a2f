package scenario

import "fmt"

// The functions that interpret a scenario stop at its first mistake: refuse, check and must panic
// with it, and interpret returns it.

// mistake is the panic of refuse, check and must.
type mistake struct{ error }

// interpret calls run, which interprets statements, and returns the first mistake in them.
func interpret(run func()) (err error) {
	defer func() {
		switch m := recover().(type) {
		case nil:
		case mistake:
			err = m.error
		default:
			panic(m)
		}
	}()
	run()
	return nil
}

// refuse stops the scenario with an error.
func refuse(format string, args ...any) { panic(mistake{fmt.Errorf(format, args...)}) }

// check stops the scenario unless err is nil.
func check(err error) {
	if err != nil {
		panic(mistake{err})
	}
}

// must returns the value, unless there is an error, which stops the scenario.
func must[T any](value T, err error) T {
	check(err)
	return value
}
