package mapreduce

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
)

// Input yields records of type I from sources. Constructors: Lines, LineStrings, KeyValueLines,
// NLines, FixedSize, Separated, WholeFiles, Chunks, CSV, CSVRows, JSONLines, ReadTyped, Formatted,
// Slice, Seq, Seq2 and Units. Decoded converts the records of another input, Feeds joins several
// feeds, and [Kept.Input] and Grouped read records that an earlier job has kept in memory.
//
// A record belongs to the split in which it starts, wherever blocks end. Records of type []byte
// alias the input: they are valid until the map function returns and must not be changed. Copy a
// record to keep it or to pass it to another goroutine: if a mapped file shrinks, reading its lost
// bytes ends the attempt in the attempt's goroutine, but crashes the process in any other.
type Input[I any] struct {
	sources []Source
	plan    cluster.InputPlan
	plans   []cluster.InputPlan // by source, where they differ
	read    reader[I]
	// fed is the MapTask of a job over feeds that has no Map; otherwise nil.
	fed any
}

// bare returns the input without its sources; each plan has its own.
func (in Input[I]) bare() Input[I] {
	in.sources, in.plans = nil, nil
	return in
}

// bySource returns the plan of each source.
func (in Input[I]) bySource() []cluster.InputPlan { return in.untyped().bySource() }

// SplitSize limits a split to n bytes of a source, for Slice to n records, whatever the blocks of
// the cluster: use it if a few records are much work. n is at least 1; the last record of a split
// may extend beyond it. Sources that cannot be split stay whole. Bind rejects SplitSize for inputs
// that choose their own splits or read files whole: NLines, WholeFiles, Formatted, Units, Seq and
// Seq2.
func (in Input[I]) SplitSize(n int64) Input[I] {
	in.plan.Size, in.plan.Sized = n, true
	in.plans = slices.Clone(in.plans)
	for i := range in.plans {
		in.plans[i].Size, in.plans[i].Sized = n, true
	}
	return in
}

// Lines yields lines without their line feed. A carriage return before it is part of the line, as
// in sort and grep. The last line needs no line feed.
func Lines(sources ...Source) Input[[]byte] {
	return separatedBy(lineEnds, 1, sources)
}

// LineStrings is Lines with string records, which may be kept. In jobs with a shuffle, neighboring
// lines share pieces of memory of up to 4 KiB: use strings.Clone for the few lines that you keep.
func LineStrings(sources ...Source) Input[string] {
	return Input[string]{sources: sources, read: func(s *splitReader, yield func([]string) (int, error)) error {
		var piece stringPiece
		var texts []string
		return boundedLines(s, func(lines [][]byte) (int, error) {
			texts = texts[:0]
			for i, line := range lines {
				if s.copied {
					texts = append(texts, piece.hold(s.data, s.begins[s.batch+i], len(line)))
				} else {
					texts = append(texts, string(line))
				}
			}
			return yield(texts)
		})
	}}
}

// KeyValueLines yields each line cut at its first separator; a line without one is a key with an
// empty value. Hadoop's separator is a tab.
func KeyValueLines(separator byte, sources ...Source) Input[Pair[[]byte, []byte]] {
	read := Lines().read
	return Input[Pair[[]byte, []byte]]{sources: sources, read: func(s *splitReader, yield func([]Pair[[]byte, []byte]) (int, error)) error {
		pairs := make([]Pair[[]byte, []byte], 0, batchRecords)
		return read(s, func(lines [][]byte) (int, error) {
			pairs = pairs[:0]
			for _, line := range lines {
				if i := bytes.IndexByte(line, separator); i >= 0 {
					pairs = append(pairs, Pair[[]byte, []byte]{line[:i:i], line[i+1:]})
				} else {
					pairs = append(pairs, Pair[[]byte, []byte]{line, nil})
				}
			}
			return yield(pairs)
		})
	}}
}

// NLines gives each map n lines (the last of a file fewer) and yields them one by one: for short
// lists of long work. n must be at least 1.
func NLines(n int, sources ...Source) Input[[]byte] {
	in := Lines(sources...)
	in.plan.Cut = func(ctx context.Context, s Source, blocks []cluster.Block) ([]cluster.Block, error) {
		if !s.Splittable() || n < 1 {
			return blocks, nil
		}
		return cutLines(ctx, s, n, blocks)
	}
	return in
}

