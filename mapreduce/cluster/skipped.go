package cluster

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// ErrTooManySkips is wrapped by the error of a job with more bad records than it may skip; the
// error of the first bad record is, too.
var ErrTooManySkips = errors.New("too many bad records")

// Skipped is a record that an attempt has skipped, since the user's map failed on it.
type Skipped struct {
	Input  string `json:"input"`  // name of the source
	Offset int64  `json:"offset"` // of the record's first byte in the uncompressed source; -1 if records are not bytes
	Number int64  `json:"record"` // position of the record, from 1, among those of the source that the attempt read
	Head   string `json:"head"`   // first bytes of the record; empty if records are not bytes
	Size   int    `json:"size"`   // size of the record in bytes
	Reason string `json:"reason"` // error or panic, with its place in the user's code
}

// BadRecord is a record from which the user's map did not return, because it hung or ended its
// goroutine. Later attempts skip it; see [MapAttempt].
type BadRecord struct {
	Input  string // name of the source
	Number int64  // number of the record, as in a RecordError of package mapreduce
	Reason string
}

// SortSkipped sorts records by the name of their source, then by position.
func SortSkipped(list []Skipped) {
	slices.SortFunc(list, func(a, b Skipped) int {
		return cmp.Or(cmp.Compare(a.Input, b.Input), cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.Number, b.Number))
	})
}

// CheckSkips returns a permanent error if n skipped records, among them one, are more than the job
// may skip.
func CheckSkips(n, most int, some []Skipped) error {
	if n <= most || len(some) == 0 {
		return nil
	}
	one := some[0]
	return fault.Permanent(fmt.Errorf("%w: %d, of %d allowed; one is %s at byte %d: %s",
		ErrTooManySkips, n, most, one.Input, one.Offset, one.Reason))
}
