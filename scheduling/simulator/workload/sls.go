package workload

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// slsJob is a job in the JSON of a trace of Hadoop's Scheduler Load Simulator.
type slsJob struct {
	ID    string    `json:"job.id"`
	User  string    `json:"job.user"`
	Queue string    `json:"job.queue.name"`
	Start millis    `json:"job.start.ms"`
	Count millis    `json:"job.count"` // of equal jobs; 0 means 1
	Tasks []slsTask `json:"job.tasks"`
}

// slsTask describes tasks of an slsJob.
type slsTask struct {
	Type     string `json:"container.type"` // map, the default, or reduce
	Host     string `json:"container.host"` // /rack/node with a map's data
	Count    millis `json:"count"`          // of equal tasks; 0 means 1
	Start    millis `json:"container.start.ms"`
	End      millis `json:"container.end.ms"`
	Duration millis `json:"container.duration.ms"` // if not 0, replaces start and end
	Former   millis `json:"duration.ms"`           // the former name of Duration
	rack     string // of a Rumen task, in place of Host
}

// rumenJob is a job of a Rumen trace.
type rumenJob struct {
	ID      string      `json:"jobID"`
	User    string      `json:"user"`
	Queue   string      `json:"queue"`
	Submit  millis      `json:"submitTime"`
	Maps    []rumenTask `json:"mapTasks"`
	Reduces []rumenTask `json:"reduceTasks"`
}

// rumenTask is a task of a Rumen trace.
type rumenTask struct {
	Attempts []struct {
		Result string `json:"result"`
		Start  millis `json:"startTime"`
		Finish millis `json:"finishTime"`
	} `json:"attempts"`
	Places []struct {
		Layers []string `json:"layers"` // rack, node
	} `json:"preferredLocations"`
}

// sls returns the job in the form of the Scheduler Load Simulator, with the tasks that succeeded.
func (r *rumenJob) sls() *slsJob {
	s := &slsJob{ID: r.ID, User: r.User, Queue: r.Queue, Start: r.Submit}
	for kind, list := range [][]rumenTask{r.Maps, r.Reduces} {
		for _, k := range list {
			task := slsTask{Type: [...]string{"map", "reduce"}[kind]}
			if len(k.Places) > 0 && len(k.Places[0].Layers) > 0 {
				task.rack = k.Places[0].Layers[0]
			}
			for _, a := range k.Attempts {
				if a.Result == "SUCCESS" {
					task.Start, task.End = a.Start, a.Finish
					s.Tasks = append(s.Tasks, task)
					break
				}
			}
		}
	}
	return s
}

// millis is an integer, mostly of milliseconds, with or without quotation marks. No field read here
// is negative, except Rumen's -1 for "none".
type millis int64

// UnmarshalJSON implements json.Unmarshaler.
func (m *millis) UnmarshalJSON(text []byte) error {
	word := strings.Trim(string(text), `"`)
	if word == "null" || word == "-1" {
		return nil
	}
	n, err := wholeNumber("number", word, maxMillis)
	*m = millis(n)
	return err
}

// maxMillis limits times in a trace; as milliseconds since 1970 it is in the year 2286.
const maxMillis = 1e13

// readSLS reads a trace of Hadoop's Scheduler Load Simulator or of Rumen: JSON objects, one per
// job.
//
// A job keeps its user, its queue (also as its pool), its submission, relative to the file's first
// job, its numbers of tasks, and the racks of its maps' data. The mean and the deviation of its
// task times become those of a lognormal distribution. These times include set-up, reading and
// shuffling; reduces therefore begin when all maps are done. For a Rumen task, its successful
// attempt is used. Jobs without successful maps are skipped.
func readSLS(r io.Reader, o *TraceOptions) (w Workload, line int, err error) {
	t := slsReader{racks: map[string]int32{}}
	lines := lineCounter{Reader: r}
	in := json.NewDecoder(&lines)
	for {
		var job struct {
			slsJob
			rumenJob
		}
		err := in.Decode(&job)
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && job.rumenJob.ID != "" {
			err = t.add(job.rumenJob.sls())
		} else if err == nil {
			err = t.add(&job.slsJob)
		}
		if err != nil {
			unread, _ := io.ReadAll(in.Buffered()) // not decoded
			if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
				unread = unread[syntax.Offset-in.InputOffset():]
			} else if errors.Is(err, io.ErrUnexpectedEOF) {
				unread = nil
			}
			return w, 1 + lines.breaks - bytes.Count(unread, []byte{'\n'}), err
		}
	}
	slices.SortStableFunc(t.w.Jobs, func(a, b Job) int { return cmp.Compare(a.Submit, b.Submit) })
	t.w.Stretch(o.TimeScale)
	return t.w, 0, nil
}

