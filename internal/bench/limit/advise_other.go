//go:build !linux

package limit

// adviseHuge does nothing: this system has no such advice.
func adviseHuge([]byte) {}
