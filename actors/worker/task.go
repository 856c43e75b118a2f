package worker

import (
	"bytes"
	"compress/flate"
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
	Plan     string `json:"plan"` // path of the plan file
	Dir      string `json:"dir"`  // working directory of the program
	Run      int    `json:"run"`  // number of calls of actors.Run before the task's
	Kind     string `json:"kind"`
	Index    int    `json:"index"`   // -1: the end of the first line of standard input, or provided by the engine
	Attempt  int    `json:"attempt"` // -1: provided by the engine
	Memory   int64  `json:"memory,omitempty"`
	Spills   string `json:"spills,omitempty"`   // directory for spills; empty: os.TempDir
	Folder   string `json:"folder,omitempty"`   // see Options.Folder
	Reports  string `json:"reports,omitempty"`  // folder for reports; empty: standard output
	Shuffle  string `json:"shuffle,omitempty"`  // folder between maps and reduces; empty: the engine moves frames
	MaxSkips int    `json:"skips,omitempty"`    // records that a map may skip
	Attempts int    `json:"attempts,omitempty"` // attempts that the worker itself makes at the task; 0: one
	Inner    bool   `json:"inner,omitempty"`    // a process of this program has started the worker, and reads its verdict
	Frames   bool   `json:"frames,omitempty"`   // the worker writes its frames or report to framesFile
	// Stores are the stores that the submitter has opened, as stores.Roots returned them.
	Stores map[string]string `json:"stores,omitempty"`
	// Tickets are files beside the worker with which it opens stores, by environment variable.
	Tickets map[string]string `json:"tickets,omitempty"`
	// Timeout is how long the task may make no progress; 0: without limit.
	Timeout time.Duration `json:"timeout,omitempty"`
	// Heartbeat is a file whose modification time the worker updates; empty: none.
	Heartbeat string `json:"heartbeat,omitempty"`
	// Args are the program's arguments. They are sent here because engines quote arguments
	// differently.
	Args []string `json:"args"`
}

// id returns the ID of the attempt that the task describes.
func (t *task) id() mapreduce.AttemptID {
	return (&report{Kind: t.Kind, Index: t.Index, Attempt: t.Attempt}).id()
}

// framesFile is the descriptor of a worker to which it writes what an engine moves.
const framesFile = 3

// ownFolder, as task.Spills, means the directory in which an engine starts a worker.
const ownFolder = "."

// An environment variable holds at most 128 KiB on Linux. A long value (the program's arguments may
// be a thousand file names) is compressed and begins with packed, which the base64 of JSON never
// does.
const (
	longestTask = 120 << 10
	longTask    = 4 << 10
	packed      = "z"
)

// env returns the value of TARRY_TASK, without characters that engines and shells might interpret.
func (t task) env() string {
	b, _ := json.Marshal(t) // plain fields cannot fail
	if len(b) < longTask {
		return base64.RawURLEncoding.EncodeToString(b)
	}
	var small bytes.Buffer
	w, _ := flate.NewWriter(&small, flate.BestCompression) // the level is valid
	_, _ = w.Write(b)                                      // to memory
	_ = w.Close()
	return packed + base64.RawURLEncoding.EncodeToString(small.Bytes())
}

// fits returns an error if the task is too long for the environment.
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
	if t.Frames {
		output = os.NewFile(framesFile, "frames")
		syscall.CloseOnExec(framesFile) // what the user's code starts must not write frames
	}
	if t.Dir != "" {
		if err := os.Chdir(t.Dir); err != nil && !stores.Named(t.Plan) { // with a store there may be no common disk
			giveUp(err)
		}
	}
	if t.Heartbeat != "" {
		go t.beat()
	}
	os.Args = append(os.Args[:1], t.Args...)
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

// attemptOf returns this attempt's number from the engine's variables; it differs between attempts
// of a task.
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

// indexOf returns the task's index from the engine's variables or standard input.
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
