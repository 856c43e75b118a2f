package workload

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/internal/textfile"
)

// reduceBytes is the sum of bytes that one reduce fetches and writes. It determines the number of
// reduces, which a SWIM trace does not contain.
const reduceBytes = 1 << 30

// maxSeconds limits times in a trace.
const maxSeconds = int64(maxSubmit / time.Second)

// TraceOptions configures the conversion of a trace to jobs. The zero value scales nothing; a job
// has up to 10 million tasks of a kind.
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

// swimRow is one line of a SWIM trace [SWIM wiki, "Workloads repository"].
type swimRow struct {
	id                     string
	submit                 int64  // seconds since the start
	input, shuffle, output int64  // bytes; shuffle 0: a map-only job
	path                   string // label of the input's path, "" if the trace has none
}

// ReadSWIM reads a SWIM trace: tab-separated, without header, 6 columns, or 8 or 9 with paths. name
// is used in messages. Errors wrap ErrFormat: invalid text, missing columns, negative or huge
// numbers, decreasing times.
//
// A row becomes a job with input/DefaultBlock maps, at least 1, and (shuffle+output)/1 GB reduces,
// at least 1, or none if nothing is shuffled. Jobs with the same input path share a file of the
// size that the largest of them needs.
func ReadSWIM(r io.Reader, name string, o TraceOptions) (Workload, error) {
	scale := 1.0
	if o.OriginalNodes > 0 && o.Nodes > 0 {
		scale = float64(o.Nodes) / float64(o.OriginalNodes)
	}
	o.TimeScale = cmp.Or(o.TimeScale, 1)
	if scale > 1e6 || !(o.TimeScale >= 0 && o.TimeScale <= 1e6) {
		return Workload{}, fmt.Errorf("%s: workload: trace options out of range: %+v", name, o)
	}
	w := Workload{Name: name}
	var paths []string // of the jobs' inputs
	last := int64(0)
	n, err := textfile.EachLine(r, 1<<20, func(_ int, line string) error {
		row, err := parseRow(line)
		switch {
		case err != nil:
			return err
		case row.submit < last:
			return fmt.Errorf("time goes back from %d s to %d s", last, row.submit)
		case len(w.Jobs) == maxJobs:
			return fmt.Errorf("more than %d jobs", maxJobs)
		}
		if last = row.submit; o.Jobs > 0 && len(w.Jobs) == o.Jobs {
			return nil
		}
		j, err := row.job(scale, &o)
		w.Jobs, paths = append(w.Jobs, j), append(paths, row.path)
		return err
	})
	if err == nil && len(w.Jobs) == 0 {
		err = errors.New("no job in it")
	}
	if err != nil {
		return Workload{}, refuse(name, max(n, 1), "%v", err)
	}
	w.share(repairPaths(paths))
	if err := w.Validate(); err != nil {
		return Workload{}, fmt.Errorf("%s: %w", name, err)
	}
	return w, nil
}

// share lets jobs read the files with the given numbers, from 1; 0 means a file of the job's own.
func (w *Workload) share(files []int) {
	for i, f := range files {
		w.Jobs[i].File = f
		for len(w.Files) < f {
			w.Files = append(w.Files, File{Name: fmt.Sprintf("path%d", len(w.Files)+1), Blocks: 1})
		}
		if f > 0 {
			w.Files[f-1].Blocks = max(w.Files[f-1].Blocks, w.Jobs[i].Maps)
		}
	}
}

// parseRow parses one line of a SWIM trace.
func parseRow(line string) (row swimRow, err error) {
	c := columns{words: strings.Split(line, "\t")}
	if n := len(c.words); n < 6 || n > 9 {
		return row, fmt.Errorf("%d columns, want 6, or 8 or 9 with paths", n)
	}
	row.id = c.next("job id")
	if row.id == "" || len(row.id) > maxNameLen {
		return row, fmt.Errorf("job id of %d bytes", len(row.id))
	}
	row.submit = c.integer("submit time", maxSeconds)
	c.integer("gap", maxSeconds) // since the previous job: follows from the times
	row.input = c.integer("map input bytes", MaxBytes)
	row.shuffle = c.integer("shuffle bytes", MaxBytes)
	row.output = c.integer("output bytes", MaxBytes)
	if len(c.words) > 0 {
		row.path = c.next("path")
	}
	if len(row.path) > maxNameLen {
		c.fail("path of %d bytes", len(row.path))
	}
	return row, c.err
}

// job converts one row to a job.
func (r swimRow) job(scale float64, o *TraceOptions) (Job, error) {
	sized := func(n int64) int64 {
		scaled := math.Round(float64(n) * scale)
		if scaled < 1 && n > 0 {
			return 1 // nonzero stays nonzero: a shuffle must not vanish
		}
		return int64(min(scaled, float64(MaxBytes)))
	}
	at := float64(r.submit) * o.TimeScale // seconds
	if at > maxSubmit.Seconds() {
		return Job{}, fmt.Errorf("job %s: submitted after %.0f s, at most %.0f", r.id, at, maxSubmit.Seconds())
	}
	j := Job{
		Name: r.id, Submit: time.Duration(math.Round(at*1e6)) * time.Microsecond,
		InputBytes: sized(r.input), ShuffleBytes: sized(r.shuffle), OutputBytes: sized(r.output),
		Map: o.Map, Reduce: o.Reduce, Skew: o.Skew,
	}
	maps := (j.InputBytes + DefaultBlock - 1) / DefaultBlock
	if o.MaxMaps > 0 && maps > int64(o.MaxMaps) {
		shrink := float64(o.MaxMaps) / float64(maps)
		j.InputBytes, j.ShuffleBytes, j.OutputBytes = int64(float64(j.InputBytes)*shrink), int64(float64(j.ShuffleBytes)*shrink), int64(float64(j.OutputBytes)*shrink)
		maps = int64(o.MaxMaps)
	}
	if maps > maxTasks {
		return j, fmt.Errorf("job %s: %d maps, at most %d", r.id, maps, maxTasks)
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

// repairPaths returns the number of each job's input path, from 1, or 0 for jobs without one. SWIM's
// generator labels every second and later access to path k as inputPath(k-1). A label that is one
// above all earlier ones is a new path; any other label means its successor. If labels have another
// form, equal labels mean equal paths.
func repairPaths(labels []string) []int {
	paths := make([]int, len(labels))
	newest := -1
	for i, text := range labels {
		if text == "" {
			continue
		}
		digits, found := strings.CutPrefix(text, "inputPath")
		label, err := strconv.Atoi(digits)
		if i == 0 || newest < 0 {
			newest = label - 1 // the first label starts the count
		}
		if !found || err != nil || label < 0 || label > newest+1 {
			return numbered(labels)
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