// Chunks yields runs of whole lines, as stored, of up to about 1 MiB, or one longer line: for jobs
// that scan faster than line by line. Only the last line of a file may lack its line feed. Lines
// are not counted: the counter MapInputChunks replaces MapInputRecords.
func Chunks(sources ...Source) Input[[]byte] {
	read := func(s *splitReader, yield func([][]byte) (int, error)) error {
		one := singly(yield)
		return s.runs(lineEnds, func(run []byte) error {
			return s.mapOne(run, func() error {
				err := one(run)
				if err != nil {
					s.stop()
				}
				return err
			})
		})
	}
	return Input[[]byte]{sources: sources, plan: cluster.InputPlan{Chunks: true}, read: read}
}

// FixedSize yields records of n bytes, n at least 1. A file whose size is not a multiple of n fails
// the job.
func FixedSize(n int, sources ...Source) Input[[]byte] {
	in := Input[[]byte]{sources: sources, read: func(s *splitReader, yield func([][]byte) (int, error)) error {
		return s.runs(everyN(n), func(run []byte) error {
			if len(run)%n != 0 {
				return Permanent(fmt.Errorf("%s: ends within a record of %d bytes", s.source.Name(), n))
			}
			return s.eachSeparated(run, everyN(n), 0, yield)
		})
	}}
	if n < 1 {
		in.plan.Wrong = fmt.Errorf("FixedSize of %d bytes: a record has at least 1", n)
	}
	return in
}

// WholeFile is a file as one record.
type WholeFile struct {
	Name string
	Data []byte // valid until the map function returns
}

// WholeFiles yields each file as one record, decompressed if necessary.
func WholeFiles(sources ...Source) Input[WholeFile] {
	read := func(s *splitReader, yield func([]WholeFile) (int, error)) error {
		return s.wholeSource(func(data []byte) error {
			return s.mapOne(data, func() error {
				return yieldBatch(s, 0, []WholeFile{{Name: s.source.Name(), Data: data}}, yield)
			})
		})
	}
	return Input[WholeFile]{sources: sources, plan: cluster.InputPlan{Whole: true}, read: read}
}

// Slice yields the records of a slice, which must not change while the job runs. In sizes and
// offsets one record counts as one byte.
func Slice[I any](records []I) Input[I] {
	src := input.Of(input.Made(len(records)), "slice")
	return Input[I]{sources: []Source{src}, read: func(s *splitReader, yield func([]I) (int, error)) error {
		s.ordinal, s.at = true, s.split.Offset
		return s.mapOne(nil, func() error {
			s.step = 1
			for batch := range slices.Chunk(records[s.at:s.at+s.split.Length], batchRecords) {
				err := s.tick(int64(len(batch)))
				if err == nil {
					err = yieldBatch(s, 0, batch, yield)
				}
				if err != nil {
					return err
				}
				s.at += int64(len(batch))
			}
			return nil
		})
	}}
}

// recordEnds finds where records end; see byteEnds, textEnds, everyN, frames and csvEnds.
type recordEnds interface {
	// last returns the length of the longest run of whole records at the beginning of b, which
	// begins with a record; 0 if b has no whole record.
	last(b []byte) int
	// first returns the length of b up to the end of the record that contains byte from, or 0 if
	// that record does not end in b. b begins with a record.
	first(b []byte, from int) int
	// resume returns the from for a longer b, after first found no end in its first n bytes.
	resume(n int) int
}

// recordStarts is a recordEnds that can find the first record at or after off; start returns at
// least end if no record begins before end.
type recordStarts interface {
	start(s *splitReader, off, end int64) (int64, error)
}

type everyN int

func (n everyN) length([]byte) int { return int(n) }

func (n everyN) last(b []byte) int { return len(b) / int(n) * int(n) }

func (n everyN) first(b []byte, from int) int {
	if end := (from/int(n) + 1) * int(n); end <= len(b) {
		return end
	}
	return 0
}

func (everyN) resume(int) int { return 0 }

// cutLines returns a block for every n lines of s.
func cutLines(ctx context.Context, s Source, n int, blocks []cluster.Block) ([]cluster.Block, error) {
	var list []cluster.Block
	var start, at int64
	lines := 0
	add := func(end int64) {
		if end > start {
			list = append(list, cluster.Block{Offset: start, Length: end - start, Hosts: hostsAt(blocks, start)})
		}
		start, lines = end, 0
	}
	r := &splitReader{ctx: ctx, windows: usualWindows(), source: s, split: cluster.Split{Length: s.Size()}}
	err := r.runs(lineEnds, func(run []byte) error {
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

func hostsAt(blocks []cluster.Block, off int64) []string {
	for _, b := range blocks {
		if off < b.Offset+b.Length {
			return b.Hosts
		}
	}
	return nil
}
