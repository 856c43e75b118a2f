package replay

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// ErrRecording matches every error about events that are not a complete recording of a run.
var ErrRecording = errors.New("no recording of a whole run")

// refusal is an error about events that cannot be replayed; errors.Is matches it to ErrRecording.
type refusal struct{ error }

// Is makes errors.Is(err, ErrRecording) true.
func (refusal) Is(target error) bool { return target == ErrRecording }

// Limits that protect the memory from a damaged recording.
const (
	maxNodes = 1_000_000
	maxTasks = 50_000_000
	maxTries = 1_000
)

// Reader builds a Recording from the events of a run, added in order. The zero value is ready to
// use. A Reader is not safe for concurrent use.
type Reader struct {
	// Unfinished accepts jobs that have not ended. A replay runs these to their end, with the
	// median times of those of their tasks that have ended. The figures omit such jobs.
	Unfinished bool

	rec     *Recording
	expiry  time.Duration
	tasks   int
	ends    []int          // numbers of the jobs that have ended, in order
	changes map[string]int // kinds of events that a replay ignores, with counts
}

// Add adds the run's next event. The error, ErrRecording, means that the run cannot be replayed.
func (r *Reader) Add(e event.Event) error {
	if r.rec == nil {
		return r.begin(e)
	}
	if e.Type == event.Launched || e.Type == event.Skipped {
		r.asked(e)
	}
	switch e.Type {
	case event.Began:
		return bad("another run begins here: a file of one run is needed")
	case event.Joined:
		return r.joined(e)
	case event.Lost:
		return r.lost(e)
	case event.Submitted:
		return r.submitted(e)
	case event.Finished:
		j, err := r.job(e.JobID)
		if err != nil {
			return err
		}
		j.result.Ended, j.state = e.At, e.State
		r.ends = append(r.ends, int(e.JobID))
	case event.Priority, event.Pool, event.Reconfigured, event.Cordoned:
		r.changes[ignored[e.Type]]++
	default:
		if e.Attempt != (scheduling.AttemptID{}) {
			return r.attempt(e)
		}
	}
	return nil
}

func bad(format string, a ...any) error {
	return refusal{fmt.Errorf(format, a...)}
}

// ignored has the changes that a replay ignores, by their events.
var ignored = map[event.Type]string{
	event.Priority: "changes of a job's priority", event.Pool: "moves of a job to another pool",
	event.Reconfigured: "changes of the policy", event.Cordoned: "cordons of a node",
}

// begin starts the recording with the run's first event, which must be its header.
func (r *Reader) begin(e event.Event) error {
	switch {
	case e.Type != event.Began || e.Began == nil:
		return bad("the first event is %q, not the header %q: the beginning of the recording is missing", e.Type, event.Began)
	case e.Began.Schema != event.Schema:
		return bad("events of version %d, want version %d", e.Began.Schema, event.Schema)
	case e.Policy == nil:
		return bad("the header does not tell the policy")
	}
	r.rec = &Recording{Began: *e.Began, Policy: *e.Policy}
	r.expiry = cmp.Or(e.Began.Expiry, 10*time.Minute)
	r.changes = map[string]int{}
	return nil
}

// joined records that a node has joined, or has come back.
func (r *Reader) joined(e event.Event) error {
	nodes := &r.rec.nodes
	if e.Node < 0 || int(e.Node) >= maxNodes || e.Slots[0] < 0 || e.Slots[1] < 0 {
		return bad("node %d of %d map and %d reduce slots", e.Node, e.Slots[0], e.Slots[1])
	}
	for int(e.Node) >= len(*nodes) {
		*nodes = append(*nodes, node{})
	}
	n := &(*nodes)[e.Node]
	n.Name, n.RackName, n.MapSlots, n.ReduceSlots, n.lastEvent = e.NodeName, e.Rack, e.Slots[0], e.Slots[1], e.At
	if n.Beat == 0 && !r.rec.Began.Simulated {
		n.Beat = e.At // a live node's heartbeats begin when it joins; the simulator draws those of others
	}
	if n.lost {
		n.down[len(n.down)-1].to, n.lost = e.At, false
	}
	return nil
}

// lost records that a node was lost. It counts as down from its last event on.
func (r *Reader) lost(e event.Event) error {
	n, err := r.node(e.Node)
	if err != nil || n.lost {
		return err
	}
	n.lost = true
	n.down = append(n.down, outage{from: max(n.lastEvent, e.At-r.expiry)})
	return nil
}

// node returns the node with a number, or an error if it has not joined.
func (r *Reader) node(id scheduling.NodeID) (*node, error) {
	if id < 0 || int(id) >= len(r.rec.nodes) || r.rec.nodes[id].Name == "" {
		return nil, bad("node %d has not joined", id)
	}
	return &r.rec.nodes[id], nil
}

// job returns a job that was submitted.
func (r *Reader) job(id scheduling.JobID) (*job, error) {
	if id < 1 || int(id) > len(r.rec.jobs) {
		return nil, bad("job %d was not submitted", id)
	}
	return r.rec.jobs[id-1], nil
}

