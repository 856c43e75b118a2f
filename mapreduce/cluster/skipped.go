package cluster

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// ErrTooManySkips is wrapped by the error of a job with more bad records than it may skip. That
// error also wraps the error of the first bad record.
var ErrTooManySkips = errors.New("too many bad records")

// Skipped is a record that was skipped because the user's map failed on it.
type Skipped struct {
	Input  string `json:"input"`  // name of the source
	Offset int64  `json:"offset"` // of the record's first byte in the uncompressed source; -1 if records are not bytes
	Number int64  `json:"record"` // counts from 1, among the records of the source that the attempt read
	Head   string `json:"head"`   // first bytes of the record; empty if records are not bytes
	Size   int    `json:"size"`   // size of the record in bytes
	Reason string `json:"reason"` // error or panic, with its place in the user's code
}

// BadRecord is a record from which the user's map did not return: it hung or ended its goroutine.
// Later attempts at the same map skip it, see [MapAttempt].
type BadRecord struct {
	Input  string // name of the source
	Number int64  // as in a RecordError of package mapreduce
	Reason string
}

// SortSkipped sorts records by source name and position.
func SortSkipped(list []Skipped) {
	slices.SortFunc(list, func(a, b Skipped) int {
		return cmp.Or(cmp.Compare(a.Input, b.Input), cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.Number, b.Number))
	})
}

// errChunks is the error of a job that may skip records and reads Chunks.
var errChunks = errors.New("mapreduce: records of Chunks cannot be left out: which lines are in one depends on the blocks")

// SkipsFit returns an error if records of the inputs cannot be skipped.
func (p *Plan) SkipsFit() error {
	if slices.ContainsFunc(p.job.Inputs, func(in InputPlan) bool { return in.Chunks }) {
		return errChunks
	}
	return nil
}

// quarantineFile is the file that lists skipped records, beside the parts of the output.
const quarantineFile = "_skipped.jsonl"

// Quarantine writes the skipped records to _skipped.jsonl beside the parts, one JSON object each,
// if the output is a directory. Call it before CommitJob. It returns the file's name, or "" if
// there is none.
func (p *Plan) Quarantine(list []Skipped) (name string, err error) {
	if len(list) == 0 {
		return "", nil
	}
	defer fault.Catch(&err)
	kept, err := p.job.Output.Note(quarantineFile, func(w io.Writer) (err error) {
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
