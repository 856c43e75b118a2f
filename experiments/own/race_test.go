//go:build race

package own

// raced says that the race detector is on, under which simulations take ten times as long.
const raced = true
