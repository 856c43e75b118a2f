package actors

import (
	"errors"
	"fmt"

	"github.com/tarry-mr/tarry/mapreduce"
)

// errSkipsForgotten refuses what would leave records out and not tell of all of them.
var errSkipsForgotten = errors.New("actors: a job with a key in Config.State cannot have MaxSkips: " +
	"which records the parts that are kept have left out is not remembered")

// maySkip tells a map, by an error, that with the records that it has left out the job has left out
// more than it may.
func (r *run) maySkip(m int32, list []mapreduce.Skipped) error {
	if len(list) == 0 {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(list)
	for other, skipped := range r.skipped {
		if other != m {
			n += len(skipped)
		}
	}
	return r.tooMany(n, list[0])
}

// tooMany is the error of so many records left out, if these are more than the job may; nil if not.
func (r *run) tooMany(n int, one mapreduce.Skipped) error {
	if n <= r.maxSkips {
		return nil
	}
	return mapreduce.Permanent(fmt.Errorf("%w: %d, of %d allowed; one is %s at byte %d: %s",
		mapreduce.ErrTooManySkips, n, r.maxSkips, one.Input, one.Offset, one.Reason))
}

// skips lists the records left out by the maps that are done. More than allowed is an error: maps
// that end at the same moment do not know of each other's.
func (r *run) skips() (list []mapreduce.Skipped, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, skipped := range r.skipped {
		list = append(list, skipped...)
	}
	mapreduce.SortSkipped(list)
	if len(list) > 0 {
		err = r.tooMany(len(list), list[0])
	}
	return list, err
}
