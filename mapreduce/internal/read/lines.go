package read

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// Lines returns an Input of lines without their line feeds.
func Lines() Input[[]byte] { return separatedBy(LineEnds, 1) }

// LineStrings is an Input of lines as strings. With Reader.Copied, adjacent ones are cut from
// one copied piece of memory.
func LineStrings(s *Reader, yield func([]string) error) error {
	var piece stringPiece
	var texts []string
	return BoundedLines(s, func(lines [][]byte) error {
		texts = texts[:0]
		for i, line := range lines {
			if s.Copied {
				texts = append(texts, piece.hold(s.Data, s.Begins[s.Batch+i], len(line)))
			} else {
				texts = append(texts, string(line))
			}
		}
		return yield(texts)
	})
}

// BoundedLines is like [Lines], for maps that copy each line: it fails for a line longer than
// Reader.Largest.
func BoundedLines(s *Reader, yield func([][]byte) error) error {
	return Lines()(s, func(lines [][]byte) error {
		for i, line := range lines {
			if len(line) <= memory.LeastLargest {
				continue
			}
			s.Now = s.Batch + i
			if large := s.CheckLength(len(line)); large != nil {
				return cmp.Or(yield(lines[:i]), large)
			}
		}
		return yield(lines)
	})
}

// Chunks is an Input whose records are runs of whole lines, for maps that split them faster.
func Chunks(s *Reader, yield func([][]byte) error) error {
	one := Singly(yield)
	return s.Runs(LineEnds, func(run []byte) error {
		s.EnterRecord(run)
		return one(run)
	})
}

// FixedSize returns an Input of records of n bytes; a source must not end within one.
func FixedSize(n int) Input[[]byte] {
	return func(s *Reader, yield func([][]byte) error) error {
		return s.Runs(everyN(n), func(run []byte) error {
			if len(run)%n != 0 {
				return fault.Permanent(fmt.Errorf("%s: ends within a record of %d bytes", s.Source.Name(), n))
			}
			return s.eachSeparated(run, everyN(n), 0, yield)
		})
	}
}

// Slice returns an Input of records, a slice; a split's offset and length count records.
func Slice[I any](records []I) Input[I] {
	return func(s *Reader, yield func([]I) error) (err error) {
		s.Ordinal, s.At, s.Step = true, s.Split.Offset, 1
		err = fault.ErrExited
		defer s.PlacePanic(&err)
		for batch := range slices.Chunk(records[s.At:s.At+s.Split.Length], BatchRecords) {
			if err := s.Tick(int64(len(batch))); err != nil {
				return err
			}
			if err := yield(batch); err != nil {
				return err
			}
			s.At += int64(len(batch))
		}
		return nil
	}
}

// CutLines returns blocks of n lines of s each, with the hosts of the given blocks.
func CutLines(ctx context.Context, s input.Source, n int, blocks []cluster.Block) ([]cluster.Block, error) {
	var list []cluster.Block
	var start, at int64
	lines := 0
	add := func(end int64) {
		if end > start {
			list = append(list, cluster.Block{Offset: start, Length: end - start, Hosts: HostsAt(blocks, start)})
		}
		start, lines = end, 0
	}
	r := &Reader{Ctx: ctx, Windows: UsualWindows(), Source: s, Split: cluster.Split{Length: s.Size()}}
	err := r.Runs(LineEnds, func(run []byte) error {
		for len(run) > 0 {
			i := bytes.IndexByte(run, '\n') + 1
			if i == 0 {
				i = len(run)
			}
			at += int64(i)
			run = run[i:]
			if lines++; lines == n {
				add(at)
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	add(at)
	return list, nil
}

// HostsAt returns the hosts of the block that contains offset off.
func HostsAt(blocks []cluster.Block, off int64) []string {
	for _, b := range blocks {
		if off < b.Offset+b.Length {
			return b.Hosts
		}
	}
	return nil
}
