package mapreduce

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce/internal/read"
)

// placedRecord is a record with its place in the file.
func placedRecord(at int64, rec []byte) string { return fmt.Sprintf("%d %q", at, rec) }

// cutBy is the plain definition of the records of a text with a separator.
func cutBy(text, sep []byte) (want []string) {
	for at, rest := 0, text; len(rest) > 0; {
		record, after, _ := bytes.Cut(rest, sep)
		want = append(want, placedRecord(int64(at), record))
		at, rest = at+len(record)+len(sep), after
	}
	return want
}

// gatherPlaced returns the records of an input and their offsets, as a job sees them.
func gatherPlaced(t *rapid.T, in Input[[]byte]) []string {
	at := MapOnly[[]byte, string]{MapTask: func(t *Task) (Filter[[]byte, string], error) {
		return Filter[[]byte, string]{Map: func(rec []byte, emit func(string)) error {
			emit(placedRecord(t.Offset(), rec))
			return nil
		}}, nil
	}}
	return gather(t, func(out Output[string]) (*Plan, error) { return at.Bind(in, out) },
		rapid.Bool().Draw(t, "local"), rapid.Int64Range(1, 41).Draw(t, "block"), 1)
}

// Records with separators, and their offsets, equal those of cutting the whole file, wherever
// blocks end.
func TestSeparatedIsCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.SampledFrom([]byte{0, 'a', 'b', 0xff}), 0, 40).Draw(t, "text")
		sep := rapid.SampledFrom([]string{"\x00", "a", "\xff", "ab", "aa", "aaa", "aba", "abab", "\x00\xff\x00"}).Draw(t, "separator")
		in := Separated(sep, Bytes("text", text))
		require.Equal(t, cutBy(text, []byte(sep)), gatherPlaced(t, in))
	})
}

// FuzzSeparatedBy: the records of all splits together are those of the whole text, whatever the
// separator, the blocks and the windows.
func FuzzSeparated(f *testing.F) {
	for _, sep := range []string{"\r\n", "aa", "aba", "abaab", "aaaa"} {
		f.Add([]byte("aaaaaaaaaaaaaaaaa"), sep, uint16(0), uint8(1))
		f.Add([]byte("abaababaabaabxabaabaab\r\n\r\nab"), sep, uint16(2), uint8(0))
	}
	f.Fuzz(func(t *testing.T, text []byte, sep string, block uint16, size uint8) {
		if sep == "" {
			return
		}
		w := tiny(int(size)+1, int(size)/2+1, 2*int(size)+1)
		var want []string
		for rest := text; len(rest) > 0; {
			var record []byte
			record, rest, _ = bytes.Cut(rest, []byte(sep))
			want = append(want, string(record))
		}
		require.Equal(t, want, readAll(t, Separated(sep, Bytes("text", text)), w, int64(block)+1))
		stream := Stream("-", iotest.HalfReader(bytes.NewReader(text)))
		require.Equal(t, want, readAll(t, Separated(sep, stream), w, 1))
	})
}

// A long run of overlapping separators is searched backwards window by window.
func TestSeparatorsThatOverlapFar(t *testing.T) {
	for _, text := range []string{strings.Repeat("\n", 400_001), "x" + strings.Repeat("\n", 400_000) + "y"} {
		var want []string
		for rest, found := text, true; found && rest != ""; {
			var record string
			record, rest, found = strings.Cut(rest, "\n\n")
			want = append(want, record)
		}
		require.Equal(t, want, readAll(t, Separated("\n\n", Bytes("text", []byte(text))), read.UsualWindows(), 99_999))
	}
}

func TestSeparatedByNothing(t *testing.T) {
	_, err := passOn[[]byte]().Bind(Separated("", Bytes("text", nil)), unread[[]byte]())
	require.ErrorContains(t, err, "an empty separator")
}
