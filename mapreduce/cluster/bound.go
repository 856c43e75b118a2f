package cluster

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"math/bits"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/internal/attempt"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
	"github.com/tarry-mr/tarry/mapreduce/internal/kept"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
)

// Bound is a job bound to its input and output: what its Plan, its Tasks and a cluster need of it.
// Attempts may call its methods at the same time.
type Bound struct {
	Spec
	Output  *output.Committer
	Kept    []*kept.Store // the datasets of earlier jobs that the job reads
	Reduces int           // fixed by Prepare; 0 for a map-only plan
	Maps    int           // fixed by Splits and JoinSmall
	// Ranges are the encoded starts of the key ranges of a total order, except for the first one's.
	// They are nil until Prepare or Adopt sets them.
	Ranges  [][]byte
	watched bool // see Plan.Debug
}

// InputBytes returns the size of the input in bytes; files of unknown size count as 0.
func (b *Bound) InputBytes() int64 {
	var n int64
	for _, s := range b.Sources {
		n += max(s.Size(), 0)
	}
	return n
}

const (
	bytesPerReduce = 64 << 20
	maxReduces     = 64
)

// UsualReduces returns the default number of reduces: one per 64 MiB of input, from 1 to 64. It is
// rounded up to a power of two, as most numbers of slots are, so that slots get equal shares.
func (b *Bound) UsualReduces() int {
	n := min(max((b.InputBytes()+bytesPerReduce-1)/bytesPerReduce, 1), maxReduces)
	return 1 << bits.Len64(uint64(n-1))
}

// ReadOnce reports whether an input is a stream or sequence, which a second attempt cannot read.
func (b *Bound) ReadOnce() bool {
	return slices.ContainsFunc(b.Inputs, func(in InputPlan) bool { return in.Sequence }) ||
		slices.ContainsFunc(b.Sources, func(s input.Source) bool { return s.Data == nil })
}

// errChunks is the error of a job that may skip records but has Chunks as input.
var errChunks = errors.New("mapreduce: records of Chunks cannot be left out: which lines are in one depends on the blocks")

// SkipsFit returns an error if records of an input cannot be skipped, as those of Chunks.
func (b *Bound) SkipsFit() error {
	if slices.ContainsFunc(b.Inputs, func(in InputPlan) bool { return in.Chunks }) {
		return errChunks
	}
	return nil
}

// CommitTask adds the part of a finished attempt to the output, by a rename. The first attempt at a
// task wins; for later ones it returns ErrCommitted.
func (b *Bound) CommitTask(id attempt.ID) error {
	return fault.Step(func() error { return b.Output.CommitTask(id) })
}

// AbortTask removes an attempt's files. For a committed or unknown attempt it does nothing.
func (b *Bound) AbortTask(id attempt.ID) error {
	return fault.Step(func() error { return b.Output.AbortTask(id) })
}

// CommitAs is CommitTask for an attempt that ran in a process that has adopted the plan. h is what
// Output.Handover returned there.
func (b *Bound) CommitAs(id attempt.ID, h Handover) error {
	if err := b.Output.Take(id, h); err != nil {
		return err
	}
	return b.CommitTask(id)
}

// quarantineFile is the file in the output that lists the skipped records.
const quarantineFile = "_skipped.jsonl"

// Quarantine writes the skipped records to _skipped.jsonl in the output's directory, one JSON
// object per line, and returns the file's name. Call it before CommitJob. It returns "" if list is
// empty or the output is not a directory.
func (b *Bound) Quarantine(list []Skipped) (name string, err error) {
	if len(list) == 0 {
		return "", nil
	}
	defer fault.Catch(&err)
	kept, err := b.Output.Note(quarantineFile, func(w io.Writer) (err error) {
		enc := json.NewEncoder(w)
		for i := range list {
			err = cmp.Or(err, enc.Encode(&list[i]))
		}
		return err
	})
	if err != nil || !kept {
		return "", err
	}
	return quarantineFile, nil
}
