package workload

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
)

// reduceBytes is the sum of bytes that one reduce fetches and writes. It determines the number of
// reduces, which a SWIM trace does not contain.
const reduceBytes = 1 << 30

// TraceOptions configures the conversion of rows to jobs. The zero value scales nothing; a job has
// up to 10 million tasks of a kind.
type TraceOptions struct {
	Nodes         int     // of the simulated cluster; with OriginalNodes it scales the bytes by Nodes/OriginalNodes
	OriginalNodes int     // of the traced cluster: 600 for Facebook 2009, 3,000 for 2010; 0 scales nothing
	MaxReduces    int     // per job, such as the cluster's reduce slots; 0 means no limit
	MaxMaps       int     // per job; larger jobs shrink in proportion; 0 means no limit
	TimeScale     float64 // factor on submission times; 0 means 1
	Jobs          int     // only the first N; 0 means all
	Map, Reduce   Cost    // of every job
	Skew          Skew    // of every job
}

// ReadSWIM reads a SWIM trace and converts its rows to jobs. Errors wrap ErrFormat.
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

// FromTrace converts rows to jobs: maps = input/DefaultBlock, at least 1; reduces =
// (shuffle+output)/1 GB, at least 1, or none if nothing is shuffled. Jobs with the same input path
// share a file of the size that the largest of them needs.
func FromTrace(rows []TraceRow, o TraceOptions) (Workload, error) {
	if o.Jobs > 0 && o.Jobs < len(rows) {
		rows = rows[:o.Jobs]
	}
	scale := 1.0
	if o.OriginalNodes > 0 && o.Nodes > 0 {
		scale = float64(o.Nodes) / float64(o.OriginalNodes)
	}
	o.TimeScale = cmp.Or(o.TimeScale, 1)
	if scale > 1e6 || !(o.TimeScale >= 0 && o.TimeScale <= 1e6) {
		return Workload{}, fmt.Errorf("workload: trace options out of range: %+v", o)
	}
	paths := repairPaths(rows)
	w := Workload{Name: "trace"}
	for i, row := range rows {
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

// job converts one row to a job.
func (r TraceRow) job(scale float64, o *TraceOptions) (Job, error) {
	sized := func(n int64) int64 {
		scaled := math.Round(float64(n) * scale)
		if scaled < 1 && n > 0 {
			return 1 // nonzero stays nonzero: a shuffle must not vanish
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
	maps := (j.InputBytes + DefaultBlock - 1) / DefaultBlock
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
		j.Reduces = int(min(max((j.ShuffleBytes+j.OutputBytes+reduceBytes/2)/reduceBytes, 1), top))
	}
	return j, nil
}

// repairPaths returns the number of each row's input path, from 1, or 0 for rows without one.
// SWIM's generator labels every second and later access to path k as inputPath(k-1). A label that
// is one above all earlier ones is a new path; any other label means its successor. If labels have
// another form, equal labels mean equal paths.
func repairPaths(rows []TraceRow) []int {
	paths := make([]int, len(rows))
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
			return literalPaths(rows)
		}
		if label == newest+1 {
			newest++
			paths[i] = label + 1
		} else {
			paths[i] = label + 2
		}
	}
	return numbered(paths)
}

// literalPaths numbers the rows' paths from 1; equal labels mean equal paths.
func literalPaths(rows []TraceRow) []int {
	labels := make([]string, len(rows))
	for i, r := range rows {
		labels[i] = r.Path
	}
	return numbered(labels)
}

// numbered numbers distinct names from 1, in order of first appearance; the zero name gets 0.
func numbered[T comparable](names []T) []int {
	var none T
	number := map[T]int{none: 0}
	list := make([]int, len(names))
	for i, name := range names {
		n, seen := number[name]
		if !seen {
			n = len(number)
			number[name] = n
		}
		list[i] = n
	}
	return list
}
