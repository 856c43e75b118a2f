package cluster

import (
	"context"
	"fmt"
	"io"

	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// Export writes the segment, compressed by s2 and with checksums, for [Imports] in another process.
// Its map attempt must be Stored.
func (s Segment) Export(w io.Writer) error {
	if s.Data == nil {
		return new(segment.Segment).Export(w)
	}
	return s.Data.Export(w)
}

// Imports collects the exported segments of all maps for one reduce, in pieces that may come in any
// order, and stores them in spills. It is not safe for concurrent use.
type Imports struct {
	files *Spills
	maps  []*segment.Import // by map; nil before its first piece
	ready []Segment
	next  int
	free  []func()
}

// NewImports returns an Imports for a reduce of a job with the given number of maps. Of r it uses
// only where to spill.
func NewImports(maps int, r Resources) *Imports {
	return &Imports{files: r.Storage().Files, maps: make([]*segment.Import, maps)}
}

// Add adds a copy of b, a piece at offset `at` of the exported segment of map number index.
func (i *Imports) Add(index int, at int64, b []byte) (err error) {
	if index < 0 || index >= len(i.maps) {
		return fmt.Errorf("a piece of map %d: the job has maps 0 to %d: %w", index, len(i.maps)-1, ErrDamagedSpill)
	}
	m := &i.maps[index]
	if *m == nil {
		if *m, err = segment.NewImport(i.files); err != nil {
			return err
		}
	}
	if err := (*m).Add(at, b); err != nil {
		return fmt.Errorf("map %d: %w", index, err)
	}
	return nil
}

// Complete ends adding. Its error names the first map with missing, duplicate or damaged pieces.
func (i *Imports) Complete() error {
	for index, m := range i.maps {
		if m == nil {
			return fmt.Errorf("nothing has come of map %d: %w", index, ErrDamagedSpill)
		}
		seg, err := m.Segment()
		if err != nil {
			return fmt.Errorf("map %d: %w", index, err)
		}
		m.Close()
		i.maps[index] = nil
		i.free = append(i.free, seg.Release)
		out := Segment{Map: index, Bytes: seg.Bytes(), Records: seg.Records()}
		if seg.Records() > 0 {
			out.Data = seg
		}
		i.ready = append(i.ready, out)
	}
	return nil
}

// Next implements ReduceAttempt.Next, after Complete.
func (i *Imports) Next(context.Context) (Segment, error) {
	if i.next == len(i.ready) {
		return Segment{}, io.EOF
	}
	i.next++
	return i.ready[i.next-1], nil
}

// Release frees all segments. Call it once no attempt reads them.
func (i *Imports) Release() {
	for _, m := range i.maps {
		if m != nil {
			m.Close()
		}
	}
	for _, free := range i.free {
		free()
	}
	i.maps, i.free = nil, nil
}
