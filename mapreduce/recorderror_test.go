package mapreduce

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/stretchr/testify/require"
)

// TestErrorsOfMapsNameTheRecord, for all inputs and splits.
func TestErrorsOfMapsNameTheRecord(t *testing.T) {
	bad := errors.New("bad")
	text := strings.Repeat("good line\n", 300) + "bad line\n" + strings.Repeat("good line\n", 300)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = io.WriteString(z, text)
	require.NoError(t, z.Close())
	gz := must(Stored(Bytes("text.gz", packed.Bytes()).Data))(t)
	plain := Bytes("text", []byte(text))

	check := func(name string, p *Plan, err error) *RecordError {
		require.NoError(t, err, name)
		_, err = RunLocal(context.Background(), p, LocalOptions{Blocks: p.BlocksOf(1000)})
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
		p, err := MapOnly[[]byte, []byte]{Map: fails}.Bind(in, Text[[]byte](Writer("w", io.Discard)))
		e := check(name, p, err)
		require.EqualValues(t, 3000, e.Offset, name)
		require.Equal(t, "bad line", e.Head)
		require.Equal(t, 8, e.Size)
		require.Contains(t, e.Error(), `: at byte 3000, "bad line": bad`)
	}
	for name, order := range map[string]bool{"map": false, "sample": true} {
		p, err := Job[[]byte, []byte, None, Pair[[]byte, None]]{TotalOrder: order, Reducers: 2, Map: func(line []byte, _ func([]byte, None)) error {
			return fails(line, nil)
		}}.Bind(Lines(Bytes("short", []byte("good\nbad\n"))), Text[Pair[[]byte, None]](Writer("w", io.Discard)))
		require.EqualValues(t, 5, check(name, p, err).Offset, name)
	}
	records := slices.Repeat([]byte("good..bad..."), 1)
	p, err := MapOnly[[]byte, []byte]{Map: fails}.Bind(FixedSize(6, Bytes("fixed", records)),
		Raw[[]byte](Writer("w", io.Discard)))
	require.EqualValues(t, 6, check("fixed", p, err).Offset)

	ints := make([]int, 5000)
	ints[4321] = 1
	p, err = MapOnly[int, int]{Map: func(n int, _ func(int)) error {
		if n == 1 {
			return bad
		}
		return nil
	}}.Bind(Slice(ints), Text[int](Writer("w", io.Discard)))
	e := check("slice", p, err)
	require.EqualValues(t, 4322, e.Number)
	require.Contains(t, e.Error(), "slice: record 4322: bad")
}

// TestErrorsShowTheBeginningOfALongRecord.
func TestErrorsShowTheBeginningOfALongRecord(t *testing.T) {
	long := bytes.Repeat([]byte("long "), 1<<18)
	p := must(MapOnly[[]byte, []byte]{Map: func(line []byte, _ func([]byte)) error { return fmt.Errorf("line %s", line) }}.
		Bind(Lines(Bytes("text", long)), Text[[]byte](Writer("w", io.Discard))))(t)
	_, err := RunLocal(context.Background(), p, LocalOptions{})
	require.Less(t, len(err.Error()), 1000)
	require.Contains(t, err.Error(), fmt.Sprintf("… (%d bytes)", len(long)))
}
