package mapreduce

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
	"github.com/tarry-mr/tarry/mapreduce/internal/read"
)

// FormatFile is a file that a [Format] reads: its stored bytes, in any order.
type FormatFile interface {
	io.ReaderAt
	Name() string
	Size() int64 // in bytes
}

// Format is a file format whose records are in parts that can be found without reading the records,
// such as the row groups of Parquet. Its methods run in many attempts concurrently.
type Format[I any] interface {
	// Parts returns the offsets of the parts of a file, in bytes, ascending and below its size. A
	// file without parts has no records.
	Parts(ctx context.Context, file FormatFile) ([]int64, error)
	// Read yields the records of the parts whose offset is at least from and below to, in order.
	// The first error that it yields ends the attempt.
	Read(ctx context.Context, file FormatFile, from, to int64) iter.Seq2[I, error]
}

// Formatted yields the records of files in a custom format. Each part is one map, node-local if
// possible. Use [Decoded] for formats that decode one record at a time, and [Units] for records
// that are not in files.
//
// Files must support reads at any offset: neither streams nor files compressed as a whole. Reads
// end with ctx. Use a FormatFile only until Parts returns or the sequence of Read ends.
func Formatted[I any](format Format[I], sources ...Source) Input[I] {
	in := Input[I]{sources: sources, plan: cluster.InputPlan{Parted: true}}
	if format == nil {
		in.plan.Wrong = errors.New("Formatted without a format")
	}
	for _, s := range sources {
		if !s.Splittable() && in.plan.Wrong == nil {
			in.plan.Wrong = fmt.Errorf("%s: Formatted reads files at any place, not streams or compressed files", s.Name())
		}
	}
	in.plan.Cut = func(ctx context.Context, s Source, blocks []cluster.Block) ([]cluster.Block, error) {
		parts, err := partsOf(format, &formatFile{Source: s, ctx: ctx})
		for i := range parts {
			parts[i].Hosts = slices.Clone(read.HostsAt(blocks, parts[i].Offset))
		}
		return parts, err
	}
	in.read = func(s *read.Reader, yield func([]I) error) error {
		file := &formatFile{Source: s.Source, ctx: s.Ctx}
		if err := eachPart(s, format, file, read.Singly(yield)); err != nil {
			return err
		}
		return s.Tick(file.read.Swap(0))
	}
	return in
}

// partsOf returns the parts of a file, after it has checked what format.Parts returned.
func partsOf[I any](format Format[I], file *formatFile) (list []cluster.Block, err error) {
	begins, err := format.Parts(file.ctx, file)
	if err != nil {
		return nil, input.Named(file.Source, err)
	}
	for i, at := range begins {
		end := file.Size()
		if i+1 < len(begins) {
			end = begins[i+1]
		}
		if at < 0 || at >= end {
			return nil, Permanent(fmt.Errorf("%s: Parts returned %d, which is no ascending list of places in a file of %d bytes",
				file.Name(), begins, file.Size()))
		}
		list = append(list, cluster.Block{Offset: at, Length: end - at})
	}
	return list, nil
}

// eachPart yields the records of the parts that begin in the split. The offset of a record is the
// part's offset shifted left as far as the file size permits, plus the record's number. So offsets
// are unique and the same for any splits.
func eachPart[I any](s *read.Reader, format Format[I], file *formatFile, yield func(I) error) error {
	parts, end := []cluster.Block{{Offset: s.Split.Offset, Length: s.Split.Length}}, s.Split.Offset+s.Split.Length
	if !s.Part { // a sample, or a whole small feed
		var err error
		if parts, err = partsOf(format, file); err != nil {
			return err
		}
	}
	room := bits.LeadingZeros64(uint64(file.Size())) - 1
	for _, p := range parts {
		if p.Offset < s.Split.Offset || p.Offset >= end {
			continue
		}
		seq := func() iter.Seq2[I, error] { return format.Read(s.Ctx, file, p.Offset, p.Offset+p.Length) }
		_, err := read.EachOf(s, seq, p.Offset<<room, func(rec I) error {
			if n := file.read.Swap(0); n > 0 {
				if err := s.Tick(n); err != nil {
					return err
				}
			}
			return yield(rec)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// formatFile is a FormatFile that counts the bytes read and ends with its context.
type formatFile struct {
	Source
	ctx  context.Context
	read atomic.Int64
}

// ReadAt implements io.ReaderAt.
func (f *formatFile) ReadAt(p []byte, off int64) (int, error) {
	if err := context.Cause(f.ctx); err != nil {
		return 0, err
	}
	if off < 0 {
		return 0, fmt.Errorf("%s: read at %d", f.Name(), off)
	}
	n, err := f.Data.ReadAt(p, off)
	f.read.Add(int64(n))
	return n, err
}
