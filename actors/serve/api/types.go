package api

import (
	"encoding/json"
	"time"

	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// Submission is a request to run a job.
type Submission struct {
	// Job is the name of a kind of job that the server offers, such as wordcount.
	Job string `json:"job"`
	// Args are its flags and inputs, as after `tarry run JOB`. Files are paths below the server's
	// roots, or dfs:NAME in its block store.
	Args []string `json:"args,omitempty"`
	// Directory is the base of relative file names; empty means the first root.
	Directory string `json:"directory,omitempty"`
	// User is the submitter. If the server authenticates callers it must be the caller, unless an
	// administrator submits for another user; empty means the caller. Otherwise empty means
	// anonymous.
	User string `json:"user,omitempty"`
	// Pool, Queue and Priority override those of Args. Priority is very_high, high, normal, low or
	// very_low; empty means normal.
	Pool     string `json:"pool,omitempty"`
	Queue    string `json:"queue,omitempty"`
	Priority string `json:"priority,omitempty"`
}

// The states of a job.
const (
	Waiting   = "waiting" // being prepared, or nothing launched yet
	Running   = "running"
	Succeeded = "succeeded"
	Failed    = "failed"
	Killed    = "killed"
)

// AnyEnd selects jobs in any of the last three states.
const AnyEnd = "ended"

// Job is a submitted job.
type Job struct {
	ID       int64    `json:"id"` // counts from 1
	Job      string   `json:"job"`
	Args     []string `json:"args,omitempty"`
	User     string   `json:"user"`
	Pool     string   `json:"pool,omitempty"` // or queue
	Priority string   `json:"priority"`
	State    string   `json:"state"`
	// Reason says why a job that has not ended launches nothing, if known.
	Reason    string     `json:"reason,omitempty"`
	Error     string     `json:"error,omitempty"` // of a failed or killed job
	Output    string     `json:"output"`
	Submitted time.Time  `json:"submitted"`
	Ended     *time.Time `json:"ended,omitempty"`
	// ElapsedSeconds is the time from the submission to the job's end, or until now.
	ElapsedSeconds float64 `json:"elapsed_seconds"`
	// Stages are the cluster jobs of which it consists, as far as they have begun. Each reads the
	// output of the one before it.
	Stages []Stage `json:"stages,omitempty"`
	// Resumed says that an earlier process of the server accepted the job.
	Resumed bool `json:"resumed,omitempty"`
	// MayChange says that the caller may kill, move and re-prioritize the job while it runs.
	MayChange bool `json:"may_change,omitempty"`
}

// Ended reports whether state is final.
func Ended(state string) bool { return state == Succeeded || state == Failed || state == Killed }

// Stage is a cluster job.
type Stage struct {
	ID             string  `json:"id"` // such as job_0001, as in events
	MapFraction    float64 `json:"map_fraction"`
	ReduceFraction float64 `json:"reduce_fraction"`
	Maps           Tasks   `json:"maps"`
	Reduces        Tasks   `json:"reduces"`
	// Launched maps by locality.
	NodeLocal int `json:"node_local"`
	RackLocal int `json:"rack_local"`
	OffRack   int `json:"off_rack"`
	// Fair shares in slots, if the scheduler computes them.
	MapShare    *float64 `json:"map_share,omitempty"`
	ReduceShare *float64 `json:"reduce_share,omitempty"`
}

// Tasks counts tasks, and attempts, of one kind.
type Tasks struct {
	Total   int `json:"total"`
	Done    int `json:"done"`
	Running int `json:"running"` // attempts
	Failed  int `json:"failed"`  // attempts
	Killed  int `json:"killed"`  // attempts
}

// Counters are the counters of a job's ended stages.
type Counters struct {
	Counters []counter.Value `json:"counters"`
}

// Node is a node of the cluster.
type Node struct {
	Name  string `json:"name"`
	Rack  string `json:"rack"`
	State string `json:"state"` // up, cordoned, draining, or down
	// Slots and Running are those of maps and of reduces.
	MapSlots       int `json:"map_slots"`
	ReduceSlots    int `json:"reduce_slots"`
	RunningMaps    int `json:"running_maps"`
	RunningReduces int `json:"running_reduces"`
	// Avoided says that all jobs avoid the node because of its failures.
	Avoided bool `json:"avoided,omitempty"`
	// SeenSeconds is the time since its last heartbeat.
	SeenSeconds float64 `json:"seen_seconds"`
}

// File is a file or directory of the block store.
type File struct {
	Name      string `json:"name"` // path from the root of the store
	Directory bool   `json:"directory,omitempty"`
	Size      int64  `json:"size"`
}

// Pool is a pool or a queue.
type Pool struct {
	Name    string    `json:"name"`
	Jobs    int       `json:"jobs"`
	Weight  float64   `json:"weight,omitempty"` // 0 for queues
	Mode    string    `json:"mode,omitempty"`   // fair or fifo, for pools
	Maps    PoolTasks `json:"maps"`
	Reduces PoolTasks `json:"reduces"`
}

// PoolTasks is the state of a pool or queue for slots of one kind.
type PoolTasks struct {
	Min     int      `json:"min"`           // minimum share, or capacity
	Max     *int     `json:"max,omitempty"` // omitted: no limit
	Running int      `json:"running"`
	Demand  int      `json:"demand"`
	Share   *float64 `json:"share,omitempty"` // fair share
}

// Policy is the current scheduler.
type Policy struct {
	Name     string    `json:"name"`
	Settings []Setting `json:"settings"`
	Pools    []Pool    `json:"pools,omitempty"` // or queues
	// AutoWaitSeconds is the wait for data, at each level, while locality.auto is true.
	AutoWaitSeconds float64 `json:"auto_wait_seconds"`
	// Reload describes the configuration files that are reloaded when they change; nil if there are
	// none.
	Reload *Reload `json:"reload,omitempty"`
}

// Setting is one setting of the scheduler.
type Setting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	Range string `json:"range,omitempty"`
	Help  string `json:"help"`
	// Idle says why the setting has no effect; empty if it has one.
	Idle string `json:"idle,omitempty"`
}

