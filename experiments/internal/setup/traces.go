package setup

import (
	"fmt"
	"os"
	"path/filepath"
)

// OpenTrace opens a trace in the folder that TARRY_TRACES names; nil if it is not there or no
// folder is named.
func OpenTrace(name string) (*os.File, error) {
	dir := os.Getenv("TARRY_TRACES")
	if dir == "" {
		return nil, nil
	}
	f, err := os.Open(filepath.Join(dir, name))
	if os.IsNotExist(err) {
		return nil, nil
	}
	return f, err
}

// NoTrace says that a trace is not there, and what stands in for it.
func NoTrace(name, standIn string, args ...any) string {
	return fmt.Sprintf("Workload: %s is not there (TARRY_TRACES names its folder), so ", name) +
		fmt.Sprintf(standIn, args...)
}
