//go:build !race

package worker

import "testing"

// inProcesses is called by tests whose work is done by many processes of this program.
func inProcesses(*testing.T) {}
