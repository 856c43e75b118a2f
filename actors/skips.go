package actors

import (
	"errors"
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
	n := len(list) - len(r.mapHistory(m).skipped)
	for _, h := range r.history {
		n += len(h.skipped)
	}
	return cluster.CheckSkips(n, r.maxSkips, list)
}

// skips lists the records skipped by the maps that are done. It returns an error if they exceed
// MaxSkips: maps that end at the same moment do not see each other's skips.
func (r *run) skips() (list []cluster.Skipped, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, h := range r.history {
		list = append(list, h.skipped...)
	}
	cluster.SortSkipped(list)
	return list, cluster.CheckSkips(len(list), r.maxSkips, list)
}

// leftToNext reports whether err comes from a bad record that the next attempt will skip.
func (a *attempt) leftToNext(err error) bool {
	return a.id.Task.Kind == scheduling.Map && a.run.maxSkips > 0 && int(a.id.Try) < a.run.firstSkip && cluster.IsBad(err)
}

// noteBad records the bad record on which a failed map attempt hung or exited, if the job may skip
// records: the next attempt skips it. The caller holds mu.
func (r *run) noteBad(task scheduling.TaskID, err error) {
	at, known := errors.AsType[*mapreduce.RecordError](err)
	stuck := errors.Is(err, ErrTaskTimeout) || errors.Is(err, cluster.ErrExited)
	if !known || !stuck || r.maxSkips == 0 || task.Kind != scheduling.Map {
		return
	}
	h := r.mapHistory(task.Index)
	h.bad = append(h.bad, cluster.BadRecord{Input: at.Input, Number: at.Number, Reason: at.Err.Error()})
}

// badRecords returns the records that the next attempt at a map must skip, because earlier attempts
// hung or exited on them.
func (r *run) badRecords(m int32) []cluster.BadRecord {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.mapHistory(m).bad)
}

// rememberSkips writes the records that a map has skipped to the state directory, if the job has
// one, so that a resumed job counts them. The caller calls it before it commits the map's part or
// gives the map's output to reduces. With sync the list is on the disk when rememberSkips returns.
func (r *run) rememberSkips(m int32, list []cluster.Skipped, sync bool) {
	if r.maxSkips == 0 || !r.remembered() {
		return
	}
	state, log := r.env.cfg.State, r.env.cfg.Logger
	if state.Skip(r.key, m, list, log) && sync {
		state.Sync(log)
	}
}

// resumeSkips restores the skips of maps whose output an earlier cluster has left: of kept maps, or
// of all maps if all reduces are kept. Other maps find their bad records themselves.
func (r *run) resumeSkips(kept []int32) {
	if !r.remembered() {
		return
	}
	list := r.env.cfg.State.Skips(r.key)
	if len(list) == 0 {
		return
	}
	if r.plan.Job().MapOnly {
		maps.DeleteFunc(list, func(m int32, _ []cluster.Skipped) bool { return !slices.Contains(kept, m) })
	} else if len(kept) < r.plan.Job().Reduces {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for m, skipped := range list {
		r.mapHistory(m).skipped = skipped
		r.sums.Add(counter.MapSkippedRecords, int64(len(skipped)))
	}
}
