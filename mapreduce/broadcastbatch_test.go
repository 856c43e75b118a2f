package mapreduce

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/read"
)

// cityOf is the small feed of the joins below. It has the city of each user: none for every tenth
// user, and two for every seventh.
func cityOf() Feed[[]byte, string] {
	var users []int
	for n := range 100 {
		users = append(users, n)
	}
	return From(Slice(users), func(_ *Task, n int, emit func([]byte, string)) error {
		key := fmt.Appendf(nil, "user%d%s", n, strings.Repeat("x", n%30)) // some exceed the longest key in a cell
		if n%10 > 0 {
			emit(key, fmt.Sprint("city", n))
		}
		if n%7 == 0 {
			emit(key, fmt.Sprint("town", n))
		}
		return nil
	})
}

func userKey(n int) string { return fmt.Sprintf("user%d%s", n, strings.Repeat("x", n%30)) }

// A broadcast join looks keys up in batches. For all splits and record types it writes what a loop
// over single records writes, in the same order.
func TestBatchedLookupIsALoop(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text, want []string
		for i, n := range rapid.SliceOfN(rapid.IntRange(0, 110), 0, 150).Draw(t, "users") {
			text = append(text, fmt.Sprintf("%s\t%d\n", userKey(n), i))
			if n < 100 && n%10 > 0 {
				want = append(want, fmt.Sprintf("%d/city%d", i, n))
			}
			if n < 100 && n%7 == 0 {
				want = append(want, fmt.Sprintf("%d/town%d", i, n))
			}
		}
		source := Bytes("text", []byte(strings.Join(text, "")))
		each := func(what string, cities []string, emit func(string)) error {
			for _, city := range cities {
				emit(what + "/" + city)
			}
			return nil
		}
		type pair = Pair[[]byte, []byte]
		type strs struct{ User, What string }
		pairs := KeyValueLines('\t', source)
		var join func(Output[string]) (*Plan, error)
		switch rapid.IntRange(0, 2).Draw(t, "input") {
		case 0:
			join = BroadcastJoin(pairs, func(p pair) []byte { return p.First }, cityOf(),
				func(p pair, c []string, emit func(string)) error { return each(string(p.Second), c, emit) }).Bind
		case 1:
			join = BroadcastJoin(Lines(source), func(line []byte) []byte { return line[:bytes.IndexByte(line, '\t')] }, cityOf(),
				func(line []byte, c []string, emit func(string)) error {
					_, what, _ := bytes.Cut(line, []byte("\t"))
					return each(string(what), c, emit)
				}).Bind
		case 2:
			in := Decoded(pairs, func(p pair) (strs, error) { return strs{string(p.First), string(p.Second)}, nil })
			join = BroadcastJoin(in, func(s strs) []byte { return []byte(s.User) }, cityOf(),
				func(s strs, c []string, emit func(string)) error { return each(s.What, c, emit) }).Bind
		}
		local := rapid.Bool().Draw(t, "local")
		got := gather(t, join, local, rapid.Int64Range(1, 3000).Draw(t, "block"), 1)
		require.Equal(t, want, got)
	})
}

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
					in.read = func(s *read.Reader, yield func([]pair) (int, error)) error {
						return lines(s, func(batch []pair) (int, error) {
							first := s.Batch
							return read.EachOne(s, batch, func(p pair) error {
								s.Batch = s.Now
								defer func() { s.Batch = first }()
								return read.Singly(yield)(p)
							})
						})
					}
				}
				var seen bytes.Buffer
				p := must(BroadcastJoin(in, func(p pair) []byte { return p.First }, cityOf(),
					func(p pair, c []string, _ func(string)) error {
						if string(p.Second) == fmt.Sprint(at) {
							return way()
						}
						fmt.Fprintf(&seen, "%s %v\n", p.Second, c)
						return nil
					}).Bind(Text[string](Writer("w", io.Discard))))(t)
				require.NoError(t, p.Prepare(t.Context(), cluster.PrepareOptions{}))
				splits := must(p.Splits(t.Context(), p.BlocksOf(1<<20)))(t)
				require.ErrorAs(t, failedMap(p, &cluster.MapAttempt{Split: splits[0]}), &e)
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

// failedMap returns the error of a map attempt, also of one whose code exits its goroutine.
func failedMap(p *Plan, a *cluster.MapAttempt) error {
	a.Progress = new(cluster.Progress)
	done := make(chan error, 1)
	go func() {
		err := fault.ErrExited
		defer func() {
			if err == fault.ErrExited { //nolint:errorlint // as set above
				err = a.Progress.Exited()
			}
			done <- err
		}()
		_, err = p.RunMap(context.Background(), a)
	}()
	return <-done
}
