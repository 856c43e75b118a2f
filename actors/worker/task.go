package worker

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/tarry-mr/tarry/dfs/stores"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// Environment variables of a worker, and of a program whose jobs run on an engine.
const (
	taskVariable = "TARRY_TASK"
	// OnVariable names the engine on which actors.Run runs jobs, such as processes:4.
	OnVariable = "TARRY_ON"
)

// The kinds of task. An index or attempt of -1 must be completed from the engine's variables or
// standard input.
const (
	mapTask    = "map"
	reduceTask = "reduce"
	eitherTask = "either" // mapreduce_task_ismap decides
	mappedTask = "mapped" // maps are numbered first, then reduces
)

// task is the value of TARRY_TASK: one attempt of one task of the program's run number Run.
type task struct {
	Temp     string `json:"temp"` // folder of the run, with the plan file
	Dir      string `json:"dir"`  // working directory of the program
	Run      int    `json:"run"`  // number of calls of actors.Run before the task's
	Kind     string `json:"kind"`
	Index    int    `json:"index"`   // -1: the end of the first line of standard input, or provided by the engine
	Attempt  int    `json:"attempt"` // -1: provided by the engine
	Memory   int64  `json:"memory,omitempty"`
	Spills   string `json:"spills,omitempty"`   // directory for spills; empty: os.TempDir
	Folder   string `json:"folder,omitempty"`   // see Options.Folder
	Shuffle  string `json:"shuffle,omitempty"`  // folder between maps and reduces; empty: the engine moves frames
	MaxSkips int    `json:"skips,omitempty"`    // records that a map may skip
	Attempts int    `json:"attempts,omitempty"` // attempts that the worker itself makes at the task; 0: one
	Inner    bool   `json:"inner,omitempty"`    // a process of this program has started the worker, and reads its verdict
	Frames   bool   `json:"frames,omitempty"`   // the worker writes its frames to framesFile
	// Stores are the stores that the submitter has opened, as stores.Roots returned them.
	Stores map[string]string `json:"stores,omitempty"`
	// Tickets are files beside the worker with which it opens stores, by environment variable.
	Tickets map[string]string `json:"tickets,omitempty"`
	// Timeout is how long the task may make no progress; 0: without limit.
	Timeout time.Duration `json:"timeout,omitempty"`
	// plan is what the worker's process has read from Temp.
	plan *planFile
}

// id returns the ID of the attempt that the task describes.
func (t *task) id() mapreduce.AttemptID {
	id := mapreduce.AttemptID{Index: t.Index, Try: t.Attempt}
	if t.Kind == reduceTask {
		id.Kind = cluster.ReduceKind
	}
	return id
}

// framesFile is the descriptor of a worker to which it writes what an engine moves.
const framesFile = 3

// ownFolder, as task.Spills, means the directory in which an engine starts a worker.
const ownFolder = "."

// env returns the value of TARRY_TASK, without characters that engines and shells might interpret.
func (t task) env() string {
	b, _ := json.Marshal(t) // plain fields cannot fail
	return base64.RawURLEncoding.EncodeToString(b)
}

func parseTask(text string) (*task, error) {
	t := new(task)
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(b, t)
	}
	if err != nil {
		return t, fmt.Errorf("%s: %w", taskVariable, err)
	}
	if t.Spills == ownFolder {
		t.Spills, err = os.Getwd()
	}
	return t, err
}

// asked is the task of this process, nil if it is not a worker. output is for frames, or nil.
var (
	ready  bool // Main has been called
	asked  *task
	output io.Writer
)

// errNoMain is the error of a program that runs jobs on an engine without having called Main.
var errNoMain = mapreduce.Permanent(errors.New("the program is its own worker: its main function must begin with worker.Main()"))

