package cluster

import (
	"context"
	"fmt"
	"io"

	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// exported is a segment of either kind on its way out.
type exported interface {
	Export(w io.Writer) error
}

func (s Segment) exported() exported {
	if s.Data == nil {
		return &segment.Segment{}
	}
	return s.Data.(exported)
}

// Export writes the segment as bytes of which [Imports] make it again in another process, as long
// as its map attempt was Stored. They are s2-compressed and checksummed.
func (s Segment) Export(w io.Writer) error { return s.exported().Export(w) }

// Imports gathers the exported segments of one reduce, whose maps ran in other processes. Pieces
// come in any order and go to spills as they come. It is not safe for concurrent use.
type Imports struct {
	plan  *Plan
	r     Resources
	maps  []*segment.Import // by map; nil: nothing of it has come
	ready []Segment
	next  int
	free  []func()
}

// NewImports returns an Imports for a reduce of the plan. Of r it takes where to spill.
func (p *Plan) NewImports(r Resources) *Imports {
	if r.Spills == nil {
		r.Spills = NewSpills(r.SpillDir)
	}
	return &Imports{plan: p, r: r, maps: make([]*segment.Import, p.job.Maps)}
}

// Add takes the bytes of what map index has exported for this reduce that begin at its byte at. b
// is not kept.
func (i *Imports) Add(index int, at int64, b []byte) (err error) {
	if index < 0 || index >= len(i.maps) {
		return fmt.Errorf("a piece of map %d: the job has maps 0 to %d: %w", index, len(i.maps)-1, ErrDamagedSpill)
	}
	m := &i.maps[index]
	if *m == nil {
		if *m, err = segment.NewImport(i.r.Spills, i.r.SpillDir); err != nil {
			return err
		}
	}
	if err := (*m).Add(at, b); err != nil {
		return fmt.Errorf("map %d: %w", index, err)
	}
	return nil
}

// Complete says that all pieces were added. An error names the first map of which something is
// missing, came twice or is damaged.
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
			out.Data = i.plan.tasks.Imported(seg)
		}
		i.ready = append(i.ready, out)
	}
	return nil
}

// Next is ReduceAttempt.Next, after Complete.
func (i *Imports) Next(context.Context) (Segment, error) {
	if i.next == len(i.ready) {
		return Segment{}, io.EOF
	}
	i.next++
	return i.ready[i.next-1], nil
}

// Release frees what was gathered, once no attempt reads it.
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
