package worker

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// notes is the folder, in the plan's folder, with a note for each attempt, named after it.
const notes = "attempts"

// note is what the submitter knows about an attempt. Its worker writes it when the attempt begins,
// and again when it has ended. Several attempts of a task may succeed: the submitter takes one.
type note struct {
	ID      mapreduce.AttemptID `json:"id"`
	Host    string              `json:"host"`
	verdict                     // has an Error if the attempt has failed
	// Counters are set if the attempt has succeeded, with the output to commit and the records that
	// a map has skipped.
	Counters *counter.Set      `json:"counters,omitempty"`
	Output   cluster.Handover  `json:"output,omitzero"`
	Skipped  []cluster.Skipped `json:"skipped,omitempty"`
}

func (n *note) running() bool { return n.Error == "" && n.Counters == nil }

// err returns the error of a failed attempt, with its ID and host.
func (n *note) err() error {
	return verdict{fmt.Sprintf("%v on %s: %s", n.ID, cmp.Or(n.Host, "this host"), n.Error), n.Permanent}.err()
}

// note returns a note of the task's attempt, which runs or, with an error, has failed.
func (t *task) note(how error) *note {
	host, _ := os.Hostname() // an empty name works too
	return &note{ID: t.id(), Host: host, verdict: verdictOf(how)}
}

// write writes a note, unless the run is over: then nothing must be created.
func (t *task) write(n *note) error {
	temp, err := t.there()
	if err != nil {
		return err
	}
	b, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return temp.below(notes).write(n.ID.String(), b)
}

// noteFailure writes the note of a failed attempt, if it can, and returns the attempt's error. In a
// worker that an engine has started it also writes the error to standard error.
func (t *task) noteFailure(how error) error {
	n := t.note(how)
	if IsWorker() { // before the note: the submitter may end the run when it reads that
		fmt.Fprintf(os.Stderr, "%s%v\n", failedMark, n.err())
	}
	_ = t.write(n)
	return n.err()
}

// readNote is a note as the submitter has last read it.
type readNote struct {
	note
	at   time.Time // when the file was written
	size int64
}

// ledger has the notes of a run. It is safe for concurrent use.
type ledger struct {
	in    folder
	mu    sync.Mutex
	known map[string]readNote // by name of the file
}

// read returns the notes, the oldest first. It opens only those that are new or have changed.
func (l *ledger) read() (list []readNote, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	files, err := l.in.list()
	for _, file := range files {
		name := file.Name()
		if strings.HasPrefix(name, ".") { // incomplete
			continue
		}
		info, bad := file.Info()
		if old, ok := l.known[name]; bad == nil && ok && old.size == info.Size() && old.at.Equal(info.ModTime()) {
			continue
		}
		var b []byte
		if bad == nil {
			b, bad = l.in.read(name)
		}
		var n note
		if bad == nil {
			bad = json.Unmarshal(b, &n)
		}
		if bad != nil {
			err = fmt.Errorf("%s: %w", l.in.fullName(name), bad)
			continue
		}
		l.known[name] = readNote{n, info.ModTime(), info.Size()}
	}
	list = slices.SortedFunc(maps.Values(l.known), func(a, b readNote) int {
		return cmp.Or(a.at.Compare(b.at), strings.Compare(a.ID.String(), b.ID.String()))
	})
	return list, err
}

// winners returns the first successful attempt of each task, by the ID of the task's attempt 0.
func winners(list []readNote) map[mapreduce.AttemptID]*note {
	won := map[mapreduce.AttemptID]*note{}
	for i := range list {
		n := &list[i].note
		if id := taskOf(n); n.Counters != nil && won[id] == nil {
			won[id] = n
		}
	}
	return won
}

func taskOf(n *note) mapreduce.AttemptID {
	return mapreduce.AttemptID{Kind: n.ID.Kind, Index: n.ID.Index}
}

// results returns the notes of the attempts to commit, maps first, or an error if a task has none.
func (j *job) results() (list []*note, err error) {
	all, err := j.notes.read()
	won := winners(all)
	for i, count := range []int{cluster.MapKind: len(j.layout.Splits), cluster.ReduceKind: j.layout.Reduces} {
		kind := cluster.TaskKind(i)
		for i := range count {
			n := won[mapreduce.AttemptID{Kind: kind, Index: i}]
			if n == nil {
				return nil, cmp.Or(err, fmt.Errorf("the engine has not said of each of %d %ss how it ended", count, kind))
			}
			list = append(list, n)
		}
	}
	return list, nil
}

// firstFailure returns the earliest failure; permanent ones come first.
func firstFailure(list []readNote) (first *note) {
	for i := range list {
		if n := &list[i].note; n.Error != "" && (first == nil || n.Permanent && !first.Permanent) {
			first = n
		}
	}
	return first
}

// failed returns the first error that a worker noted, or err if no worker noted one.
func (j *job) failed(err error) error {
	list, _ := j.notes.read() // without notes, the error remains the engine's
	first := firstFailure(list)
	if first == nil {
		return err
	}
	if err == nil || first.Permanent {
		return first.err()
	}
	return fmt.Errorf("%w (%w)", first.err(), err)
}

// unended adds to an engine's error the attempt that has begun but not ended, if any.
func (j *job) unended(err error) error {
	list, _ := j.notes.read() // without notes, the error remains the engine's
	for _, n := range list {
		if n.running() {
			return fmt.Errorf("%v on %s: begun and not ended: it was killed with all its processes (%w)", n.ID, n.Host, err)
		}
	}
	return err
}

// givenUp returns the job's error if a task has failed permanently, or MaxAttempts times on an
// engine that does not count failures itself; otherwise nil.
func (j *job) givenUp(list []readNote) error {
	first := firstFailure(list)
	switch {
	case first == nil || !first.Permanent && !j.engine.printed:
		return nil
	case first.Permanent:
		return first.err()
	}
	count := map[mapreduce.AttemptID]int{}
	for i := range list {
		if n := &list[i].note; n.Error != "" {
			if count[taskOf(n)]++; count[taskOf(n)] == j.maxAttempts() {
				return fmt.Errorf("%w (a task has failed as often as it may)", first.err())
			}
		}
	}
	return nil
}

// How often the folder of notes is polled on a disk and in a store; tests poll more often.
var (
	watchEvery      = 500 * time.Millisecond
	watchStoreEvery = 2 * time.Second
)

// watch polls the notes of a run, until it can close j.done. It reports the progress, and cancels
// the returned context with the error of givenUp. stop ends it.
func (j *job) watch(ctx context.Context) (watched context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	every := watchEvery
	if j.temp.store != nil {
		every = watchStoreEvery
	}
	var all sync.WaitGroup
	all.Go(func() {
		var last Progress
		tick := time.NewTicker(every)
		defer tick.Stop()
		for over := false; !over; {
			select {
			case <-ctx.Done():
				over = true
			case <-tick.C:
			}
			list, _ := j.notes.read() // what cannot be read now may be read by the next call
			if err := j.givenUp(list); err != nil {
				cancel(err)
			}
			p := j.progress(list)
			if j.o.Progress != nil && p != last {
				j.o.Progress(p)
				last = p
			}
			all := p.Maps.Done+p.Reduces.Done == p.Maps.All+p.Reduces.All
			if all && (j.engine.over == nil || j.engine.over(j)) {
				close(j.done)
				return
			}
		}
	})
	return ctx, func() {
		cancel(nil)
		all.Wait()
	}
}
