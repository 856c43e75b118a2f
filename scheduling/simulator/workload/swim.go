package workload

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// ErrFormat is wrapped by every refusal of a file; the message starts with file and line.
var ErrFormat = errors.New("bad workload")

// refuse makes the error for a line of a file.
func refuse(name string, line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w: %s", name, line, ErrFormat, fmt.Sprintf(format, args...))
}

// byteOrderMark is what some editors put before UTF-8.
const byteOrderMark = "\xef\xbb\xbf"

// notText gives the first line, from 1, that holds a NUL byte or is not UTF-8; 0 if none does.
func notText(text []byte) int {
	line := 1
	for len(text) > 0 {
		one, rest, _ := bytes.Cut(text, []byte{'\n'})
		if !utf8.Valid(one) || bytes.IndexByte(one, 0) >= 0 {
			return line
		}
		text, line = rest, line+1
	}
	return 0
}

// TraceRow is one line of a SWIM trace [SWIM wiki, "Workloads repository"].
type TraceRow struct {
	ID      string
	Submit  int64 // seconds since the start
	Gap     int64 // seconds since the job before
	Input   int64 // bytes, as are the next two
	Shuffle int64 // 0: a map-only job
	Output  int64
	Path    string // label of the input's path, "" if the trace has none; as in the file, not repaired
}

// maxSeconds bounds times in a trace.
const maxSeconds = int64(maxSubmit / time.Second)

// ReadTrace reads the rows of a SWIM trace: tab-separated, no header, 6 columns, or 8 or 9 with
// paths. name is for messages. Errors wrap ErrFormat: bytes that are no text, missing columns,
// negative or huge numbers, times that go back.
func ReadTrace(r io.Reader, name string) ([]TraceRow, error) {
	var rows []TraceRow
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), 1<<20)
	n := 0
	for lines.Scan() {
		n++
		line := bytes.TrimRight(lines.Bytes(), "\r")
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte(byteOrderMark))
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		row, err := parseRow(line)
		if err != nil {
			return nil, refuse(name, n, "%v", err)
		}
		if len(rows) > 0 && row.Submit < rows[len(rows)-1].Submit {
			return nil, refuse(name, n, "time goes back from %d s to %d s", rows[len(rows)-1].Submit, row.Submit)
		}
		if len(rows) == maxJobs {
			return nil, refuse(name, n, "more than %d jobs", maxJobs)
		}
		rows = append(rows, row)
	}
	if err := lines.Err(); err != nil {
		return nil, refuse(name, n+1, "%v", err)
	}
	if len(rows) == 0 {
		return nil, refuse(name, max(n, 1), "no job in it")
	}
	return rows, nil
}

// parseRow reads one line.
func parseRow(line []byte) (TraceRow, error) {
	if notText(line) > 0 {
		return TraceRow{}, errors.New("not text")
	}
	if n := bytes.Count(line, []byte{'\t'}) + 1; n < 6 || n > 9 {
		return TraceRow{}, fmt.Errorf("%d columns, want 6, or 8 or 9 with paths", n)
	}
	cols := strings.Split(string(line), "\t")
	row := TraceRow{ID: cols[0]}
	if row.ID == "" || len(row.ID) > maxNameLen {
		return TraceRow{}, fmt.Errorf("job id of %d bytes", len(row.ID))
	}
	for i, field := range [...]struct {
		what string
		to   *int64
		top  int64
	}{
		{"submit time", &row.Submit, maxSeconds},
		{"gap", &row.Gap, maxSeconds},
		{"map input bytes", &row.Input, MaxBytes},
		{"shuffle bytes", &row.Shuffle, MaxBytes},
		{"output bytes", &row.Output, MaxBytes},
	} {
		n, err := strconv.ParseInt(cols[i+1], 10, 64)
		switch {
		case err != nil:
			return TraceRow{}, fmt.Errorf("%s %.40q is not a whole number", field.what, cols[i+1])
		case n < 0:
			return TraceRow{}, fmt.Errorf("%s %d is negative", field.what, n)
		case n > field.top:
			return TraceRow{}, fmt.Errorf("%s %d is above %d", field.what, n, field.top)
		}
		*field.to = n
	}
	if len(cols) > 6 {
		row.Path = cols[6]
	}
	if len(row.Path) > maxNameLen {
		return TraceRow{}, fmt.Errorf("path of %d bytes", len(row.Path))
	}
	return row, nil
}

// RepairPaths gives each row the number of its input path, from 1, or 0 for rows without one.
// SWIM's generator labels every second and later access to path k as inputPath(k-1): a label one
// above all before it is a new path, any other means its successor. ok is false if the labels are
// of another form; then equal labels mean equal paths.
func RepairPaths(rows []TraceRow) (paths []int, ok bool) {
	paths = make([]int, len(rows))
	newest := -1
	for i, r := range rows {
		if r.Path == "" {
			continue
		}
		digits, found := strings.CutPrefix(r.Path, "inputPath")
		label, err := strconv.Atoi(digits)
		if i == 0 || newest < 0 {
			newest = label - 1 // the first label starts the count
		}
		if !found || err != nil || label < 0 || label > newest+1 {
			return literalPaths(rows), false
		}
		if label == newest+1 {
			newest++
			paths[i] = label + 1
		} else {
			paths[i] = label + 2
		}
	}
	return dense(paths), true
}

// literalPaths numbers labels as they stand.
func literalPaths(rows []TraceRow) []int {
	number := map[string]int{"": 0}
	paths := make([]int, len(rows))
	for i, r := range rows {
		n, seen := number[r.Path]
		if !seen {
			n = len(number)
			number[r.Path] = n
		}
		paths[i] = n
	}
	return paths
}

