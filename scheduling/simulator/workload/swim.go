package workload

import (
	"bufio"
	"bytes"
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
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), 1<<20)
	n := 0
	for lines.Scan() {
		n++
		line := bytes.TrimRight(lines.Bytes(), "\r")
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte(textfile.ByteOrderMark))
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

// parseRow parses one line.
func parseRow(line []byte) (TraceRow, error) {
	if textfile.NotText(line) > 0 {
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
