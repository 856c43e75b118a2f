//go:build !linux

package limit

// adviseHuge does nothing where the system has no such advice.
func adviseHuge([]byte) {}
