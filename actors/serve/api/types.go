package api

import (
	"encoding/json"
	"time"

	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// Submission asks for a job.
type Submission struct {
	// Job is the name of a kind of job that the server has, such as wordcount.
	Job string `json:"job"`
	// Args are its flags and inputs, as behind `tarry run JOB`. Files are names below the server's
	// roots, or dfs:NAME in its block store.
	Args []string `json:"args,omitempty"`
	// Directory is where names of files that are not absolute begin; empty means the first root.
	Directory string `json:"directory,omitempty"`
	// User is who submits. Where users show who they are it must be that user, or empty; elsewhere
	// empty means anonymous.
	User string `json:"user,omitempty"`
	// Pool, Queue and Priority go before those of Args. Priority is very_high, high, normal, low or
	// very_low; empty means normal.
	Pool     string `json:"pool,omitempty"`
	Queue    string `json:"queue,omitempty"`
	Priority string `json:"priority,omitempty"`
}

// The states of a job.
const (
	Waiting   = "waiting" // it is being prepared, or nothing of it has been launched yet
	Running   = "running"
	Succeeded = "succeeded"
	Failed    = "failed"
	Killed    = "killed"
)

// Job is a job that was submitted.
type Job struct {
	ID       int64    `json:"id"` // counts from 1
	Job      string   `json:"job"`
	Args     []string `json:"args,omitempty"`
	User     string   `json:"user"`
	Pool     string   `json:"pool,omitempty"` // or queue
	Priority string   `json:"priority"`
	State    string   `json:"state"`
	// Reason is why a job that has not ended launches nothing, if that is known.
	Reason    string     `json:"reason,omitempty"`
	Error     string     `json:"error,omitempty"` // of a job that failed or was killed
	Output    string     `json:"output"`
	Submitted time.Time  `json:"submitted"`
	Ended     *time.Time `json:"ended,omitempty"`
	// ElapsedSeconds is the time since the submission so far, or to the end.
	ElapsedSeconds float64 `json:"elapsed_seconds"`
	// Stages are the jobs of the cluster that it is made of, as far as they have begun: each reads
	// what the one before it wrote.
	Stages []Stage `json:"stages,omitempty"`
	// Resumed says that a former process of the server took it in.
	Resumed bool `json:"resumed,omitempty"`
	// MayChange says that who asks may kill, move and re-prioritize it, were it not to have ended.
	MayChange bool `json:"may_change,omitempty"`
}

// Ended tells whether a job is in a state that it stays in.
func Ended(state string) bool { return state == Succeeded || state == Failed || state == Killed }

// Stage is a job of the cluster.
type Stage struct {
	ID             string  `json:"id"` // such as job_0001, as events name it
	MapFraction    float64 `json:"map_fraction"`
	ReduceFraction float64 `json:"reduce_fraction"`
	Maps           Tasks   `json:"maps"`
	Reduces        Tasks   `json:"reduces"`
	// Launched maps by locality.
	NodeLocal int `json:"node_local"`
	RackLocal int `json:"rack_local"`
	OffRack   int `json:"off_rack"`
	// Fair shares in slots, where the scheduler gives some.
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

// Counters are those of a job, of the stages that have ended.
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
	// Avoided says that all jobs avoid it for its faults.
	Avoided bool `json:"avoided,omitempty"`
	// SeenSeconds is how long ago its last heartbeat came.
	SeenSeconds float64 `json:"seen_seconds"`
}

// File is a file or directory of the block store.
type File struct {
	Name      string `json:"name"` // from the root of the store
	Directory bool   `json:"directory,omitempty"`
	Size      int64  `json:"size"`
}

// Pool is a pool or a queue.
type Pool struct {
	Name    string    `json:"name"`
	Jobs    int       `json:"jobs"`
	Weight  float64   `json:"weight,omitempty"` // 0 of queues
	Mode    string    `json:"mode,omitempty"`   // fair or fifo, of pools
	Maps    PoolTasks `json:"maps"`
	Reduces PoolTasks `json:"reduces"`
}

// PoolTasks is how a pool or queue stands with slots of one kind.
type PoolTasks struct {
	Min     int      `json:"min"`           // minimum share, or capacity
	Max     *int     `json:"max,omitempty"` // none: no limit
	Running int      `json:"running"`
	Demand  int      `json:"demand"`
	Share   *float64 `json:"share,omitempty"` // fair share
}

// Policy is the scheduler in force.
type Policy struct {
	Name     string    `json:"name"`
	Settings []Setting `json:"settings"`
	Pools    []Pool    `json:"pools,omitempty"` // or queues
	// Reload is about the configuration files that are read again when they change; nil: there are
	// none.
	Reload *Reload `json:"reload,omitempty"`
}

// Setting is one setting of the scheduler.
type Setting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	Range string `json:"range,omitempty"`
	Help  string `json:"help"`
	// Idle is why it has no effect, if it has none.
	Idle string `json:"idle,omitempty"`
}

// Reload is what came of the last look at changed configuration files.
type Reload struct {
	Time  *time.Time `json:"time,omitempty"`  // of the last that was put in force, or refused
	Error string     `json:"error,omitempty"` // why the old ones stay in force
}

// PolicyChange sets some settings at run time, all of them or none.
type PolicyChange struct {
	// Set has values of settings by their keys.
	Set map[string]string `json:"set,omitempty"`
	// Weights has weights of pools by name, above 0; a pool that is not listed yet will be.
	Weights map[string]float64 `json:"weights,omitempty"`
}

// Server is about the server itself.
type Server struct {
	Version     string    `json:"version"`
	Boot        string    `json:"boot"` // tells this process of the server from others
	Started     time.Time `json:"started"`
	Scheduler   string    `json:"scheduler"`
	Nodes       int       `json:"nodes"`
	MapSlots    int       `json:"map_slots"`
	ReduceSlots int       `json:"reduce_slots"`
	// Durable says that jobs and files outlive this process.
	Durable bool `json:"durable"`
	// Jobs are the kinds of job that may be submitted.
	Jobs []Kind `json:"jobs"`
	// Caller is who asks.
	Caller Caller `json:"caller"`
}

// Caller is who calls a server, and what they may do.
type Caller struct {
	User string `json:"user"`
	// Known says that a token or certificate shows it; else it is what they say.
	Known bool `json:"known"`
	// Manages says that they may change nodes and the scheduler's settings.
	Manages bool `json:"manages"`
}

// Kind is a kind of job.
type Kind struct {
	Name    string `json:"name"`
	Summary string `json:"summary"`
}

// Page is a part of a list.
type Page[T any] struct {
	Items []T `json:"items"`
	// Next, if not empty, is what the next page is asked for with: after=NEXT.
	Next string `json:"next,omitempty"`
}

// The bodies of changes to a job.
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

// Problem says why a call failed (RFC 9457). It is an error.
type Problem struct {
	Type   string `json:"type"` // about:blank
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail,omitempty"`
	// Code is for programs; it does not change: bad-request, denied, not-found, …
	Code string `json:"code"`
}

// Error is the detail.
func (p *Problem) Error() string {
	if p.Detail == "" {
		return p.Title
	}
	return p.Detail
}

// Event is one thing that happened in the cluster.
type Event struct {
	ID   string          // to resume behind it
	Type string          // such as launched; missed says that some before it were lost to this reader
	Data json.RawMessage // as a line of --events
}
