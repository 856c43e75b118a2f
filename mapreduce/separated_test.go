package mapreduce

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Separated is what cutting the whole file at the separator gives, each record with its place, wherever
// blocks end.
func TestSeparatedIsSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.SampledFrom([]byte{0, 'a', '\n', 0xff}), 0, 40).Draw(t, "text")
		sep := rapid.SampledFrom([]byte{0, 'a', 0xff}).Draw(t, "separator")
		var want []string
		for at, rest := 0, text; len(rest) > 0; {
			record, after, _ := bytes.Cut(rest, []byte{sep})
			want = append(want, fmt.Sprintf("%d %q", at, record))
			at, rest = at+len(record)+1, after
		}
		at := MapOnly[[]byte, string]{MapWith: func(t *Task, rec []byte, emit func(string)) error {
			emit(fmt.Sprintf("%d %q", t.Offset(), rec))
			return nil
		}}
		got := gather(t, func(out Output[string]) (*Plan, error) {
			return at.Bind(Separated(sep, Bytes("text", text)), out)
		}, rapid.Bool().Draw(t, "local"), rapid.Int64Range(1, 41).Draw(t, "block"), 1)
		require.Equal(t, want, got)
	})
}
