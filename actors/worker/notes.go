package worker

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/tarry-mr/tarry/mapreduce"
)

// notes is the folder, in the plan's folder, with a file for each attempt: an empty one named
// ATTEMPT@HOST while it runs, then one named ATTEMPT that has noteDone, or the failure.
const (
	notes    = "attempts"
	noteDone = "{}"
)

// errRunning is passed to noteAttempt when an attempt begins.
var errRunning = errors.New("running")

// noteAttempt writes the note of an attempt that begins, succeeds or fails, and returns the error
// of a failed one. If the note cannot be written, noteAttempt ignores that. In a worker that an
// engine has started it also writes the error to standard error.
func (t *task) noteAttempt(id mapreduce.AttemptID, how error) (err error) {
	host, _ := os.Hostname() // an empty name works too
	text, running := []byte(noteDone), id.String()+"@"+host
	begins := errors.Is(how, errRunning)
	if f := failureOf(id, how); f != nil {
		err = f.err()
		if IsWorker() { // before the note: the submitter may end the run when it reads that
			fmt.Fprintf(os.Stderr, "%s%v\n", failedMark, err)
		}
		text, _ = json.Marshal(f) // plain fields cannot fail
	}
	temp, bad := folderOf(t.Plan)
	if bad != nil || t.there() != nil { // do not leave notes after the end of the run
		return err
	}
	switch in := temp.below(notes); {
	case begins:
		_ = in.write(running, nil)
	case in.write(id.String(), text) == nil:
		_ = in.remove(running)
	}
	return err
}

// failure is the note of a failed attempt.
type failure struct {
	Task string `json:"task"`
	Host string `json:"host"`
	verdict
}

// failureOf returns the note for an attempt that failed with how; nil if it succeeded or runs.
func failureOf(id mapreduce.AttemptID, how error) *failure {
	if how == nil || errors.Is(how, errRunning) {
		return nil
	}
	host, _ := os.Hostname()
	return &failure{id.String(), host, verdictOf(how)}
}

func (f *failure) err() error {
	return verdict{fmt.Sprintf("%s on %s: %s", f.Task, cmp.Or(f.Host, "this host"), f.Error), f.Permanent}.err()
}

// failureIn parses a note. It returns nil if the note records no failure or is incomplete.
func failureIn(in folder, name string) *failure {
	b, err := in.read(name)
	f := new(failure)
	if err != nil || json.Unmarshal(b, f) != nil || f.Error == "" {
		return nil
	}
	return f
}

// attemptNote is what the name, size and time of a note tell.
type attemptNote struct {
	name            string
	task            string // the name of an ended attempt without its number
	running, failed bool
	at              time.Time
}

// notesIn lists the notes in the plan's folder. Notes that cannot be seen now may be seen by the
// next call.
func notesIn(temp folder) (list []attemptNote) {
	files, _ := temp.below(notes).list()
	for _, file := range files {
		info, err := file.Info()
		if err != nil {
			continue
		}
		name := file.Name()
		list = append(list, attemptNote{
			name: name, task: name[:strings.LastIndexByte(name, '-')+1], running: strings.Contains(name, "@"),
			failed: info.Size() > int64(len(noteDone)), at: info.ModTime(),
		})
	}
	return list
}

// Progress counts the tasks of a job that runs on an engine.
type Progress struct {
	Maps, Reduces TaskCounts
	Tracking      string // URL of the job at its engine; empty: unknown
}

// TaskCounts counts tasks by state, and failed attempts.
type TaskCounts struct{ All, Done, Running, Failed int }

// String returns the progress as text, such as "maps 3 of 4 (1 running), reduces 0 of 2".
func (p Progress) String() string {
	text := fmt.Sprintf("maps %v, reduces %v", p.Maps, p.Reduces)
	if p.Tracking != "" {
		text += ", " + p.Tracking
	}
	return text
}

// String returns the counts as text, such as "3 of 4 (1 running), 2 failed".
func (c TaskCounts) String() string {
	text := fmt.Sprintf("%d of %d", c.Done, c.All)
	if c.Running > 0 {
		text += fmt.Sprintf(" (%d running)", c.Running)
	}
	if c.Failed > 0 {
		text += fmt.Sprintf(", %d failed", c.Failed)
	}
	return text
}

// progress returns the progress of the job according to its notes.
func (j *job) progress() Progress {
	p := Progress{Maps: TaskCounts{All: len(j.layout.Splits)}, Reduces: TaskCounts{All: j.layout.Reduces}, Tracking: j.tracking.Load().(string)}
	done := map[string]bool{}
	for _, n := range notesIn(j.temp) {
		of := &p.Maps
		if n.name[0] == 'r' {
			of = &p.Reduces
		}
		switch {
		case n.running:
			of.Running++
		case n.failed:
			of.Failed++
		case !done[n.task]:
			done[n.task] = true
			of.Done++
		}
	}
	return p
}

// How often the folder of notes is polled on a disk and in a store; tests poll more often.
var (
	watchEvery      = 500 * time.Millisecond
	watchStoreEvery = 2 * time.Second
)

// pollEvery returns how often the folder of notes is polled.
func (j *job) pollEvery() time.Duration {
	if j.temp.store != nil {
		return watchStoreEvery
	}
	return watchEvery
}

// watch polls the notes of a run: it reports the progress, and cancels the returned context when a
// worker has noted a permanent error. stop ends it.
func (j *job) watch(ctx context.Context) (watched context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	var all sync.WaitGroup
	all.Go(func() {
		var last Progress
		tick := time.NewTicker(j.pollEvery())
		defer tick.Stop()
		for over := false; !over; {
			select {
			case <-ctx.Done():
				over = true
			case <-tick.C:
			}
			if first := firstFailure(j.temp); first != nil && first.Permanent {
				cancel(first.err())
			}
			if p := j.progress(); j.o.Progress != nil && p != last {
				j.o.Progress(p)
				last = p
			}
		}
	})
	return ctx, func() {
		cancel(nil)
		all.Wait()
	}
}

// firstFailure returns the earliest failure that a worker left; permanent ones come first.
func firstFailure(temp folder) (first *failure) {
	var at time.Time
	for _, n := range notesIn(temp) {
		if !n.failed {
			continue
		}
		x := failureIn(temp.below(notes), n.name)
		if x == nil {
			continue
		}
		if first == nil || x.Permanent && !first.Permanent || x.Permanent == first.Permanent && n.at.Before(at) {
			first, at = x, n.at
		}
	}
	return first
}

// failed returns the first error that a worker noted, or err if no worker noted one.
func (j *job) failed(err error) error {
	first := firstFailure(j.temp)
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
	for _, n := range notesIn(j.temp) { // without notes, the error remains the engine's
		if id, host, running := strings.Cut(n.name, "@"); running {
			return fmt.Errorf("%s on %s: begun and not ended: it was killed with all its processes (%w)", id, host, err)
		}
	}
	return err
}