// submitted adds a job to the recording.
func (r *Reader) submitted(e event.Event) error {
	if int(e.JobID) != len(r.rec.jobs)+1 {
		return bad("job %d is submitted where job %d was to come: the recording is not of a whole run", e.JobID, len(r.rec.jobs)+1)
	}
	if e.Tasks[0] < 0 || e.Tasks[1] < 0 || e.Tasks[0] > maxTasks || e.Tasks[1] > maxTasks || e.Bytes < 0 {
		return bad("job %d has %d maps, %d reduces and %d bytes", e.JobID, e.Tasks[0], e.Tasks[1], e.Bytes)
	}
	if r.tasks += e.Tasks[0] + e.Tasks[1]; r.tasks > maxTasks {
		return bad("more than %d tasks", maxTasks)
	}
	priority, err := scheduling.ParsePriority(cmp.Or(e.Priority, "NORMAL"))
	if err != nil {
		return bad("job %d: %w", e.JobID, err)
	}
	j := &job{places: e.Places, result: simulator.JobResult{Arrived: e.At}, Job: workload.Job{
		Name: e.Name, User: e.User, Pool: e.Pool, Priority: priority, Submit: e.At, Maps: e.Tasks[0], Reduces: e.Tasks[1],
		NoLocation: e.Places == nil, InputBytes: e.Bytes, SlowStart: e.Gate, SlotsPerTask: e.Width,
	}}
	if err := checkPlaces(e.Places, e.Tasks[0], len(r.rec.nodes)); err != nil {
		return bad("job %d: %w", e.JobID, err)
	}
	for k := range j.tasks {
		j.tasks[k] = make([]task, e.Tasks[k])
	}
	j.follows = r.followed(j)
	r.rec.jobs = append(r.rec.jobs, j)
	return nil
}

// chained is the maximum time between the end of a job and the submission of a job that waited for
// it. A simulation submits it at once.
const chained = 10 * time.Millisecond

// followed returns the job whose end a new job seems to have awaited. It is the last job of the
// same user and pool that ended just before; 0 means none.
func (r *Reader) followed(j *job) int {
	within := chained
	if r.rec.Began.Simulated {
		within = 0
	}
	for _, id := range slices.Backward(r.ends) {
		before := r.rec.jobs[id-1]
		if j.Submit-before.result.Ended > within {
			break
		}
		if before.succeeded() && before.User == j.User && before.Pool == j.Pool {
			return id
		}
	}
	return 0
}

// checkPlaces returns an error unless p has places for each of the maps, on known nodes.
func checkPlaces(p *event.InputPlaces, maps, nodes int) error {
	if p == nil || p.Omitted > 0 {
		return nil
	}
	want := p.Each * maps
	if p.Each == 0 {
		if len(p.Counts) != maps {
			return fmt.Errorf("places of %d maps, of %d", len(p.Counts), maps)
		}
		for _, n := range p.Counts {
			if n < 0 {
				return fmt.Errorf("%d places of a map", n)
			}
			want += int(n)
		}
	}
	if want != len(p.Nodes) {
		return fmt.Errorf("%d places where %d were to be", len(p.Nodes), want)
	}
	for _, n := range p.Nodes {
		if n < 0 || int(n) >= nodes {
			return fmt.Errorf("a block on node %d, which has not joined", n)
		}
	}
	return nil
}

// End returns the recording; all events must have been added. Errors are ErrRecording.
func (r *Reader) End() (*Recording, error) {
	if r.rec == nil {
		return nil, bad("it has no event")
	}
	rec := r.rec
	if len(rec.jobs) == 0 {
		return nil, bad("no job was submitted")
	}
	if i := slices.IndexFunc(rec.nodes, func(n node) bool { return n.Name == "" }); i >= 0 {
		return nil, bad("node %d has not joined", i)
	}
	var left []string
	for i, j := range rec.jobs {
		if j.state == "" {
			left = append(left, fmt.Sprintf("%d %.40q", i+1, j.Name))
		}
	}
	if len(left) > 0 && !r.Unfinished {
		more := " has not"
		if len(left) > 1 {
			more = fmt.Sprintf(" and %d more have not", len(left)-1)
		}
		return nil, bad("the run has not ended, or the recording is cut: job %s%s finished", left[0], more)
	}
	for i, j := range rec.jobs {
		for k := range j.tasks {
			for t := range j.tasks[k] {
				won := j.tasks[k][t].won()
				if j.succeeded() && won == nil {
					return nil, bad("job %d has succeeded without its %s %d: events are missing", i+1, scheduling.TaskKind(k), t)
				}
				if k == int(scheduling.Map) && won != nil {
					j.allDone = max(j.allDone, won.ended)
				}
			}
		}
	}
	r.warn()
	rec.numberRacks()
	return rec, nil
}

// warn sets Recording.Warnings: what a replay ignores or must estimate.
func (r *Reader) warn() {
	warn := func(n int, format string, values ...any) {
		if n > 0 {
			r.rec.Warnings = append(r.rec.Warnings, fmt.Sprintf(format, values...))
		}
	}
	for _, what := range slices.Sorted(maps.Keys(r.changes)) {
		warn(1, "%s are left out (%d)", what, r.changes[what])
	}
	ended, running, noPlaces, noSizes := 0, 0, 0, 0
	for _, j := range r.rec.jobs {
		switch {
		case j.state == "":
			running++
		case !j.succeeded():
			ended++
		}
		if j.places != nil && j.places.Omitted > 0 {
			noPlaces++
		}
		if j.Reduces > 0 && !j.hasOutput {
			noSizes++
		}
	}
	all := len(r.rec.jobs)
	warn(ended, "%d of %d jobs failed or were killed: they run to their end, and figures leave them out", ended, all)
	warn(running, "%d of %d jobs have not ended: they run on with tasks of their usual length, and figures leave them out", running, all)
	warn(noPlaces, "the places of the blocks of %d jobs are too many to be recorded: others are drawn", noPlaces)
	warn(noSizes, "the sizes of map outputs of %d jobs are not recorded: all are taken as alike", noSizes)
}

// Decode parses a line of JSON as an event. It ignores fields that only live runs write and that a
// replay does not need.
func Decode(line []byte) (e event.Event, err error) {
	if err = json.Unmarshal(line, &e); err != nil {
		return e, fmt.Errorf("not an event: %w", err)
	}
	if e.Type == 0 {
		return e, errors.New("not an event: it has no type")
	}
	return e, nil
}
