package setup

import (
	"embed"
	"os"
	"path/filepath"

	"github.com/tarry-mr/tarry/experiments/study"
)

// Sentences is a folder for study.NewLibrary: its shared.md has the sentences that describe set-ups
// in the texts of several papers.
//
//go:embed shared.md
var Sentences embed.FS

// Trace calls read with a file of the folder that TARRY_TRACES names; it returns false without one.
// The set-up begins with the text's items "Set-up with the trace" or "Set-up without the trace", in
// which {trace} is the name of the file.
func Trace(s *study.Study, name string, read func(f *os.File) error) bool {
	s.Fill("trace", name)
	f, err := (*os.File)(nil), os.ErrNotExist
	if dir := os.Getenv("TARRY_TRACES"); dir != "" {
		f, err = os.Open(filepath.Join(dir, name))
	}
	if os.IsNotExist(err) {
		s.Open("Set-up without the trace")
		return false
	}
	s.Check(err)
	defer f.Close()
	s.Check(read(f))
	s.Open("Set-up with the trace")
	return true
}
