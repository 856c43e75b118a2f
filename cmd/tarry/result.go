package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/tarry-mr/tarry/mapreduce"
)

// result is the outcome of a run, as --json prints it.
type result struct {
	Line           int                 `json:"line,omitempty"`       // of the batch file
	AtSeconds      float64             `json:"at_seconds,omitempty"` // when it began, since the batch did
	Job            string              `json:"job"`
	State          string              `json:"state"` // succeeded, failed or killed
	Output         string              `json:"output"`
	ElapsedSeconds float64             `json:"elapsed_seconds"`
	Error          string              `json:"error,omitempty"`
	Counters       *mapreduce.Counters `json:"counters"`

	began time.Time
}

func newResult(output string) *result {
	return &result{Output: output, Counters: new(mapreduce.Counters), began: time.Now()}
}

// end notes how the run ended.
func (r *result) end(ctx context.Context, err error) {
	r.ElapsedSeconds = time.Since(r.began).Seconds()
	r.State = "succeeded"
	if err != nil {
		r.State, r.Error = "failed", oneLine(err)
	}
	if ctx.Err() != nil {
		r.State = "killed"
	}
}

// line says in a line how the run ended.
func (r *result) line() string {
	return fmt.Sprintf("%s %s in %s", cmp.Or(r.Job, "job"), r.State, time.Duration(r.ElapsedSeconds*float64(time.Second)).Round(time.Millisecond))
}

// report prints how the run ended: the counters to standard error, or all as JSON to standard output. It gives err back,
// with what went wrong in printing.
func (r *result) report(ctx context.Context, p *program, f *clusterFlags, err error) error {
	r.end(ctx, err)
	if f.json {
		return errors.Join(err, json.NewEncoder(p.stdout).Encode(r))
	}
	if f.quiet {
		return err
	}
	if _, bad := fmt.Fprintln(p.stderr, r.line()); bad != nil {
		return err // nobody listens
	}
	for range r.Counters.All() { // none where nothing began
		_ = r.Counters.Print(p.stderr)
		break
	}
	return err
}
