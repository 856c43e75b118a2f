package workload

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/internal/yamlfile"
	"github.com/tarry-mr/tarry/scheduling"
)

// readFile reads one entry of "files".
func (p *yamlReader) readFile(n yamlfile.Node) error {
	var f File
	err := p.Mapping(n, map[string]yamlfile.Field{
		"name":     p.text(&f.Name),
		"blocks":   p.count(&f.Blocks, maxTasks),
		"replicas": p.count(&f.Replicas, MaxReplicas),
	})
	if err != nil {
		return err
	}
	switch {
	case f.Name == "":
		return p.Fault(n, "a file needs a name")
	case f.Blocks == 0:
		return p.Fault(n, "file %q needs blocks", f.Name)
	case p.files[f.Name] != 0:
		return p.Fault(n, "file %q twice", f.Name)
	}
	if p.blocks += int64(f.Blocks) * int64(max(f.Replicas, 1)); p.blocks > maxAllTasks {
		return p.Fault(n, "more than %d replicas of blocks in all files", maxAllTasks)
	}
	p.w.Files = append(p.w.Files, f)
	p.files[f.Name] = len(p.w.Files)
	return nil
}

// yamlJob is an entry of "jobs" before its numbers are drawn. A nil distribution means that the key
// is missing.
type yamlJob struct {
	job                                  Job
	count                                int
	file                                 string
	at, gap, maps, reduces               *Dist
	input, shuffle, output               *Dist
	mapTime, reduceTime, setup           *Dist
	shuffleRatio, outputRatio, slowStart *float64
	spread, cpu                          float64
}

// fields returns, by key, the parsers of the values in an entry of "jobs"; they store them in y.
func (p *yamlReader) fields(y *yamlJob) map[string]yamlfile.Field {
	j := &y.job
	return map[string]yamlfile.Field{
		"name": p.text(&j.Name), "class": p.text(&j.Class), "user": p.text(&j.User), "pool": p.text(&j.Pool),
		"queue": p.text(&j.Queue), "priority": yamlfile.Value(&p.Reader, &j.Priority, scheduling.ParsePriority), "file": p.text(&y.file), "after": p.text(&j.After),
		"count": p.count(&y.count, maxJobs), "slots": p.count(&j.SlotsPerTask, 1000),
		"at": p.dist(&y.at, ParseSeconds), "gap": p.dist(&y.gap, ParseSeconds),
		"maps": p.dist(&y.maps, parseCount), "reduces": p.dist(&y.reduces, parseCount),
		"input": p.dist(&y.input, ParseBytes), "shuffle": p.dist(&y.shuffle, ParseBytes), "output": p.dist(&y.output, ParseBytes),
		"shuffle_ratio": p.given(&y.shuffleRatio, 1e6), "output_ratio": p.given(&y.outputRatio, 1e6),
		"map_time": p.dist(&y.mapTime, ParseSeconds), "reduce_time": p.dist(&y.reduceTime, ParseSeconds),
		"setup": p.dist(&y.setup, ParseSeconds), "spread": p.plain(&y.spread, 10), "cpu": p.plain(&y.cpu, 1e6),
		"slow_start": p.given(&y.slowStart, 1),
		"no_suspend": p.Truth(&j.NoSuspend), "no_location": p.Truth(&j.NoLocation), "known_times": p.Truth(&j.TellTimes),
		"skew": func(n yamlfile.Node) error {
			return p.Mapping(n, map[string]yamlfile.Field{
				"zipf": p.plain(&j.Skew.Zipf, 10), "shares": p.plain(&j.Skew.Shares, 10), "cells": p.plain(&j.Skew.Cells, 10),
			})
		},
		"keys": func(n yamlfile.Node) error {
			return p.Mapping(n, map[string]yamlfile.Field{
				"count": p.count(&j.Keys.Count, maxKeys), "zipf": p.plain(&j.Keys.Zipf, 10), "spread": p.plain(&j.Keys.Spread, 10),
			})
		},
	}
}

// readJob reads one entry of "jobs" and adds its jobs to the workload.
func (p *yamlReader) readJob(n yamlfile.Node) error {
	y := yamlJob{count: 1, cpu: 1}
	if err := p.Mapping(n, p.fields(&y)); err != nil {
		return err
	}
	switch {
	case y.maps == nil && y.input == nil:
		return p.Fault(n, "a job needs maps or input")
	case y.shuffle != nil && y.shuffleRatio != nil:
		return p.Fault(n, "shuffle and shuffle_ratio exclude each other")
	case y.output != nil && y.outputRatio != nil:
		return p.Fault(n, "output and output_ratio exclude each other")
	case y.file != "" && p.files[y.file] == 0:
		return p.Fault(n, "no file is called %q", y.file)
	case y.count+len(p.w.Jobs) > maxJobs:
		return p.Fault(n, "more than %d jobs", maxJobs)
	}
	for _, d := range []*Dist{y.at, y.gap, y.maps, y.reduces, y.input, y.shuffle, y.output, y.mapTime, y.reduceTime, y.setup} {
		if d != nil && d.Shape == ZipfRank && d.A*float64(y.count) > maxZipfWork {
			return p.Fault(n, "%d jobs that each draw from %v ranks: more than %g steps", y.count, d.A, float64(maxZipfWork))
		}
	}
	y.job.File = p.files[y.file]
	if y.slowStart != nil {
		y.job.SlowStart = cmp.Or(*y.slowStart, -1) // given as 0: no gate
	}
	return p.drawJobs(n, &y)
}

