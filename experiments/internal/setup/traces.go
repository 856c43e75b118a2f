package setup

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/tarry-mr/tarry/experiments/study"
)

// Trace calls read with a trace of the folder in TARRY_TRACES; it returns false if there is none.
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

// NoTrace returns the set-up's sentence on a missing trace, and what replaces it.
func NoTrace(name, standIn string, args ...any) string {
	return fmt.Sprintf("Workload: %s is not there (TARRY_TRACES names its folder), so ", name) +
		fmt.Sprintf(standIn, args...)
}
