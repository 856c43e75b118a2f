package workload

import (
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

// maxSeconds limits times in a trace.
const maxSeconds = int64(maxSubmit / time.Second)

// readSWIM reads a SWIM trace [SWIM wiki, "Workloads repository"]: tab-separated, without header, 6
// columns, or 8 or 9 with paths. It rejects missing columns, negative or huge numbers, and
// decreasing times.
//
// A row becomes a job with input/DefaultBlock maps, at least 1, and (shuffle+output)/1 GB reduces,
// at least 1, or none if nothing is shuffled. Jobs with the same input path share a file of the
// size that the largest of them needs.
func readSWIM(r io.Reader, o *TraceOptions) (w Workload, line int, err error) {
	var paths []string // of the jobs' inputs
	last := int64(0)
	line, err = w.addLines(r, 1<<20, func(line string) (*Job, error) {
		j, submit, path, err := parseRow(line)
		switch {
		case err != nil:
			return nil, err
		case submit < last:
			return nil, fmt.Errorf("time goes back from %d s to %d s", last, submit)
		}
		if last = submit; o.Jobs > 0 && len(w.Jobs) == o.Jobs {
			return nil, nil
		}
		j.Map, j.Reduce, j.Skew = o.Map, o.Reduce, o.Skew
		paths = append(paths, path)
		return j, j.scale(submit, o)
	})
	if err == nil {
		w.share(repairPaths(paths))
	}
	return w, line, err
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

// parseRow parses one line: a job with its bytes, the time of its submission in seconds, and the
// label of its input's path, "" if the trace has none.
func parseRow(line string) (j *Job, submit int64, path string, err error) {
	c := columns{words: strings.Split(line, "\t")}
	if n := len(c.words); n < 6 || n > 9 {
		return nil, 0, "", fmt.Errorf("%d columns, want 6, or 8 or 9 with paths", n)
	}
	j = &Job{Name: c.next("job id")}
	if j.Name == "" || len(j.Name) > maxNameLen {
		c.fail("job id of %d bytes", len(j.Name))
	}
	submit = c.integer("submit time", maxSeconds)
	c.integer("gap", maxSeconds) // since the previous job: follows from the times
	j.InputBytes = c.integer("map input bytes", MaxBytes)
	j.ShuffleBytes = c.integer("shuffle bytes", MaxBytes)
	j.OutputBytes = c.integer("output bytes", MaxBytes)
	if len(c.words) > 0 {
		path = c.next("path")
	}
	if len(path) > maxNameLen {
		c.fail("path of %d bytes", len(path))
	}
	return j, submit, path, c.err
}

// scale sets the arrival of a job of the trace, scales its bytes, and sets its numbers of tasks.
func (j *Job) scale(submit int64, o *TraceOptions) error {
	at := float64(submit) * o.TimeScale // seconds
	if at > maxSubmit.Seconds() {
		return fmt.Errorf("job %s: submitted after %.0f s, at most %.0f", j.Name, at, maxSubmit.Seconds())
	}
	j.Submit = time.Duration(math.Round(at*1e6)) * time.Microsecond
	if o.OriginalNodes > 0 && o.Nodes > 0 {
		for _, n := range []*int64{&j.InputBytes, &j.ShuffleBytes, &j.OutputBytes} {
			scaled := math.Round(float64(*n) * (float64(o.Nodes) / float64(o.OriginalNodes)))
			*n = int64(min(max(scaled, float64(min(*n, 1))), float64(MaxBytes))) // nonzero stays nonzero: a shuffle must not vanish
		}
	}
	maps := (j.InputBytes + DefaultBlock - 1) / DefaultBlock
	if o.MaxMaps > 0 && maps > int64(o.MaxMaps) {
		shrink := float64(o.MaxMaps) / float64(maps)
		j.InputBytes, j.ShuffleBytes, j.OutputBytes = int64(float64(j.InputBytes)*shrink), int64(float64(j.ShuffleBytes)*shrink), int64(float64(j.OutputBytes)*shrink)
		maps = int64(o.MaxMaps)
	}
	if maps > maxTasks {
		return fmt.Errorf("job %s: %d maps, at most %d", j.Name, maps, maxTasks)
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
	return nil
}

// repairPaths returns the number of each job's input path, from 1, or 0 for jobs without one.
// SWIM's generator labels every second and later access to path k as inputPath(k-1). A label that
// is one above all earlier ones is a new path; any other label means its successor. If labels have
// another form, equal labels mean equal paths.
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
