package worker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// report is what the engine hands to the submitter for each task whose output is to be committed: once,
// whatever attempts ran. As a line it is the task's index, a tab, and JSON.
type report struct {
	Kind     string            `json:"kind"`
	Index    int               `json:"index"`
	Attempt  int               `json:"attempt"`
	Counters *counter.Set      `json:"counters"`
	Output   cluster.Handover  `json:"output,omitzero"`
	Skipped  []cluster.Skipped `json:"skipped,omitempty"` // by a map
	Maps     []report          `json:"maps,omitempty"`    // of reduce 0: those of all maps
}

func (r *report) id() mapreduce.AttemptID {
	id := mapreduce.AttemptID{Index: r.Index, Try: r.Attempt}
	if r.Kind == reduceTask {
		id.Kind = mapreduce.ReduceKind
	}
	return id
}

// line is the report as a line, with its line feed.
func (r *report) line() ([]byte, error) {
	b, err := json.Marshal(r)
	return append(append(strconv.AppendInt(nil, int64(r.Index), 10), '\t'), append(b, '\n')...), err
}

// parseReports reads lines of reports, in which an engine may have left empty ones.
func parseReports(b []byte) (list []report, err error) {
	for line := range bytes.Lines(b) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		index, text, ok := bytes.Cut(line, []byte{'\t'})
		var r report
		if !ok || json.Unmarshal(text, &r) != nil || string(index) != strconv.Itoa(r.Index) || r.Counters == nil {
			return nil, fmt.Errorf("%.80q is no report of a task", line)
		}
		list = append(list, r)
	}
	return list, nil
}

// failure is what a worker that fails leaves in OUT/_temporary/errors.
type failure struct {
	Task      string `json:"task"`
	Error     string `json:"error"`
	Permanent bool   `json:"permanent"` // another attempt would meet it again
}

// failures is the folder of failures, in that of the plan: a file for each attempt that has failed.
const failures = "errors"

// readFailure is what an attempt that failed has left; nil if it could not.
func readFailure(temp folder, id mapreduce.AttemptID) *failure {
	in := temp.below(failures)
	if f := failureIn(in, id.String()); f != nil {
		return f
	}
	return failureIn(in, id.String()+crashSuffix)
}

// failureIn is what a file of failures says; nil if nothing, or it is being written.
func failureIn(in folder, name string) *failure {
	b, err := in.read(name)
	if err != nil {
		return nil
	}
	f := new(failure)
	if task, ok := strings.CutSuffix(name, crashSuffix); ok {
		f.Task, f.Error = task, crashed(string(b))
	} else if json.Unmarshal(b, f) != nil {
		return nil
	}
	if f.Error == "" {
		return nil
	}
	return f
}

// readReports reads the files of reports in a folder whose names end with suffix, and do not begin with a
// dot.
func readReports(in folder, suffix string) (list []report, err error) {
	files, err := in.list()
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		name := file.Name()
		if file.IsDir() || name[0] == '.' || name[0] == '_' || !strings.HasSuffix(name, suffix) {
			continue
		}
		b, err := in.read(name)
		if err != nil {
			return nil, err
		}
		some, err := parseReports(b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.place(name), err)
		}
		list = append(list, some...)
	}
	return list, nil
}
