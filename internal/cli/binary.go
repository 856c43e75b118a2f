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
	binaryHead     = 32 << 10 // bytes of a file that are looked at, as grep does
	binaryWarnings = 3        // files that are named
)

// warnBinary says which files of a text job are no text: NUL bytes stand in their beginning. Streams,
// compressed files and those of stores are not looked at, for that would read them twice.
func (p *program) warnBinary(src []mapreduce.Source) {
	if worker.Asked() { // the one who submitted the job has said so
		return
	}
	head, found := make([]byte, binaryHead), 0
	for _, s := range src {
		if !s.Splittable() || stores.Named(s.Name()) {
			continue
		}
		n, _ := s.Data.ReadAt(head, 0) // an error comes again where the file is read
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
