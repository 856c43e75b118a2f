//go:build race

package worker

import "testing"

// inProcesses skips a test that starts many processes of this program, because each starts slowly
// under the race detector. make test runs the test without it.
func inProcesses(t *testing.T) { t.Skip("in processes: make test runs it without the race detector") }
