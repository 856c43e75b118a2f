package mapreduce

import (
	"bytes"
	"io"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// fullDisk is an OutputFS on which every write fails.
type fullDisk struct{ *frailOutput }

func (f fullDisk) Create(string) (io.WriteCloser, error) { return f, nil }
func (fullDisk) Write([]byte) (int, error)               { return 0, syscall.ENOSPC }
func (fullDisk) Close() error                            { return nil }

// TestFailedOutputEndsTheMap: a map whose output cannot be written does not read its input to the
// end, whether its records are bytes as they are or are encoded.
func TestFailedOutputEndsTheMap(t *testing.T) {
	line := bytes.Repeat([]byte("x"), 1000)
	requireEndsEarly(t, line)
	requireEndsEarly(t, bytes.Repeat(line, 40)) // written directly
	requireEndsEarly(t, Pair[[]byte, int]{line, 1})
}

func requireEndsEarly[O any](t *testing.T, record O) {
	t.Helper()
	const records = 20_000
	calls := 0
	disk := fullDisk{&frailOutput{at: -1, files: map[string]*bytes.Buffer{}}}
	p := must(MapOnly[int, O]{Map: func(_ int, emit func(O)) error {
		calls++
		emit(record)
		return nil
	}}.Bind(Slice(make([]int, records)), Text[O](InFS(disk, "out"))))(t)
	require.ErrorIs(t, runApart(t.Context(), p, true), syscall.ENOSPC)
	require.Less(t, calls, records/2)
}
