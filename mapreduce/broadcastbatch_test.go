package mapreduce_test

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/tarry-mr/tarry/mapreduce"
)

// cityOf is the small feed of the join below. It has the city of each user: none for every tenth
// user, and two for every seventh.
func cityOf() Feed[[]byte, []byte] {
	users := make([]int, 100)
	for n := range users {
		users[n] = n
	}
	return From(Slice(users), func(_ *Task, n int, emit func([]byte, []byte)) error {
		if n%10 > 0 {
			emit([]byte(userKey(n)), fmt.Append(nil, "city", n))
		}
		if n%7 == 0 {
			emit([]byte(userKey(n)), fmt.Append(nil, "town", n))
		}
		return nil
	})
}

// userKey returns keys of which some exceed the longest key in a cell.
func userKey(n int) string { return fmt.Sprintf("user%d%s", n, strings.Repeat("x", n%30)) }

// An error within a batch names its record, its place and its number, and the output of all records
// before it precedes it.
func TestErrorsOfBatchedLookups(t *testing.T) {
	bad := errors.New("bad")
	type pair = Pair[[]byte, []byte]
	var lines, found []string // found: what the join finds for a line
	for i := range 100 {
		lines = append(lines, fmt.Sprintf("%s\t%d\n", userKey(i), i))
		var places []string
		if i%10 > 0 {
			places = append(places, fmt.Sprint("city", i))
		}
		if i%7 == 0 {
			places = append(places, fmt.Sprint("town", i))
		}
		found = append(found, fmt.Sprintf("%d %s\n", i, places))
	}
	text := []byte(strings.Join(lines, ""))
	ways := map[string]func() error{
		"error": func() error { return bad },
		"panic": func() error { panic(bad) },
		"exit":  func() error { runtime.Goexit(); return nil },
	}
	for name, way := range ways {
		for _, at := range []int{0, 1, 31, 32, 33, 63, 64, 98, 99} {
			var seen bytes.Buffer
			p := must(BroadcastJoin(KeyValueLines('\t', Bytes("text", text)), func(p pair) []byte { return p.First }, cityOf(),
				func(p pair, c [][]byte, _ func(string)) error {
					if string(p.Second) == fmt.Sprint(at) {
						return way()
					}
					fmt.Fprintf(&seen, "%s %s\n", p.Second, c)
					return nil
				}).Bind(unread[string]()))(t)
			var e *RecordError
			require.ErrorAs(t, new(engineRun).run(t.Context(), p), &e)
			require.EqualValues(t, at+1, e.Number, name)
			line := lines[at]
			require.EqualValues(t, len(strings.Join(lines[:at], "")), e.Offset, name)
			require.Equal(t, strings.TrimSuffix(line, "\n"), e.Head, name)
			require.EqualValues(t, len(line)-1, e.Size, name)
			require.Equal(t, strings.Join(found[:at], ""), seen.String(), name)
		}
	}
}

// A panic of the key function names its record, which may be within a batch.
func TestPanicsOfKeysOfBatches(t *testing.T) {
	text := strings.Repeat("1\n", 40) + "x\n" + strings.Repeat("1\n", 40)
	p := must(BroadcastJoin(Lines(Bytes("text", []byte(text))), func(line []byte) []byte {
		if line[0] == 'x' {
			panic("no key")
		}
		return line
	}, cityOf(), func([]byte, [][]byte, func(string)) error { return nil }).Bind(unread[string]()))(t)
	var e *RecordError
	require.ErrorAs(t, new(engineRun).run(t.Context(), p), &e)
	require.Equal(t, "x", e.Head)
	require.EqualValues(t, 80, e.Offset)
}
