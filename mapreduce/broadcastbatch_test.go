package mapreduce

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/internal/read"
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

// An error within a batch names the same record, place and number as without batches, and the same
// output precedes it.
func TestErrorsOfBatchedLookups(t *testing.T) {
	bad := errors.New("bad")
	type pair = Pair[[]byte, []byte]
	var text []byte
	for i := range 100 {
		text = fmt.Appendf(text, "%s\t%d\n", userKey(i), i)
	}
	ways := map[string]func() error{
		"error": func() error { return bad },
		"panic": func() error { panic(bad) },
		"exit":  func() error { runtime.Goexit(); return nil },
	}
	for name, way := range ways {
		for _, at := range []int{0, 1, 31, 32, 33, 63, 64, 98, 99} {
			what := func(batched bool) (e *RecordError, emitted string) {
				in := KeyValueLines('\t', Bytes("text", text))
				if !batched {
					lines := in.read
					in.read = func(s *read.Reader, yield func([]pair) error) error {
						one := read.Singly(yield)
						return lines(s, func(batch []pair) error {
							first := s.Batch
							for i, p := range batch {
								s.Batch = first + i
								if err := one(p); err != nil {
									return err
								}
							}
							return nil
						})
					}
				}
				var seen bytes.Buffer
				p := must(BroadcastJoin(in, func(p pair) []byte { return p.First }, cityOf(),
					func(p pair, c [][]byte, _ func(string)) error {
						if string(p.Second) == fmt.Sprint(at) {
							return way()
						}
						fmt.Fprintf(&seen, "%s %s\n", p.Second, c)
						return nil
					}).Bind(unread[string]()))(t)
				require.ErrorAs(t, new(engineRun).run(t.Context(), p), &e)
				return e, seen.String()
			}
			want, before := what(false)
			require.EqualValues(t, at+1, want.Number)
			got, emitted := what(true)
			require.Equal(t, before, emitted)
			require.Equal(t, [...]any{want.Offset, want.Number, want.Head, want.Size}, [...]any{got.Offset, got.Number, got.Head, got.Size}, "%s %d", name, at)
		}
	}
}