// Reload is the result of the last reload of configuration files.
type Reload struct {
	Time  *time.Time `json:"time,omitempty"`  // when a configuration was last applied or rejected
	Error string     `json:"error,omitempty"` // why the old configuration stays
}

// PolicyChange changes settings at run time: all of them or none.
type PolicyChange struct {
	// Set maps keys of settings to values.
	Set map[string]string `json:"set,omitempty"`
	// Weights maps pools to weights above 0; a pool that is not listed yet is added.
	Weights map[string]float64 `json:"weights,omitempty"`
}

// Server describes the server.
type Server struct {
	Version     string    `json:"version"`
	Boot        string    `json:"boot"` // identifies this process of the server
	Started     time.Time `json:"started"`
	Scheduler   string    `json:"scheduler"`
	Nodes       int       `json:"nodes"`
	MapSlots    int       `json:"map_slots"`
	ReduceSlots int       `json:"reduce_slots"`
	// Durable says that jobs and files survive this process.
	Durable bool `json:"durable"`
	// Jobs are the kinds of job that clients may submit.
	Jobs []Kind `json:"jobs"`
	// Caller is the caller of this request.
	Caller Caller `json:"caller"`
}

// Caller is a user of the server and their rights.
type Caller struct {
	User string `json:"user"`
	// Known says that a token or certificate authenticates the user; otherwise it is the caller's
	// claim.
	Known bool `json:"known"`
	// Manages says that the caller may change nodes and the scheduler's settings.
	Manages bool `json:"manages"`
}

// Kind is a kind of job.
type Kind struct {
	Name    string `json:"name"`
	Summary string `json:"summary"`
}

// Page is one page of a list.
type Page[T any] struct {
	Items []T `json:"items"`
	// Next, if not empty, requests the next page: after=NEXT.
	Next string `json:"next,omitempty"`
}

// Bodies of requests that change a job.
type (
	// Kill ends a job.
	Kill struct {
		Reason string `json:"reason,omitempty"`
	}
	// SetPriority changes a job's priority.
	SetPriority struct {
		Priority string `json:"priority"`
	}
	// SetPool moves a job to another pool or queue.
	SetPool struct {
		Pool string `json:"pool"`
	}
)

// Problem is the error of a failed call (RFC 9457).
type Problem struct {
	Type   string `json:"type"` // about:blank
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail,omitempty"`
	// Code identifies the problem for programs and does not change: bad-request, denied, not-found,
	// …
	Code string `json:"code"`
}

// Error returns the detail, or the title if there is none.
func (p *Problem) Error() string {
	if p.Detail == "" {
		return p.Title
	}
	return p.Detail
}

// Event is one event of the cluster.
type Event struct {
	ID   string          // pass it as last to resume after this event
	Type string          // such as launched; missed means that earlier events were dropped
	Data json.RawMessage // the JSON of a line of --events
}
