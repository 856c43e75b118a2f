package mapreduce

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
	"github.com/tarry-mr/tarry/mapreduce/internal/read"
)

// Input yields records of type I from sources. Constructors: Lines, LineStrings, KeyValueLines,
// NLines, FixedSize, Separated, WholeFiles, Chunks, CSV, CSVRows, JSONLines, ReadTyped, Formatted,
// Slice, Seq, Seq2 and Units. Decoded, FlatMap and [Input.Filter] convert the records of another
// input, Feeds joins several feeds, and [Dataset.Input] and Grouped read records that an earlier
// job has kept in memory.
//
// A record belongs to the split in which it starts, wherever blocks end. Records of type []byte
// alias the input: they are valid until the map function returns and must not be changed. Copy a
// record to keep it or to pass it to another goroutine: if a mapped file shrinks, reading its lost
// bytes ends the attempt in the attempt's goroutine, but crashes the process in any other.
type Input[I any] struct {
	sources []Source
	plan    cluster.InputPlan
	plans   []cluster.InputPlan // one per source if they differ; otherwise nil
	read    read.Input[I]
	fed     any // the startFeed of Feeds; otherwise nil
}

// bySource returns one plan per source.
func (in Input[I]) bySource() []cluster.InputPlan { return in.untyped().BySource() }

// SplitSize limits a split to n bytes of a source, for Slice to n records, whatever the blocks of
// the cluster: use it if a few records are much work. n is at least 1; the last record of a split
// may extend beyond it. Sources that cannot be split stay whole. Bind rejects SplitSize for inputs
// that choose their own splits or read files whole: NLines, WholeFiles, Formatted, Units, Seq and
// Seq2.
func (in Input[I]) SplitSize(n int64) Input[I] {
	if in.plan.Size = n; n < 1 {
		in.plan.Wrong = fmt.Errorf("SplitSize of %d: a split has at least 1 byte", n)
	}
	in.plans = slices.Clone(in.plans)
	for i := range in.plans {
		in.plans[i].Size = n
	}
	return in
}

// Lines yields lines without their line feed. A carriage return before it is part of the line, as
// in sort and grep. The last line needs no line feed.
func Lines(sources ...Source) Input[[]byte] {
	return Input[[]byte]{sources: sources, read: read.Lines()}
}

// LineStrings is Lines with string records, which may be kept. In jobs with a shuffle, neighboring
// lines share pieces of memory of up to 4 KiB: use strings.Clone for the few lines that you keep.
func LineStrings(sources ...Source) Input[string] {
	return Input[string]{sources: sources, read: read.LineStrings}
}

// KeyValueLines yields each line cut at its first separator; a line without one is a key with an
// empty value. Hadoop's separator is a tab.
func KeyValueLines(separator byte, sources ...Source) Input[Pair[[]byte, []byte]] {
	lines := read.Lines()
	return Input[Pair[[]byte, []byte]]{sources: sources, read: func(r *read.Reader, yield func([]Pair[[]byte, []byte]) error) error {
		pairs := make([]Pair[[]byte, []byte], read.BatchRecords)
		return lines(r, func(batch [][]byte) error {
			for n, line := range batch {
				pair := &pairs[n]
				pair.First, pair.Second = line, nil
				if i := bytes.IndexByte(line, separator); i >= 0 {
					pair.First, pair.Second = line[:i:i], line[i+1:]
				}
			}
			return yield(pairs[:len(batch)])
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
		return read.CutLines(ctx, s, n, blocks)
	}
	return in
}

// Chunks yields runs of whole lines, as stored, of up to about 1 MiB, or one longer line: for jobs
// that scan faster than line by line. Only the last line of a file may lack its line feed. Lines
// are not counted: the counter MapInputChunks replaces MapInputRecords.
func Chunks(sources ...Source) Input[[]byte] {
	return Input[[]byte]{sources: sources, plan: cluster.InputPlan{Chunks: true}, read: read.Chunks}
}

// FixedSize yields records of n bytes, n at least 1. A file whose size is not a multiple of n fails
// the job.
func FixedSize(n int, sources ...Source) Input[[]byte] {
	in := Input[[]byte]{sources: sources, read: read.FixedSize(n)}
	if n < 1 {
		in.plan.Wrong = fmt.Errorf("FixedSize of %d bytes: a record has at least 1", n)
	}
	return in
}

// Separated yields records that end with sep, without it: "\x00" for the output of find -print0,
// "\r\n", or "\n\n" for paragraphs; Hadoop calls it textinputformat.record.delimiter. The last
// record of a file needs no separator. Records are those of repeated [bytes.Cut] from the beginning
// of the file, wherever it is split: in "aaa" the separator "aa" is the first two bytes. An empty
// sep is an error of Bind.
//
// A separator of one byte is as fast as [Lines]. If separators may overlap, as "aa" may and "\r\n"
// may not, a map that begins within a run of them reads back to the beginning of the run.
func Separated(sep string, sources ...Source) Input[[]byte] {
	in := Input[[]byte]{sources: sources}
	if sep == "" {
		in.plan.Wrong = errors.New("Separated by an empty separator")
		sep = "\n"
	}
	in.read = read.Separated(sep)
	return in
}

// WholeFile is a file as one record.
type WholeFile struct {
	Name string
	Data []byte // valid until the map function returns
}

// WholeFiles yields each file as one record, decompressed if necessary.
func WholeFiles(sources ...Source) Input[WholeFile] {
	return Input[WholeFile]{sources: sources, plan: cluster.InputPlan{Whole: true}, read: read.Whole(func(name string, data []byte) WholeFile {
		return WholeFile{Name: name, Data: data}
	})}
}

// Slice yields the records of a slice, which must not change while the job runs. In sizes and
// offsets one record counts as one byte.
func Slice[I any](records []I) Input[I] {
	src := input.Of(input.Made(len(records)), "slice")
	return Input[I]{sources: []Source{src}, read: read.Slice(records)}
}
