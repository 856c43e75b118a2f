package mapreduce

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// endless reads as a line that never ends.
type endless struct{ read int64 }

func (e *endless) Read(p []byte) (int, error) {
	e.read += int64(len(p))
	return copy(p, bytes.Repeat([]byte{'x'}, len(p))), nil
}

// runBudget runs a plan with one map on a budget.
func runBudget(p *Plan, budget int64) error {
	ctx := context.Background()
	if err := p.Prepare(ctx, PrepareOptions{}); err != nil {
		return err
	}
	splits, err := p.Splits(ctx, nil)
	if err != nil {
		return err
	}
	memory := NewMemory(budget)
	_, err = p.RunMap(ctx, &MapAttempt{Split: splits[0], Resources: Resources{Budget: memory, Pool: NewBuffers(memory, 0)}})
	return err
}

// A record that never ends is refused by its place, whatever the format, before it fills the memory.
func TestRecordTooLarge(t *testing.T) {
	const budget = 80 << 20 // a quarter of it are 20 MiB
	keep := keepLines()
	whole := MapOnly[WholeFile, []byte]{Map: func(WholeFile, func([]byte)) error { return nil }}
	text := MapOnly[string, []byte]{Map: func(string, func([]byte)) error { return nil }}
	for _, c := range []struct {
		name string
		bind func(s Source, out Output[[]byte]) (*Plan, error)
		at   string
	}{
		{"lines", func(s Source, out Output[[]byte]) (*Plan, error) { return keep.Bind(Lines(s), out) }, "byte 6"},
		{"chunks", func(s Source, out Output[[]byte]) (*Plan, error) { return keep.Bind(Chunks(s), out) }, "byte 6"},
		{"strings", func(s Source, out Output[[]byte]) (*Plan, error) { return text.Bind(LineStrings(s), out) }, "byte 6"},
		{"fixed size", func(s Source, out Output[[]byte]) (*Plan, error) { return keep.Bind(FixedSize(1<<40, s), out) }, "byte 0"},
		{"whole files", func(s Source, out Output[[]byte]) (*Plan, error) { return whole.Bind(WholeFiles(s), out) }, "byte 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := &endless{}
			src := Stream("the-pipe", readers{strings.NewReader("short\n"), e})
			var out Collected[[]byte]
			p, err := c.bind(src, out.Output())
			require.NoError(t, err)
			err = runBudget(p, budget)
			require.ErrorIs(t, err, ErrRecordTooLarge)
			require.ErrorContains(t, err, "the-pipe: record too large: the one that begins at "+c.at+" is longer than 20971520 bytes, a quarter of the memory budget")
			require.Less(t, e.read, int64(budget/2))
		})
	}
}

// readers is a reader after another, without their other methods.
type readers [2]interface{ Read(p []byte) (int, error) }

func (r readers) Read(p []byte) (int, error) {
	if n, err := r[0].Read(p); n > 0 || err == nil {
		return n, nil
	}
	return r[1].Read(p)
}

// A line of a mapped file is not held; one that becomes a string is.
func TestLargeLinesOfAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "line")
	require.NoError(t, os.WriteFile(path, []byte("short\n"), 0o600))
	require.NoError(t, os.Truncate(path, 40<<20))
	src, err := File(path)
	require.NoError(t, err)
	count := int64(0)
	job := keepLines()
	job.Map = func(line []byte, _ func([]byte)) error {
		count += int64(len(line))
		return nil
	}
	var out Collected[[]byte]
	p, err := job.Bind(Lines(src), out.Output())
	require.NoError(t, err)
	require.NoError(t, runBudget(p, 80<<20))
	require.EqualValues(t, 40<<20-1, count)

	text := MapOnly[string, []byte]{Map: func(string, func([]byte)) error { return nil }}
	p, err = text.Bind(LineStrings(src), out.Output())
	require.NoError(t, err)
	err = runBudget(p, 80<<20)
	require.ErrorIs(t, err, ErrRecordTooLarge)
	require.ErrorContains(t, err, path+": record too large: the one that begins at byte 6 is longer than 20971520 bytes")
}
