package mapreduce

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// paragraphs is a format whose files end with a line of the offsets of their paragraphs.
type paragraphs struct{}

// paragraphsOf returns such a file.
func paragraphsOf(list []string) []byte {
	var b bytes.Buffer
	b.WriteString("head\n")
	var at []int
	for _, p := range list {
		at = append(at, b.Len())
		b.WriteString(p)
	}
	fmt.Fprintf(&b, "\n%v", at)
	return b.Bytes()
}

func (paragraphs) Parts(_ context.Context, f FormatFile) (at []int64, err error) {
	b := make([]byte, f.Size())
	if _, err := f.ReadAt(b, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	list := b[bytes.LastIndexByte(b, '[')+1 : len(b)-1]
	for n := range strings.FieldsSeq(string(list)) {
		var place int64
		if _, err := fmt.Sscan(n, &place); err != nil {
			return nil, err
		}
		at = append(at, place)
	}
	return at, nil
}

func (p paragraphs) Read(ctx context.Context, f FormatFile, from, to int64) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		all, err := p.Parts(ctx, f)
		b := make([]byte, f.Size())
		if err == nil {
			_, err = f.ReadAt(b, 0)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			yield("", err)
			return
		}
		b = b[:bytes.LastIndexByte(b, '\n')]
		for i, at := range all {
			end := int64(len(b))
			if i+1 < len(all) {
				end = all[i+1]
			}
			if from <= at && at < to {
				for line := range bytes.Lines(b[at:end]) {
					if !yield(string(line), nil) {
						return
					}
				}
			}
		}
	}
}

// Formatted yields the records of all parts, one map per part, also for the sample of a total
// order.
func TestFormattedIsAllParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		files := rapid.SliceOfN(rapid.SliceOfN(rapid.StringMatching(`([a-d]{0,3}\n){1,4}`), 0, 6), 1, 3).Draw(t, "files")
		var sources []Source
		var want []string
		parts := 0
		for i, list := range files {
			sources = append(sources, Bytes(fmt.Sprint("file", i), paragraphsOf(list)))
			parts += len(list)
			for line := range strings.Lines(strings.Join(list, "")) {
				want = append(want, line)
			}
		}
		in := Formatted(paragraphs{}, sources...)
		local, block := rapid.Bool().Draw(t, "local"), rapid.Int64Range(1, 50).Draw(t, "block")
		bind := func(out Output[string]) (*Plan, error) {
			p := must(passOn[string]().Bind(in, out))(t)
			require.Len(t, must(p.Splits(context.Background(), p.BlocksOf(block)))(t), parts)
			return p, nil
		}
		require.Equal(t, want, gather(t, bind, local, block, 1))
		slices.Sort(want)
		sorted := func(out Output[string]) (*Plan, error) {
			return SortBy(func(s string) string { return s }).Bind(in, out)
		}
		require.Equal(t, want, gather(t, sorted, local, block, 3))
	})
}

// fixedParts is a format that returns fixed results.
type fixedParts struct {
	paragraphs
	at  []int64
	err error
}

func (f fixedParts) Parts(context.Context, FormatFile) ([]int64, error) { return f.at, f.err }

// Faults of a format are errors that name the file.
func TestFormattedIsChecked(t *testing.T) {
	run := func(ctx context.Context, f Format[string], src Source) error {
		p, err := passOn[string]().Bind(Formatted(f, src), unread[string]())
		if err == nil {
			_, err = RunLocal(ctx, p, LocalOptions{})
		}
		return err
	}
	file := Bytes("file", paragraphsOf([]string{"a\n", "b\n"}))
	require.ErrorContains(t, run(t.Context(), nil, file), "without a format")
	require.ErrorContains(t, run(t.Context(), paragraphs{}, Stream("pipe", strings.NewReader(""))), "pipe: Formatted reads files at any place")
	for _, at := range [][]int64{{-1}, {3, 3}, {4, 2}, {file.Size()}} {
		require.ErrorContains(t, run(t.Context(), fixedParts{at: at}, file), "file: Parts returned ")
	}
	require.ErrorContains(t, run(t.Context(), fixedParts{err: errDisk}, file), "file: the disk is on fire")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errDisk)
	require.ErrorIs(t, run(ctx, paragraphs{}, file), errDisk)
}
