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

// report is what the engine returns to the submitter for each task whose output must be committed:
// exactly one per task, however many attempts ran. Its text form is the task's index, a tab, and
// JSON on one line.
type report struct {
	Kind     string            `json:"kind"`
	Index    int               `json:"index"`
	Attempt  int               `json:"attempt"`
	Counters *counter.Set      `json:"counters"`
	Output   cluster.Handover  `json:"output,omitzero"`
	Skipped  []cluster.Skipped `json:"skipped,omitempty"` // records that a map has skipped
	Maps     []report          `json:"maps,omitempty"`    // in reduce 0: the reports of all maps
}

func (r *report) id() mapreduce.AttemptID {
	id := mapreduce.AttemptID{Index: r.Index, Try: r.Attempt}
	if r.Kind == reduceTask {
		id.Kind = cluster.ReduceKind
	}
	return id
}

// line returns the report in its text form, with a line feed.
func (r *report) line() ([]byte, error) {
	b, err := json.Marshal(r)
	return append(append(strconv.AppendInt(nil, int64(r.Index), 10), '\t'), append(b, '\n')...), err
}

// parseReports parses lines of reports and ignores empty lines.
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

// reports reads the reports of the tasks that have parts: in files named after the tasks, or in
// Hadoop's parts.
func (j *job) reports() (list []report, err error) {
	files, err := j.tasks.list()
	if err != nil {
		return nil, err
	}
	kind, _ := j.results()
	for _, file := range files {
		name := file.Name()
		if !strings.HasPrefix(name, kind[:1]+"-") && !strings.HasPrefix(name, "part-") {
			continue
		}
		b, err := j.tasks.read(name)
		if err != nil {
			return nil, err
		}
		some, err := parseReports(b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", j.tasks.fullName(name), err)
		}
		list = append(list, some...)
	}
	return list, nil
}

// reported returns how many tasks with parts have left a report.
func (j *job) reported() (n int, err error) {
	kind, _ := j.results()
	return j.tasks.count(kind[:1] + "-")
}
