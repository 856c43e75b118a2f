package mapreduce

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestErrorsOfMapsNameTheRecord, for all inputs and splits.
func TestErrorsOfMapsNameTheRecord(t *testing.T) {
	bad := errors.New("bad")
	text := strings.Repeat("good line\n", 300) + "bad line\n" + strings.Repeat("good line\n", 300)
	gz := must(Stored(Bytes("text.gz", packed(t, Gzip, text)).Data))(t)
	plain := Bytes("text", []byte(text))

	check := func(name string, p *Plan, err error) *RecordError {
		require.NoError(t, err, name)
		_, err = RunLocal(t.Context(), p, LocalOptions{Blocks: p.BlocksOf(1000)})
		require.ErrorIs(t, err, bad, name)
		var e *RecordError
		require.ErrorAs(t, err, &e, name)
		return e
	}
	fails := func(line []byte, _ func([]byte)) error {
		if bytes.HasPrefix(line, []byte("bad")) {
			return bad
		}
		return nil
	}
	for name, in := range map[string]Input[[]byte]{
		"lines": Lines(plain), "packed": Lines(gz),
		"n lines": NLines(7, plain),
	} {
		p, err := MapOnly[[]byte, []byte]{Map: fails}.Bind(in, unread[[]byte]())
		e := check(name, p, err)
		require.EqualValues(t, 3000, e.Offset, name)
		require.Equal(t, "bad line", e.Head)
		require.Equal(t, 8, e.Size)
		require.Contains(t, e.Error(), `: at byte 3000, "bad line": bad`)
	}
	for name, order := range map[string]bool{"map": false, "sample": true} {
		p, err := Job[[]byte, []byte, None, Pair[[]byte, None]]{TotalOrder: order, Reducers: 2, Map: func(line []byte, _ func([]byte, None)) error {
			return fails(line, nil)
		}}.Bind(Lines(Bytes("short", []byte("good\nbad\n"))), unread[Pair[[]byte, None]]())
		require.EqualValues(t, 5, check(name, p, err).Offset, name)
	}
	p, err := MapOnly[[]byte, []byte]{Map: fails}.Bind(FixedSize(6, Bytes("fixed", []byte("good..bad..."))), unread[[]byte]())
	require.EqualValues(t, 6, check("fixed", p, err).Offset)

	ints := make([]int, 5000)
	ints[4321] = 1
	p, err = MapOnly[int, int]{Map: func(n int, _ func(int)) error {
		if n == 1 {
			return bad
		}
		return nil
	}}.Bind(Slice(ints), unread[int]())
	e := check("slice", p, err)
	require.EqualValues(t, 4322, e.Number)
	require.Contains(t, e.Error(), "slice: record 4322: bad")
}

// TestErrorsShowTheBeginningOfALongRecord.
func TestErrorsShowTheBeginningOfALongRecord(t *testing.T) {
	long := bytes.Repeat([]byte("long "), 1<<18)
	err := ran(MapOnly[[]byte, []byte]{Map: func(line []byte, _ func([]byte)) error { return fmt.Errorf("line %s", line) }}.
		Bind(Lines(Bytes("text", long)), unread[[]byte]()))
	require.Less(t, len(err.Error()), 1000)
	require.Contains(t, err.Error(), fmt.Sprintf("… (%d bytes)", len(long)))
}
