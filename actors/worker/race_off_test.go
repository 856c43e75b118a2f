//go:build !race

package worker

import "testing"

// inProcesses marks a test that starts many processes; under the race detector it skips the test.
func inProcesses(*testing.T) {}
