package bench

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// script is a program that a shell interprets; $1 is its output directory.
func script(name, text, out string, kind ResultKind) Program {
	return Program{
		Name: name, Args: []string{"sh", "-c", text, "sh", out}, OutDir: out, Result: kind,
	}
}

func TestRunTakesTurnsAndComparesResults(t *testing.T) {
	scratch := t.TempDir()
	out, record := filepath.Join(scratch, "out"), filepath.Join(scratch, "record")
	program := func(name, lines string) Program {
		return script(name,
			`echo `+name+` >>`+record+`; mkdir "$1" && printf '`+lines+`' >"$1/part-r-00000"`, out,
			Lines)
	}
	input := filepath.Join(scratch, "input")
	require.NoError(t, os.WriteFile(input, []byte("text"), 0o600))
	failing := Program{
		Name: "failing", Args: []string{"sh", "-c", "echo the reason >&2; echo a hint >&2; exit 3"},
	}
	o, err := Run(context.Background(),
		Contest{Name: "test", Input: input, Bytes: 4, Fresh: 3<<20 + 1, Programs: []Program{
			program("first", `a\nb\n`), failing, program("wrong", `a\nc\n`),
			program("other-order", `b\na`),
			{Name: "nothing found", Args: []string{"false"}, Accept: 1, Result: Count},
			{Name: "other format", Args: []string{"echo", "2 lines"}, Result: Other},
		}}, 2, scratch, &bytes.Buffer{})
	require.NoError(t, err)

	turns, err := os.ReadFile(record)
	require.NoError(t, err)
	require.Equal(t, "first wrong other-order first wrong other-order",
		strings.Join(strings.Fields(string(turns)), " "))
	require.Len(t, o.Result("first").Samples, 2)
	require.Empty(t, o.Result("other-order").Failure)
	require.Empty(t, o.Result("other format").Failure)
	require.Contains(t, o.Result("failing").Failure, "exit status 3: the reason")
	require.Contains(t, o.Result("wrong").Failure, "differs from that of first")
	require.Empty(t, o.Result("nothing found").Failure)
	require.Equal(t, "0", o.Result("nothing found").Digest)
	require.Nil(t, o.Result("nobody"))
	require.NoDirExists(t, out)
	left, err := os.ReadDir(scratch)
	require.NoError(t, err)
	require.Len(t, left, 2, "only the record and the input are left")
}

// If the context ends, Run returns its error and the results so far.
func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var log cancelOn
	log.word, log.cancel = "second", cancel
	o, err := Run(ctx, Contest{Name: "test", Programs: []Program{
		{Name: "first", Args: []string{"true"}}, {Name: "second", Args: []string{"sleep", "60"}},
	}}, 3, t.TempDir(), &log)
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, o.Result("first").Samples, 1)
	require.Empty(t, o.Result("second").Samples)
	require.Empty(t, o.Result("second").Failure)
}

// cancelOn is a log that cancels when a word is written to it.
type cancelOn struct {
	word   string
	cancel func()
}

func (c *cancelOn) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(c.word)) {
		c.cancel()
	}
	return len(p), nil
}

func TestResultKinds(t *testing.T) {
	dir := t.TempDir()
	stdout, err := os.Create(filepath.Join(dir, "stdout"))
	require.NoError(t, err)
	defer stdout.Close()
	_, err = stdout.WriteString(" 42\n")
	require.NoError(t, err)
	digest := func(kind ResultKind, parts ...string) string {
		out := t.TempDir()
		for i, text := range parts {
			require.NoError(t,
				os.WriteFile(filepath.Join(out, "part-r-0000"+string(rune('0'+i))), []byte(text),
					0o600))
		}
		d, err := digestResult(Program{Result: kind, OutDir: out}, stdout)
		require.NoError(t, err)
		return d
	}
	require.Equal(t, "42", digest(Count))
	require.Equal(t, digest(Bytes, "a\nb\n", "c\n"), digest(Bytes, "a\n", "b\nc\n"))
	require.NotEqual(t, digest(Bytes, "a\nb\n", "c\n"), digest(Bytes, "b\na\n", "c\n"))
	require.Equal(t, digest(Lines, "a\nb\n", "c\n"), digest(Lines, "c\n", "b\na"))
	require.NotEqual(t, digest(Lines, "a\na\nb\n"), digest(Lines, "a\nb\nb\n"))
	long := strings.Repeat("x", 3<<20)
	require.True(t, strings.HasPrefix(digest(Lines, long+"\n"+long), "2 lines/"))
}
