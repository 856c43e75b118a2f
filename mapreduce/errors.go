package mapreduce

import (
	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
	"github.com/tarry-mr/tarry/mapreduce/internal/read"
)

// Sentinel errors; test with errors.Is. Package mapreduce/cluster has further ones, for engines
// that run plans.
var (
	// ErrOutputExists is returned by SetupJob if the output directory exists.
	ErrOutputExists = output.ErrOutputExists
	// ErrNoOutput is wrapped by the error of SetupJob for an output that cannot be created, such as
	// a directory below a read-only one.
	ErrNoOutput = output.ErrNoOutput
	// ErrInputChanged is the error of a job whose input file was modified or removed while the job
	// ran.
	ErrInputChanged = dfs.ErrChanged
)

// Permanent marks err as one that every attempt would meet, such as bad data: the job fails at once
// instead of retrying the task. Permanent(nil) is nil.
func Permanent(err error) error { return fault.Permanent(err) }

// BadRecord marks err as caused by the record of the current call of a map, such as a malformed
// number. Every attempt would meet it, so the job fails at once, as after [Permanent], unless the
// job skips bad records. BadRecord(nil) is nil.
func BadRecord(err error) error { return fault.Bad(err) }

// ErrRecordTooLarge is wrapped by the error of an attempt that would have to hold a record larger
// than [Task.LargestRecord]: a quarter of the memory budget, but at least 16 MiB and at most 1 GiB.
// The error is permanent. The limit applies to input records outside of mapped files, to keys with
// their combined values, and to spilled pairs that a Reduce receives. Records that are only scanned
// or passed through may have any size: lines of a mapped file, pairs of a job that sorts bytes.
var ErrRecordTooLarge = memory.ErrRecordTooLarge

// RecordError is the error of a map for one record, with the place of the record: Input is the name
// of the source, Offset that of the record's first byte in the uncompressed source (-1 if records
// are not bytes), Number counts from 1 among the records of the source that the attempt has read,
// Head has the first bytes of the record and Size is its size in bytes (empty and 0 if records are
// not bytes). Err is the error of the map.
type RecordError = read.RecordError
