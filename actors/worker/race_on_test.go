//go:build race

package worker

import "testing"

// inProcesses skips a test whose work is done by many processes of this program, each of which starts
// slowly under the race detector: make test runs it without.
func inProcesses(t *testing.T) { t.Skip("in processes: make test runs it without the race detector") }
