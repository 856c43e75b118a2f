package actors

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/scheduling"
)

// maySkip returns an error if the records that a map has skipped push the job beyond MaxSkips.
func (r *run) maySkip(m int32, list []cluster.Skipped) error {
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

// tooMany returns an error if n skipped records are more than the job may skip.
func (r *run) tooMany(n int, one cluster.Skipped) error {
	if n <= r.maxSkips {
		return nil
	}
	return mapreduce.Permanent(fmt.Errorf("%w: %d, of %d allowed; one is %s at byte %d: %s",
		mapreduce.ErrTooManySkips, n, r.maxSkips, one.Input, one.Offset, one.Reason))
}

// skips lists the records left out by the maps that are done. More than allowed is an error: maps
// that end at the same moment do not know of each other's.
func (r *run) skips() (list []cluster.Skipped, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, skipped := range r.skipped {
		list = append(list, skipped...)
	}
	cluster.SortSkipped(list)
	if len(list) > 0 {
		err = r.tooMany(len(list), list[0])
	}
	return list, err
}

// leftToNext tells whether the error is that of a bad record which the next attempt leaves out.
func (a *attempt) leftToNext(err error) bool {
	return a.id.Task.Kind == scheduling.Map && a.run.maxSkips > 0 && int(a.id.Try) < a.run.firstSkip && mapreduce.IsBad(err)
}

// noteBad takes in the record from which a failed attempt at a map did not return, if that is why it
// failed and records may be left out: the next attempt leaves it out. The caller holds mu.
func (r *run) noteBad(task scheduling.TaskID, err error) {
	at, known := errors.AsType[*mapreduce.RecordError](err)
	stuck := errors.Is(err, ErrTaskTimeout) || errors.Is(err, mapreduce.ErrExited)
	if !known || !stuck || r.maxSkips == 0 || task.Kind != scheduling.Map {
		return
	}
	if r.bad == nil {
		r.bad = map[int32][]cluster.BadRecord{}
	}
	r.bad[task.Index] = append(r.bad[task.Index], cluster.BadRecord{Input: at.Input, Number: at.Number, Reason: at.Err.Error()})
}

// badRecords are those of a map that its next attempt is to leave out.
func (r *run) badRecords(m int32) []cluster.BadRecord {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.bad[m])
}

// rememberSkips has the State remember what a map has left out, before its part is there or its
// output is given to reduces; sync says that it is on the disk when rememberSkips returns.
func (r *run) rememberSkips(m int32, list []cluster.Skipped, sync bool) {
	if r.maxSkips == 0 || !r.remembered() {
		return
	}
	state, log := r.env.cfg.State, r.env.cfg.Logger
	if state.skip(r.key, m, list, log) && sync {
		state.sync(log)
	}
}

// resumeSkips takes over what the maps have left out of which a former cluster has left the output:
// those that are kept, or all if all reduces are. What others left out, they leave out again.
func (r *run) resumeSkips(kept []int32) {
	if !r.remembered() {
		return
	}
	list := r.env.cfg.State.skips(r.key)
	if len(list) == 0 {
		return
	}
	if r.plan.MapOnly() {
		maps.DeleteFunc(list, func(m int32, _ []cluster.Skipped) bool { return !slices.Contains(kept, m) })
	} else if len(kept) < r.plan.Reduces() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for m, skipped := range list {
		r.skipped[m] = skipped
		r.sums.Add(counter.MapSkippedRecords, int64(len(skipped)))
	}
}
