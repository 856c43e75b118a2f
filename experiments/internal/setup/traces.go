package setup

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/tarry-mr/tarry/experiments/study"
)

// Trace calls read with a file of the folder that TARRY_TRACES names; it returns false without one.
func Trace(s *study.Study, name string, read func(f *os.File) error) bool {
	dir := os.Getenv("TARRY_TRACES")
	if dir == "" {
		return false
	}
	f, err := os.Open(filepath.Join(dir, name))
	if os.IsNotExist(err) {
		return false
	}
	s.Check(err)
	defer f.Close()
	s.Check(read(f))
	return true
}

// NoTrace returns a sentence for the set-up: the trace is missing; standIn says what replaces it.
func NoTrace(name, standIn string, args ...any) string {
	return fmt.Sprintf("Workload: %s is not there (TARRY_TRACES names its folder), so ", name) +
		fmt.Sprintf(standIn, args...)
}