// drawJobs adds the count jobs of an entry to the workload, each with its own random numbers.
func (p *yamlReader) drawJobs(n yamlfile.Node, y *yamlJob) error {
	at := p.at
	if y.at != nil {
		at = y.at.Span(p.r)
	}
	for i := range y.count {
		j := y.job
		if j.Name == "" {
			j.Name = fmt.Sprintf("job%04d", len(p.w.Jobs)+1)
		} else if y.count > 1 {
			j.Name = fmt.Sprintf("%s-%d", j.Name, i+1)
		}
		p.draw(y, &j)
		if j.After == "" {
			j.Submit = at
		} else if y.at != nil {
			j.Submit = at // since the end of that job
		}
		after := map[string]bool{j.After: true} // names are checked when all jobs are read
		if err := j.check(len(p.w.Files), after); err != nil {
			return p.Fault(n, "%v", err)
		}
		if f := j.File; f > 0 && p.w.Files[f-1].Blocks < j.Maps {
			return p.Fault(n, "%d maps, but file %q has %d blocks", j.Maps, y.file, p.w.Files[f-1].Blocks)
		}
		if p.tasks += j.Maps + j.Reduces; p.tasks > maxAllTasks {
			return p.Fault(n, "more than %d tasks in all jobs", maxAllTasks)
		}
		p.w.Jobs = append(p.w.Jobs, j)
		if y.gap != nil {
			at += y.gap.Span(p.r)
		}
	}
	p.at = at
	return nil
}

// maxZipfWork limits the steps of one entry's draws from zipf; a draw takes a step per rank.
const maxZipfWork = 50_000_000

// draw sets j's tasks, bytes and costs from the distributions of its entry y.
func (p *yamlReader) draw(y *yamlJob, j *Job) {
	size := func(d *Dist) int64 { return int64(math.Round(min(d.Sample(p.r), float64(MaxBytes)))) }
	span := func(d *Dist) time.Duration {
		if d == nil {
			return 0
		}
		return d.Span(p.r)
	}
	if y.input != nil {
		j.InputBytes = size(y.input)
		j.Maps = int(min(max(1, (j.InputBytes+p.block-1)/p.block), maxTasks+1))
	}
	if y.maps != nil {
		j.Maps = max(1, y.maps.Count(p.r, maxTasks))
		if y.input == nil {
			j.InputBytes = min(int64(j.Maps), MaxBytes/p.block) * p.block
		}
	}
	if y.reduces != nil {
		j.Reduces = y.reduces.Count(p.r, maxTasks)
	}
	part := func(ratio float64, of int64) int64 { return int64(min(ratio*float64(of), float64(MaxBytes))) }
	switch {
	case y.shuffle != nil:
		j.ShuffleBytes = size(y.shuffle)
	case y.shuffleRatio != nil:
		j.ShuffleBytes = part(*y.shuffleRatio, j.InputBytes)
	}
	switch {
	case y.output != nil:
		j.OutputBytes = size(y.output)
	case y.outputRatio != nil:
		j.OutputBytes = part(*y.outputRatio, j.InputBytes)
	}
	setup := span(y.setup)
	if y.setup != nil && setup == 0 {
		setup = -1
	}
	cpu := cmp.Or(y.cpu, -1)
	j.Map = Cost{Setup: setup, Time: span(y.mapTime), CPU: cpu, Spread: y.spread}
	j.Reduce = Cost{Setup: setup, Time: span(y.reduceTime), CPU: cpu, Spread: y.spread}
	if j.Class == "" {
		j.Class = Bin(j.Maps)
	}
}

// sort sorts the jobs by submission, stable in the file's order; a job that follows another stays
// behind it.
func (p *yamlReader) sort() {
	keyOf := make(map[string]time.Duration, len(p.w.Jobs))
	type sortedJob struct {
		job Job
		key time.Duration
	}
	list := make([]sortedJob, len(p.w.Jobs))
	for i, j := range p.w.Jobs {
		key := j.Submit
		if j.After != "" {
			key = keyOf[j.After]
		}
		keyOf[j.Name] = key
		list[i] = sortedJob{j, key}
	}
	slices.SortStableFunc(list, func(a, b sortedJob) int {
		return int(min(max(a.key-b.key, -1), 1))
	})
	for i := range list {
		p.w.Jobs[i] = list[i].job
	}
}