// dense renumbers paths from 1 in the order of their first appearance.
func dense(paths []int) []int {
	number := map[int]int{0: 0}
	for i, p := range paths {
		n, seen := number[p]
		if !seen {
			n = len(number)
			number[p] = n
		}
		paths[i] = n
	}
	return paths
}

// TraceOptions says how rows become jobs. The zero value scales nothing and takes 128 MB blocks and
// 1 GB a reduce; a job has up to 10 million tasks of a kind.
type TraceOptions struct {
	Nodes          int // ours; with OriginalNodes it scales the bytes by Nodes/OriginalNodes
	OriginalNodes  int // of the traced cluster: 600 for Facebook 2009, 3,000 for 2010; 0 scales nothing
	Block          int64
	BytesPerReduce int64   // a choice: the trace has no number of reduces; 0 means 1 GB
	MaxReduces     int     // of one job, such as the cluster's reduce slots; 0 means no bound
	MaxMaps        int     // of one job; larger jobs shrink in proportion; 0 means no bound
	TimeScale      float64 // submission times are multiplied by it; 0 means 1
	Jobs           int     // only the first so many; 0 means all
	DropEmpty      bool    // leave out rows without input
	RawPaths       bool    // take path labels as they stand instead of repairing them
	Map, Reduce    Cost    // of every job
	Skew           Skew    // of every job
}

// ReadSWIM reads a SWIM trace and turns its rows into jobs. Errors wrap ErrFormat.
func ReadSWIM(r io.Reader, name string, o TraceOptions) (Workload, error) {
	rows, err := ReadTrace(r, name)
	if err != nil {
		return Workload{}, err
	}
	w, err := FromTrace(rows, o)
	if err != nil {
		return Workload{}, fmt.Errorf("%s: %w", name, err)
	}
	w.Name = name
	return w, nil
}

// FromTrace turns rows into jobs: maps = input/block, at least 1; reduces =
// (shuffle+output)/BytesPerReduce, at least 1, or none if nothing is shuffled. Jobs with the same
// input path share a file as long as the longest of them needs.
func FromTrace(rows []TraceRow, o TraceOptions) (Workload, error) {
	if o.Jobs > 0 && o.Jobs < len(rows) {
		rows = rows[:o.Jobs]
	}
	scale := 1.0
	if o.OriginalNodes > 0 && o.Nodes > 0 {
		scale = float64(o.Nodes) / float64(o.OriginalNodes)
	}
	if o.TimeScale == 0 {
		o.TimeScale = 1
	}
	if o.Block == 0 {
		o.Block = DefaultBlock
	}
	if o.BytesPerReduce == 0 {
		o.BytesPerReduce = 1 << 30
	}
	if scale > 1e6 || !(o.TimeScale >= 0 && o.TimeScale <= 1e6) || o.Block < 1 || o.BytesPerReduce < 1 {
		return Workload{}, fmt.Errorf("workload: trace options out of range: %+v", o)
	}
	paths, _ := RepairPaths(rows)
	if o.RawPaths {
		paths = literalPaths(rows)
	}
	w := Workload{Name: "trace"}
	for i, row := range rows {
		if o.DropEmpty && row.Input == 0 {
			continue
		}
		j, err := row.job(scale, &o)
		if err != nil {
			return Workload{}, fmt.Errorf("job %s: %w", row.ID, err)
		}
		j.File = paths[i]
		for len(w.Files) < j.File {
			w.Files = append(w.Files, File{Name: fmt.Sprintf("path%d", len(w.Files)+1), Blocks: 1})
		}
		if j.File > 0 {
			f := &w.Files[j.File-1]
			f.Blocks = max(f.Blocks, j.Maps)
		}
		w.Jobs = append(w.Jobs, j)
	}
	return w, w.Validate()
}

// job turns one row into a job.
func (r TraceRow) job(scale float64, o *TraceOptions) (Job, error) {
	sized := func(n int64) int64 {
		scaled := math.Round(float64(n) * scale)
		if scaled < 1 && n > 0 {
			return 1 // keep nonzero as nonzero: a shuffle must not turn into none
		}
		return int64(min(scaled, float64(MaxBytes)))
	}
	at := float64(r.Submit) * o.TimeScale // seconds
	if at > maxSubmit.Seconds() {
		return Job{}, fmt.Errorf("%w: submitted after %.0f s, at most %.0f", ErrFormat, at, maxSubmit.Seconds())
	}
	j := Job{
		Name: r.ID, Submit: time.Duration(math.Round(at*1e6)) * time.Microsecond,
		InputBytes: sized(r.Input), ShuffleBytes: sized(r.Shuffle), OutputBytes: sized(r.Output),
		Map: o.Map, Reduce: o.Reduce, Skew: o.Skew,
	}
	maps := (j.InputBytes + o.Block - 1) / o.Block
	if o.MaxMaps > 0 && maps > int64(o.MaxMaps) {
		shrink := float64(o.MaxMaps) / float64(maps)
		j.InputBytes, j.ShuffleBytes, j.OutputBytes = int64(float64(j.InputBytes)*shrink), int64(float64(j.ShuffleBytes)*shrink), int64(float64(j.OutputBytes)*shrink)
		maps = int64(o.MaxMaps)
	}
	if maps > maxTasks {
		return j, fmt.Errorf("%w: %d maps, at most %d", ErrFormat, maps, maxTasks)
	}
	j.Maps = max(1, int(maps))
	j.Class = Bin(j.Maps)
	if j.ShuffleBytes > 0 {
		top := int64(maxTasks)
		if o.MaxReduces > 0 {
			top = min(top, int64(o.MaxReduces))
		}
		j.Reduces = int(min(max((j.ShuffleBytes+j.OutputBytes+o.BytesPerReduce/2)/o.BytesPerReduce, 1), top))
	}
	return j, nil
}
