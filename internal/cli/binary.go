package cli

import (
	"bytes"
	"fmt"

	"github.com/tarry-mr/tarry/actors/worker"
	"github.com/tarry-mr/tarry/dfs/stores"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/mapreduce"
)

const (
	binaryHead     = 32 << 10 // bytes that are checked at the beginning of a file, as in grep
	binaryWarnings = 3        // maximum number of named files
)

// warnBinary warns of files of a text job that have NUL bytes at their beginning. It skips streams,
// compressed files and files of stores, since it would read them twice.
func (p *program) warnBinary(src []mapreduce.Source) {
	if worker.IsWorker() { // the submitting process has warned
		return
	}
	head, found := make([]byte, binaryHead), 0
	for _, s := range src {
		if !s.Splittable() || stores.Named(s.Name()) {
			continue
		}
		n, _ := s.Data.ReadAt(head, 0) // the read of the map reports the error
		if bytes.IndexByte(head[:n], 0) < 0 {
			continue
		}
		if found++; found <= binaryWarnings {
			fmt.Fprintf(p.stderr, "tarry: warning: %s: binary file (it holds NUL bytes)\n", words.Printable(s.Name()))
		}
	}
	if more := found - binaryWarnings; more > 0 {
		fmt.Fprintf(p.stderr, "tarry: warning: and %d more\n", more)
	}
}
