package worker

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tarry-mr/tarry/dfs/stores"
	"github.com/tarry-mr/tarry/mapreduce"
)

// The environment variables of a worker, and of a program whose jobs are to run on an engine.
const (
	taskVariable = "TARRY_TASK"
	// OnVariable names the engine on which actors.Run runs jobs, such as processes:4.
	OnVariable = "TARRY_ON"
)

// The kinds of task. Index and attempt of one, where they are -1, are what the engine's own variables or
// standard input say.
const (
	mapTask    = "map"
	reduceTask = "reduce"
	eitherTask = "either" // mapreduce_task_ismap tells
	mappedTask = "mapped" // the maps come first, the reduces after them
)

// task is what TARRY_TASK says: one attempt of one task, of the program's run number Run.
type task struct {
	Plan     string `json:"plan"` // the plan file
	Dir      string `json:"dir"`  // where the program runs
	Run      int    `json:"run"`  // calls of actors.Run before the one whose task it is
	Kind     string `json:"kind"`
	Index    int    `json:"index"`   // -1: the first line of standard input ends with it, or the engine says it
	Attempt  int    `json:"attempt"` // -1: the engine says it
	Memory   int64  `json:"memory,omitempty"`
	Spills   string `json:"spills,omitempty"`  // a folder; empty: that of the system
	Folder   string `json:"folder,omitempty"`  // see Options.Folder
	Shuffle  string `json:"shuffle,omitempty"` // the folder between maps and reduces; empty: the engine carries frames
	MaxSkips int    `json:"skips,omitempty"`   // records that a map may leave out
	Quiet    bool   `json:"quiet,omitempty"`   // whoever started it tells the error
	// Timeout is for how long it may go on without progress; 0: for ever.
	Timeout time.Duration `json:"timeout,omitempty"`
	// Heartbeat is a file whose time the worker sets again and again; empty: nobody asks for it.
	Heartbeat string `json:"heartbeat,omitempty"`
	// Args are the program's. They travel here, since engines have rules of their own for quotes.
	Args []string `json:"args"`
}

// ownFolder stands for the folder in which an engine starts a worker, as task.Spills.
const ownFolder = "."

// A value of the environment has at most 128 KiB on Linux. One that is long - the program's arguments may be
// the names of a thousand files - is compressed, and begins with packed, which is no base64 of JSON.
const (
	longestTask = 120 << 10
	longTask    = 4 << 10
	packed      = "z"
)

// env is the value of TARRY_TASK: without spaces, quotes and what else engines and shells might take
// for their own.
func (t task) env() string {
	b, _ := json.Marshal(t) // plain fields
	if len(b) < longTask {
		return base64.RawURLEncoding.EncodeToString(b)
	}
	var small bytes.Buffer
	w, _ := flate.NewWriter(&small, flate.BestCompression) // the level is one
	_, _ = w.Write(b)                                      // to memory
	_ = w.Close()
	return packed + base64.RawURLEncoding.EncodeToString(small.Bytes())
}

// fits tells whether workers can be told of a task.
func (t task) fits() error {
	if n := len(t.env()); n > longestTask {
		return mapreduce.Permanent(fmt.Errorf("the program's arguments are too long for workers: compressed they take %d bytes of the "+
			"environment, more than %d: name a folder, or give a glob in quotes", n, longestTask))
	}
	return nil
}

func parseTask(text string) (*task, error) {
	t := new(task)
	text, long := strings.CutPrefix(text, packed)
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil && long {
		b, err = io.ReadAll(flate.NewReader(bytes.NewReader(b)))
	}
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

// asked is the task of this process, nil if it is not a worker. Output is what its standard output was
// before it was redirected.
var (
	ready  bool // Main has been called
	asked  *task
	wrong  error // of asked
	output io.Writer
)

// errNoMain is the error of a program that runs jobs on an engine without having called Main.
var errNoMain = mapreduce.Permanent(errors.New("the program is its own worker: its main function must begin with worker.Main()"))

// Main is the first call in the main function of a program whose jobs may run on an engine (TARRY_ON).
// In a process that an engine has started for one task it makes the arguments and the folder those of
// the submitter, and redirects standard output, which carries frames, to standard error; actors.Run then
// runs the task. In all other processes it changes nothing. A second call has no effect.
func Main() {
	if ready {
		return
	}
	ready = true
	text, ok := os.LookupEnv(taskVariable)
	if !ok {
		return
	}
	f, err := redirectStdout()
	output = f
	if asked, wrong = parseTask(text); wrong == nil {
		wrong = err
	}
	if wrong == nil && asked.Dir != "" {
		if err := os.Chdir(asked.Dir); err != nil && !stores.Named(asked.Plan) { // then there need be no common disk
			wrong = err
		}
	}
	if wrong == nil && asked.Heartbeat != "" {
		go asked.beat()
	}
	os.Args = append(os.Args[:1], asked.Args...)
}

// Asked reports whether this process is a worker: whether it is to run one task and end.
func Asked() bool {
	_, ok := os.LookupEnv(taskVariable)
	return ok
}

// Folder is, in a worker, the Options.Folder of who submitted the job.
func Folder() string {
	if asked == nil {
		return ""
	}
	return asked.Folder
}

// runs counts the plans that the program has run, or would have run if it were no worker.
var runs atomic.Int64

// firstLine is the task's index as an engine gives it on standard input: a number, perhaps behind
// a byte offset and a tab.
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

// attemptOf is the number of this attempt in the words of the engines, which no two attempts of a task
// share.
func attemptOf(getenv func(string) string) (int, error) {
	for _, name := range []string{"TARRY_ATTEMPT", "TARRY_FAILURES", "mapreduce_task_attempt_id", "SLURM_RESTART_COUNT"} {
		if v := getenv(name); v != "" {
			n, err := strconv.Atoi(v[strings.LastIndexByte(v, '_')+1:])
			if err != nil || n < 0 {
				return 0, fmt.Errorf("%s=%s: no number of an attempt", name, v)
			}
			return n, nil
		}
	}
	return 0, nil
}

// indexOf is the number of the task in the words of the engines.
func (t *task) indexOf(getenv func(string) string, stdin io.Reader) (int, error) {
	names := []string{"TARRY_INDEX", "SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"}
	if t.Kind == reduceTask {
		names = append(names, "mapreduce_task_partition")
	}
	for _, name := range names {
		if v := getenv(name); v != "" {
			n, err := strconv.Atoi(v)
			if err != nil {
				return 0, fmt.Errorf("%s=%s: no number of a task", name, v)
			}
			return n, nil
		}
	}
	if t.Kind == reduceTask {
		return 0, fmt.Errorf("none of %s says which reduce this is", strings.Join(names, ", "))
	}
	return firstLine(stdin)
}
