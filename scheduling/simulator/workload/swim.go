package workload

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/internal/textfile"
)

// TraceRow is one line of a SWIM trace [SWIM wiki, "Workloads repository"].
type TraceRow struct {
	ID      string
	Submit  int64 // seconds since the start
	Gap     int64 // seconds since the previous job
	Input   int64 // bytes, as are the next two
	Shuffle int64 // 0: a map-only job
	Output  int64
	Path    string // label of the input's path as in the file, "" if the trace has none
}

// maxSeconds limits times in a trace.
const maxSeconds = int64(maxSubmit / time.Second)

// ReadTrace reads the rows of a SWIM trace: tab-separated, without header, 6 columns, or 8 or 9
// with paths. name is used in messages. Errors wrap ErrFormat: invalid text, missing columns,
// negative or huge numbers, decreasing times.
func ReadTrace(r io.Reader, name string) ([]TraceRow, error) {
	var rows []TraceRow
	n, err := textfile.EachLine(r, 1<<20, func(_ int, line string) error {
		row, err := parseRow(line)
		switch {
		case err != nil:
			return err
		case len(rows) > 0 && row.Submit < rows[len(rows)-1].Submit:
			return fmt.Errorf("time goes back from %d s to %d s", rows[len(rows)-1].Submit, row.Submit)
		case len(rows) == maxJobs:
			return fmt.Errorf("more than %d jobs", maxJobs)
		}
		rows = append(rows, row)
		return nil
	})
	if err == nil && len(rows) == 0 {
		err = errors.New("no job in it")
	}
	if err != nil {
		return nil, refuse(name, max(n, 1), "%v", err)
	}
	return rows, nil
}

// parseRow parses one line of a SWIM trace.
func parseRow(line string) (TraceRow, error) {
	if n := strings.Count(line, "\t") + 1; n < 6 || n > 9 {
		return TraceRow{}, fmt.Errorf("%d columns, want 6, or 8 or 9 with paths", n)
	}
	cols := strings.Split(line, "\t")
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
		n, err := wholeNumber(field.what, cols[i+1], field.top)
		if err != nil {
			return TraceRow{}, err
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
