package cli

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// print calls text with a buffer and prints the buffer to standard output. text need not check its
// writes: print returns the first error.
func (p *program) print(text func(out io.Writer)) error {
	out := bufio.NewWriter(p.stdout)
	text(out)
	return out.Flush()
}

// show prints results to standard output: as one JSON object per line if asJSON, otherwise by text.
func show[T any](p *program, asJSON bool, results []T, text func(out io.Writer)) (err error) {
	if !asJSON {
		return p.print(text)
	}
	enc := json.NewEncoder(p.stdout)
	for i := 0; err == nil && i < len(results); i++ {
		err = enc.Encode(results[i])
	}
	return err
}

// table prints lines as left-aligned columns to the buffer of print. It escapes control characters,
// because the text may come from other users.
func table(out io.Writer, lines [][]string) {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, columns := range lines {
		for i, text := range columns {
			columns[i] = words.Printable(text)
		}
		fmt.Fprintln(t, strings.Join(columns, "\t"))
	}
	_ = t.Flush()
}

// figureTable is table with right-aligned columns, for numbers.
func figureTable(out io.Writer, lines [][]string) {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, columns := range lines {
		fmt.Fprintln(t, strings.Join(columns, "\t")+"\t")
	}
	_ = t.Flush()
}

// result is the outcome of a run, as --json prints it.
type result struct {
	Job            string       `json:"job"`
	State          string       `json:"state"` // succeeded, failed or killed
	Output         string       `json:"output"`
	ElapsedSeconds float64      `json:"elapsed_seconds"`
	Earlier        bool         `json:"earlier,omitempty"` // an earlier process completed it, see --state
	Error          string       `json:"error,omitempty"`
	Counters       *counter.Set `json:"counters"`

	began time.Time
	last  *counter.Set // counters of the last stage, which writes the output; nil until it ran
}

// report prints the result of a run: some lines and, if asked for, the counters to standard error,
// or all as JSON to standard output. It returns err, joined with printing errors.
func (w *pipeline) report(err error) error {
	r, took := &w.result, time.Since(w.result.began)
	r.ElapsedSeconds, r.State = took.Seconds(), "succeeded"
	if err != nil {
		r.State, r.Error = "failed", words.OneLine(err)
	}
	if w.Context().Err() != nil {
		r.State = "killed"
	}
	switch {
	case w.json:
		return errors.Join(err, json.NewEncoder(w.stdout).Encode(r))
	case w.quiet || nobodyReads(err):
		return err
	case r.Earlier:
		fmt.Fprintf(w.stderr, "%s %s earlier in %v: %s is complete\n", r.Job, r.State, took.Round(time.Millisecond), r.Output)
		return err
	}
	if _, bad := fmt.Fprintf(w.stderr, "%s %s in %v\n", cmp.Or(r.Job, "job"), r.State, took.Round(time.Millisecond)); bad != nil {
		return err // nobody reads standard error
	}
	for range r.Counters.All() { // empty if no job has started
		fmt.Fprintf(w.stderr, "%s\n%s\n", r.amounts(), ranWhere(r.Counters))
		if line := shuffledWhere(r.Counters); line != "" {
			fmt.Fprintln(w.stderr, line)
		}
		if w.counters {
			_ = r.Counters.Print(w.stderr)
		}
		break
	}
	return err
}

// amounts returns a line with the records and bytes that the whole run has read and that its last
// job has written.
func (r *result) amounts() string {
	c := r.Counters
	read := amount(c.Get(counter.InputBytesRead))
	if n := c.Get(counter.MapInputRecords); n > 0 {
		read = words.Count(n, "record") + ", " + read
	}
	last := cmp.Or(r.last, new(counter.Set))
	wrote := last.Get(counter.MapOutputRecords)
	for v := range last.All() {
		if v.Name == counter.ReduceOutputRecords.String() { // a job without reduces does not have it
			wrote = v.Value
		}
	}
	return fmt.Sprintf("read %s; wrote %s, %s", read, words.Count(wrote, "record"), amount(last.Get(counter.OutputBytesWritten)))
}

// amount returns a number of bytes as text: 1.5 kB.
func amount(bytes int64) string { return humanize.Bytes(uint64(bytes)) }

// ranWhere returns a line with the locality of the maps of a run.
func ranWhere(c *counter.Set) string {
	of := func(what string) int64 { return c.Named(counter.GroupJob, what+" map tasks") }
	near, rack, far := of("Data-local"), of("Rack-local"), of("Other local")
	if near+rack+far == 0 {
		return "maps without places"
	}
	return fmt.Sprintf("maps %d node-local, %d rack-local, %d elsewhere", near, rack, far)
}

// shuffledWhere returns a line with the distances of shuffled bytes, or "" if all stayed on their
// node.
func shuffledWhere(c *counter.Set) string {
	of := func(where string) int64 { return c.Named("CoGRS", where+" shuffle bytes") }
	rack, far := of("Rack-local"), of("Off-rack")
	if rack+far == 0 {
		return ""
	}
	return fmt.Sprintf("shuffled %s node-local, %s rack-local, %s off-rack",
		amount(of("Node-local")), amount(rack), amount(far))
}
