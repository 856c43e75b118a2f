package mapreduce

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
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

// gatherPlaced are the records of an input and their places, as a job sees them.
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

// Records with separators are what cutting the whole file gives, each with its place, wherever
// blocks end.
func TestSeparatedIsCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.SampledFrom([]byte{0, 'a', 'b', 0xff}), 0, 40).Draw(t, "text")
		sep := rapid.SampledFrom([]string{"\x00", "a", "\xff", "ab", "aa", "aaa", "aba", "abab", "\x00\xff\x00"}).Draw(t, "separator")
		in := Separated(sep, Bytes("text", text))
		require.Equal(t, cutBy(text, []byte(sep)), gatherPlaced(t, in))
	})
}

// FuzzSeparatedBy states that the records of all splits together are those of the whole text,
// whatever the separator, the blocks and the windows.
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

// A long run of overlapping separators is looked back over window by window.
func TestSeparatorsThatOverlapFar(t *testing.T) {
	for _, text := range []string{strings.Repeat("\n", 400_001), "x" + strings.Repeat("\n", 400_000) + "y"} {
		var want []string
		for rest, found := text, true; found && rest != ""; {
			var record string
			record, rest, found = strings.Cut(rest, "\n\n")
			want = append(want, record)
		}
		require.Equal(t, want, readAll(t, Separated("\n\n", Bytes("text", []byte(text))), usualWindows(), 99_999))
	}
}

func TestSeparatedByNothing(t *testing.T) {
	_, err := passOn[[]byte]().Bind(Separated("", Bytes("text", nil)), new(Collected[[]byte]).Output())
	require.ErrorContains(t, err, "an empty separator")
}

// pairsOfBytes is a split function with tokens that are no part of the data, and comments.
func pairsOfBytes(data []byte, atEOF bool) (int, []byte, error) {
	switch {
	case len(data) > 0 && data[0] == '#':
		return 1, nil, nil
	case len(data) >= 2:
		return 2, []byte(strings.ToUpper(string(data[:2]))), nil
	case atEOF && len(data) == 1:
		return 1, data, bufio.ErrFinalToken
	}
	return 0, nil, nil
}

// Tokens are those that a bufio.Scanner over the whole file finds, however the file is stored, read
// and cut.
func TestScannedIsAScanner(t *testing.T) {
	splits := map[string]bufio.SplitFunc{
		"words": bufio.ScanWords, "lines": bufio.ScanLines, "runes": bufio.ScanRunes, "bytes": bufio.ScanBytes, "pairs": pairsOfBytes,
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.SampledFrom([]byte("a b\n#\xc3\xa4")), 0, 40).Draw(t, "text")
		name := rapid.SampledFrom([]string{"words", "lines", "runes", "bytes", "pairs"}).Draw(t, "split")
		s := bufio.NewScanner(iotest.OneByteReader(bytes.NewReader(bytes.TrimRight(text, "#"))))
		s.Split(splits[name])
		var want []string
		for s.Scan() {
			want = append(want, s.Text())
		}
		size := rapid.IntRange(1, 9).Draw(t, "window")
		read := func(src Source) (records []string) {
			in := Scanned(splits[name], src)
			r := &splitReader{ctx: t.Context(), windows: tiny(size, 1, 1), source: src, split: cluster.Split{Length: src.Size()}}
			require.NoError(t, in.read(r, func(rec []byte) error { records = append(records, string(rec)); return nil }))
			return records
		}
		trimmed := bytes.TrimRight(text, "#") // a Scanner passes over what is skipped at the end only once
		require.Equal(t, want, read(Bytes("text", trimmed)))
		require.Equal(t, want, read(Stream("-", iotest.HalfReader(bytes.NewReader(trimmed)))))
		if name == "words" {
			placed := gatherPlaced(t, Scanned(splits[name], Bytes("text", text)))
			var all []string
			for at, w := range wordsIn(text) {
				all = append(all, placedRecord(int64(at), w))
			}
			require.Equal(t, all, placed)
		}
	})
}

// wordsIn yields the words of a text with their places.
func wordsIn(text []byte) func(yield func(int, []byte) bool) {
	return func(yield func(int, []byte) bool) {
		for at := 0; at < len(text); {
			if text[at] == ' ' || text[at] == '\n' {
				at++
				continue
			}
			n := bytes.IndexAny(text[at:], " \n")
			if n < 0 {
				n = len(text) - at
			}
			if !yield(at, text[at:at+n]) {
				return
			}
			at += n
		}
	}
}

// What a split function does wrong is told with its place, and is not tried again where it would be
// wrong again.
func TestScannedIsChecked(t *testing.T) {
	run := func(split bufio.SplitFunc) error {
		p, err := passOn[[]byte]().Bind(Scanned(split, Bytes("text", []byte("abc"))), new(Collected[[]byte]).Output())
		if err == nil {
			_, err = RunLocal(t.Context(), p, LocalOptions{})
		}
		return err
	}
	require.ErrorContains(t, run(nil), "Scanned without a split function")
	for _, step := range []int{-1, 4} {
		err := run(func([]byte, bool) (int, []byte, error) { return step, nil, nil })
		require.ErrorContains(t, err, fmt.Sprintf("text: at byte 0: the split function took %d bytes of 3", step))
		require.True(t, IsPermanent(err))
	}
	err := run(func([]byte, bool) (int, []byte, error) { return 0, []byte{}, nil })
	require.ErrorContains(t, err, "empty tokens without a step ahead")
	require.True(t, IsPermanent(err))
	err = run(func(b []byte, _ bool) (int, []byte, error) {
		if len(b) < 3 {
			return 0, nil, errDisk
		}
		return 1, b[:1], nil
	})
	require.ErrorContains(t, err, "text: at byte 1: split function: ")
	require.ErrorIs(t, err, errDisk)
	require.True(t, IsPermanent(run(func([]byte, bool) (int, []byte, error) { return 0, nil, Permanent(errDisk) })))
	require.ErrorContains(t, run(func([]byte, bool) (int, []byte, error) { panic(errors.New("split")) }), "panic: split")
}