// slsReader collects the workload while readSLS reads the jobs of a trace.
type slsReader struct {
	w     Workload
	first millis           // submission of the first job
	begun bool             // first is set
	racks map[string]int32 // numbers of racks, by name
	tasks int              // of all jobs so far
}

// add adds a job, Count times, to the workload, unless it has no maps. If the rack of some map's
// data is unknown, the maps prefer no node.
func (t *slsReader) add(s *slsJob) error {
	var tasks [2]taskTimes
	var racks []int32
	for _, k := range s.Tasks {
		took := cmp.Or(k.Duration, k.Former, k.End-k.Start)
		n := max(1, int(k.Count))
		if t.tasks += n; n > maxTasks || t.tasks > maxAllTasks {
			return fmt.Errorf("job %.40q: more than %d tasks of one kind, or %d in all", s.ID, maxTasks, maxAllTasks)
		}
		switch k.Type {
		case "", "map":
			rack, _, _ := strings.Cut(strings.TrimPrefix(k.Host, "/"), "/")
			racks = append(racks, slices.Repeat([]int32{t.rack(cmp.Or(k.rack, rack))}, n)...)
			tasks[0].add(took, n)
		case "reduce":
			tasks[1].add(took, n)
		default:
			return fmt.Errorf("job %.40q: container.type %.40q is neither map nor reduce", s.ID, k.Type)
		}
	}
	if !t.begun {
		t.first, t.begun = s.Start, true
	}
	name := func() string { return cmp.Or(s.ID, "job"+strconv.Itoa(len(t.w.Jobs)+1)) }
	j := Job{
		Name: name(), User: cmp.Or(s.User, "default"), Queue: s.Queue, Pool: s.Queue,
		Submit: max(0, s.Start-t.first).span(), Maps: tasks[0].n, Reduces: tasks[1].n, MapRacks: racks, SlowStart: 1,
		Map: tasks[0].cost(), Reduce: tasks[1].cost(), Class: Bin(tasks[0].n),
	}
	switch {
	case j.Maps == 0:
		return nil
	case tasks[0].negative || tasks[1].negative:
		return fmt.Errorf("job %.40q: a task ends before it starts", j.Name)
	case slices.Min(racks) < 0:
		j.MapRacks, j.NoLocation = nil, true
	}
	if err := j.check(0, nil); err != nil {
		return fmt.Errorf("job %.40q: %w", j.Name, err)
	}
	for range max(1, s.Count) {
		j.Name = name()
		if t.w.Jobs = append(t.w.Jobs, j); len(t.w.Jobs) > maxJobs {
			return fmt.Errorf("more than %d jobs", maxJobs)
		}
	}
	return nil
}

// rack returns the number of a rack; -1 without a name.
func (t *slsReader) rack(name string) int32 {
	if name == "" {
		return -1
	}
	n, known := t.racks[name]
	if !known {
		n = int32(len(t.racks))
		t.racks[name] = n
	}
	return n
}

// span converts m to a Duration.
func (m millis) span() time.Duration { return time.Duration(m) * time.Millisecond }

// taskTimes accumulates the task times of a trace.
type taskTimes struct {
	n            int
	sum, squares float64 // of seconds
	negative     bool    // one of them is negative
}

// add adds n tasks of the same duration.
func (t *taskTimes) add(took millis, n int) {
	s := took.span().Seconds()
	t.n += n
	t.sum += float64(n) * s
	t.squares += float64(n) * float64(s*s)
	t.negative = t.negative || took < 0
}

// cost returns a Cost whose lognormal task times have the mean and deviation of the added ones.
func (t *taskTimes) cost() Cost {
	c := Cost{Setup: -1, CPU: -1}
	if mean := t.sum / float64(max(t.n, 1)); mean > 0 {
		c.Time = time.Duration(math.Round(mean*1e3)) * time.Millisecond
		c.Spread = math.Sqrt(math.Log(max(1, t.squares/float64(t.n)/float64(mean*mean))))
	}
	return c
}

// lineCounter is a Reader that counts the line feeds that it has read.
type lineCounter struct {
	io.Reader
	breaks int
}

func (l *lineCounter) Read(p []byte) (n int, err error) {
	n, err = l.Reader.Read(p)
	l.breaks += bytes.Count(p[:n], []byte{'\n'})
	return n, err
}
