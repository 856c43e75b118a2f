package mapreduce_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/tarry-mr/tarry/mapreduce"
)

// Errors of maps name the record for all splits, and so do errors of a total order's sample.
// TestSkipsByInput has all inputs.
func TestErrorsOfMapsNameTheRecord(t *testing.T) {
	text := []byte(strings.Repeat("good line\n", 300) + "bad line\n" + strings.Repeat("good line\n", 300))
	gz := must(Stored(Bytes("text.gz", packed(t, Gzip, string(text))).Data))(t)
	plain, ints := Bytes("text", text), make([]int, 5000)
	ints[4321] = 1
	fails := func(line []byte, _ func([]byte)) error {
		if bytes.HasPrefix(line, []byte("bad")) {
			return errDisk
		}
		return nil
	}
	lines := MapOnly[[]byte, []byte]{Map: fails}
	keyed := Job[[]byte, []byte, None, Pair[[]byte, None]]{
		Map: func(line []byte, _ func([]byte, None)) error { return fails(line, nil) }, Reducers: 2,
	}
	sampled := keyed
	sampled.TotalOrder = true
	short := Lines(textOf("good\nbad line\n"))
	for name, c := range map[string]struct {
		plan *Plan
		want string
	}{
		"lines":   {must(lines.Bind(Lines(plain), unread[[]byte]()))(t), `text: at byte 3000, "bad line": `},
		"packed":  {must(lines.Bind(Lines(gz), unread[[]byte]()))(t), `text.gz: at byte 3000, "bad line": `},
		"n lines": {must(lines.Bind(NLines(7, plain), unread[[]byte]()))(t), `text: at byte 3000, "bad line": `},
		"map":     {must(keyed.Bind(short, unread[Pair[[]byte, None]]()))(t), `text: at byte 5, "bad line": `},
		"sample":  {must(sampled.Bind(short, unread[Pair[[]byte, None]]()))(t), `text: at byte 5, "bad line": `},
		"slice": {must(MapOnly[int, int]{Map: func(n int, _ func(int)) error {
			return map[int]error{1: errDisk}[n]
		}}.Bind(Slice(ints), unread[int]()))(t), "slice: record 4322: "},
	} {
		_, err := RunLocal(t.Context(), c.plan, LocalOptions{Blocks: c.plan.Job().BlocksOf(1000)})
		require.ErrorIs(t, err, errDisk, name)
		require.ErrorContains(t, err, c.want+errDisk.Error(), name)
		require.ErrorAs(t, err, new(*RecordError), name)
	}
}

// TestErrorsShowTheBeginningOfALongRecord.
func TestErrorsShowTheBeginningOfALongRecord(t *testing.T) {
	long := bytes.Repeat([]byte("long "), 1<<18)
	err := ran(MapOnly[[]byte, []byte]{Map: func(line []byte, _ func([]byte)) error { return fmt.Errorf("line %s", line) }}.
		Bind(Lines(Bytes("text", long)), unread[[]byte]()))
	require.Less(t, len(err.Error()), 1000)
	require.Contains(t, err.Error(), fmt.Sprintf("… (%d bytes)", len(long)))
}
