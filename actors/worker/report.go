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

// readReports reads the reports in a folder, from files whose names end with suffix and do not
// begin with a dot or underscore.
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
			return nil, fmt.Errorf("%s: %w", in.fullName(name), err)
		}
		list = append(list, some...)
	}
	return list, nil
}
