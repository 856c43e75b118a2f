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

// Lines yields lines without their line feed.
func Lines() Input[[]byte] { return separatedBy(LineEnds, 1) }

// LineStrings is like [Lines], for strings. If Reader.Copied is set, lines share pieces of memory.
func LineStrings(s *Reader, yield func([]string) (int, error)) error {
	var piece stringPiece
	var texts []string
	return BoundedLines(s, func(lines [][]byte) (int, error) {
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

// BoundedLines is like [Lines], for maps that copy lines: one too long for the attempt is an error.
func BoundedLines(s *Reader, yield func([][]byte) (int, error)) error {
	return Lines()(s, func(lines [][]byte) (int, error) {
		for i, line := range lines {
			if len(line) <= memory.LeastLargest {
				continue
			}
			s.Now = s.Batch + i
			if large := s.CheckLength(len(line)); large != nil {
				n, err := yield(lines[:i])
				return n, cmp.Or(err, large)
			}
		}
		return yield(lines)
	})
}

// Chunks yields runs of whole lines.
func Chunks(s *Reader, yield func([][]byte) (int, error)) error {
	one := Singly(yield)
	return s.Runs(LineEnds, func(run []byte) error {
		return s.MapOne(run, func() error {
			err := one(run)
			if err != nil {
				s.Stop()
			}
			return err
		})
	})
}

// FixedSize yields records of n bytes.
func FixedSize(n int) Input[[]byte] {
	return func(s *Reader, yield func([][]byte) (int, error)) error {
		return s.Runs(everyN(n), func(run []byte) error {
			if len(run)%n != 0 {
				return fault.Permanent(fmt.Errorf("%s: ends within a record of %d bytes", s.Source.Name(), n))
			}
			return s.eachSeparated(run, everyN(n), 0, yield)
		})
	}
}

// Slice yields the records of a split of a slice; offsets and lengths are numbers of records.
func Slice[I any](records []I) Input[I] {
	return func(s *Reader, yield func([]I) (int, error)) error {
		s.Ordinal, s.At = true, s.Split.Offset
		return s.MapOne(nil, func() error {
			s.Step = 1
			for batch := range slices.Chunk(records[s.At:s.At+s.Split.Length], BatchRecords) {
				err := s.Tick(int64(len(batch)))
				if err == nil {
					err = YieldBatch(s, 0, batch, yield)
				}
				if err != nil {
					return err
				}
				s.At += int64(len(batch))
			}
			return nil
		})
	}
}

// CutLines returns a block for every n lines of s.
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

// HostsAt returns the hosts of the block at off.
func HostsAt(blocks []cluster.Block, off int64) []string {
	for _, b := range blocks {
		if off < b.Offset+b.Length {
			return b.Hosts
		}
	}
	return nil
}