// Main must be the first call in the main function of a program whose jobs may run on an engine
// (TARRY_ON). In a worker process it sets the submitter's arguments and working directory;
// actors.Run then runs the task. Standard output is standard error there. A worker that an engine
// has started supervises such a process. Main changes nothing in other processes, nor at a second
// call.
func Main() {
	if ready {
		return
	}
	ready = true
	text, ok := os.LookupEnv(taskVariable)
	if !ok {
		return
	}
	t, err := parseTask(text)
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s%v\n", failedMark, err)
		os.Exit(permanentExit)
	}
	stores.Use(t.Stores)
	t.useTickets()
	if !t.Inner {
		os.Exit(t.supervise(context.Background()))
	}
	asked, verdicts = t, os.Stderr
	if t.plan, err = t.readPlan(); err == nil {
		err = t.plan.check()
	}
	if err != nil {
		giveUp(err)
	}
	if t.Frames {
		output = os.NewFile(framesFile, "frames")
		syscall.CloseOnExec(framesFile) // what the user's code starts must not write frames
	}
	if t.Dir != "" {
		if err := os.Chdir(t.Dir); err != nil && !stores.Named(t.Temp) { // with a store there may be no common disk
			giveUp(err)
		}
	}
	go t.beat()
	os.Args = append(os.Args[:1], t.plan.Args...)
}

// useTickets sets the environment variables that name files with Kerberos tickets, for HDFS.
func (t *task) useTickets() {
	for variable, name := range t.Tickets {
		if file, err := filepath.Abs(name); err == nil { // the working directory changes
			_ = os.Setenv(variable, "FILE:"+file) // a valid name
		}
	}
}

// IsWorker reports whether this process is a worker, which runs one task and ends.
func IsWorker() bool {
	_, ok := os.LookupEnv(taskVariable)
	return ok
}

// Folder returns, in a worker, the submitter's Options.Folder.
func Folder() string {
	if asked == nil {
		return ""
	}
	return asked.Folder
}

// runs counts the plans that the program has run, or would have run if it were not a worker.
var runs atomic.Int64

// firstLine reads the task's index from standard input: a number, possibly after a byte offset and
// a tab.
func firstLine(r io.Reader) (int, error) {
	text, err := io.ReadAll(io.LimitReader(r, 1<<10))
	if err != nil {
		return 0, err
	}
	line, _, _ := strings.Cut(string(text), "\n")
	index, err := strconv.Atoi(strings.TrimSpace(line[strings.LastIndexByte(line, '\t')+1:]))
	if err != nil {
		return 0, fmt.Errorf("standard input begins with %q: no number of a split", line)
	}
	return index, nil
}

// numberOf returns the number at the end of the first of the engine's variables that is set, or -1.
func numberOf(what string, getenv func(string) string, variables ...string) (int, error) {
	for _, name := range variables {
		if v := getenv(name); v != "" {
			n, err := strconv.Atoi(v[strings.LastIndexByte(v, '_')+1:])
			if err != nil || n < 0 {
				return 0, fmt.Errorf("%s=%s: no number of %s", name, v, what)
			}
			return n, nil
		}
	}
	return -1, nil
}

// attemptOf returns this attempt's number from the engine's variables; it differs between attempts
// of a task.
func attemptOf(getenv func(string) string) (int, error) {
	n, err := numberOf("an attempt", getenv, "TARRY_ATTEMPT", "TARRY_FAILURES", "mapreduce_task_attempt_id", "SLURM_RESTART_COUNT")
	return max(n, 0), err
}

// indexOf returns the task's index from the engine's variables or standard input.
func (t *task) indexOf(getenv func(string) string, stdin io.Reader) (int, error) {
	names := []string{"TARRY_INDEX", "SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"}
	if t.Kind == reduceTask {
		names = append(names, "mapreduce_task_partition")
	}
	if n, err := numberOf("a task", getenv, names...); n >= 0 {
		return n, err
	}
	if t.Kind == reduceTask {
		return 0, fmt.Errorf("none of %s says which reduce this is", strings.Join(names, ", "))
	}
	return firstLine(stdin)
}
