package jobs

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/internal/gen"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// awkward returns inputs that are hard to split into lines, by name; each is a list of files.
func awkward() map[string][]string {
	return map[string][]string{
		"empty file":         {""},
		"empty files":        {"", "", ""},
		"one line feed":      {"\n"},
		"empty lines":        {"\n\n\na\n\n"},
		"no final line feed": {"b a\na b", "c"},
		"CRLF":               {"a b\r\nb\r\n\r\nabc\r\n"},
		"NUL bytes":          {"a\x00b a\n\x00\n\x00\x00abc\nabc\x00"},
		"invalid UTF-8":      {"\xff\xfe abc\n\xc3\x28 \xe2\x82\nabc\xff\n\x80"},
		"all bytes":          {everyByte()},
		"a long line":        {"x\n" + strings.Repeat("abc ", 170) + "\ny\n"},
		"white space":        {" \t\v\f\r\n a\tb\vc\fd\re \n"},
		"tiny files":         tinyFiles(60),
		"text":               {corpus(1200)},
	}
}

func everyByte() string {
	var b []byte
	for i := range 256 {
		b = append(b, byte(i), 'a', byte(255-i), ' ')
	}
	return string(b)
}

func tinyFiles(n int) []string {
	var list []string
	for i := range n {
		list = append(list, strings.Repeat("a", i%3)+strings.Repeat("\n", i%2)+"abc "+string(rune('a'+i%26)))
	}
	return list
}

func corpus(n int64) string {
	var b bytes.Buffer
	if err := gen.Write(context.Background(), &b,
		gen.Config{Kind: gen.Text, Bytes: n, Seed: 5, Words: 300}); err != nil {
		panic(err)
	}
	return b.String()
}

// sources are files in memory.
func sources(files []string) []mapreduce.Source {
	var list []mapreduce.Source
	for _, f := range files {
		list = append(list, mapreduce.Bytes("memory", []byte(f)))
	}
	return list
}

// tool returns the output of a command that gets the files' names as its last arguments.
func tool(t *testing.T, files []string, command string, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i, f := range files {
		name := filepath.Join(dir, string(rune('a'+i/26%26))+string(rune('a'+i%26))+string(rune('a'+i/676)))
		require.NoError(t, os.WriteFile(name, []byte(f), 0o600))
		args = append(args, name)
	}
	cmd := exec.Command(command, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	out, err := cmd.Output()
	if e, ok := err.(*exec.ExitError); ok && command == "grep" && e.ExitCode() == 1 { //nolint:errorlint // Output does not wrap it
		err = nil // no line selected
	}
	require.NoError(t, err)
	return string(out)
}

// setting says how to run a plan: block size, number of reduces, by RunLocal or not.
type setting struct {
	block   int64
	reduces int
	local   bool // by RunLocal
}

func settings() []setting {
	return []setting{
		{0, 1, true},
		{5, 2, true},
		{0, 1, false},
		{1, 1, false},
		{2, 3, false},
		{7, 1, false},
		{64, 4, false},
		{4096, 2, false},
	}
}

// run returns the output of the plan that bind returns, its parts joined in order.
func run(t *testing.T, s setting, bind func(to mapreduce.Destination) (*mapreduce.Plan, error)) string {
	t.Helper()
	var out bytes.Buffer
	plan, err := bind(mapreduce.Writer("memory", &out))
	require.NoError(t, err)
	_, err = runner(t, s)(t.Context(), plan)
	require.NoError(t, err)
	return out.String()
}

// runner returns a Runner that runs each plan as setting s says.
func runner(t *testing.T, s setting) Runner {
	return func(ctx context.Context, plan *mapreduce.Plan) (*counter.Set, error) {
		blocks := blocksOf(plan, s.block)
		if s.local {
			return mapreduce.RunLocal(ctx, plan, mapreduce.LocalOptions{Reduces: s.reduces, Blocks: blocks})
		}
		return runAttempts(t, plan, s.reduces, blocks), nil
	}
}

// blocksOf returns a function that cuts a source into blocks of this size; 0: one block.
func blocksOf(plan *mapreduce.Plan, size int64) func(source int) []cluster.Block {
	return func(source int) []cluster.Block {
		var list []cluster.Block
		total := plan.Sources()[source].Size()
		for off := int64(0); size > 0 && off < total; off += size {
			list = append(list, cluster.Block{Offset: off, Length: min(size, total-off)})
		}
		return list
	}
}

// runAttempts runs each task of a plan as an attempt, as a cluster does, one after the other.
func runAttempts(t *testing.T, plan *mapreduce.Plan, reduces int, blocks func(int) []cluster.Block) *counter.Set {
	t.Helper()
	ctx, counters := t.Context(), new(counter.Set)
	require.NoError(t, plan.SetupJob())
	require.NoError(t, plan.Prepare(ctx, cluster.PrepareOptions{Reduces: reduces}))
	splits, err := plan.Splits(ctx, blocks)
	require.NoError(t, err)
	outputs := make([]*cluster.MapOutput, len(splits))
	for i, split := range splits {
		a := &cluster.MapAttempt{Index: i, Split: split, Resources: cluster.Resources{Counters: new(counter.Set)}}
		outputs[i], err = plan.RunMap(ctx, a)
		require.NoError(t, err)
		counters.Merge(a.Counters)
		if plan.MapOnly() {
			require.NoError(t, plan.CommitTask(a.ID()))
		}
	}
	for i := range plan.Reduces() {
		left := slices.Clone(outputs)
		a := &cluster.ReduceAttempt{Index: i, Next: func(context.Context) (cluster.Segment, error) {
			if len(left) == 0 {
				return cluster.Segment{}, io.EOF
			}
			s := left[0].Segment(i)
			left = left[1:]
			return s, nil
		}}
		a.Counters = new(counter.Set)
		require.NoError(t, plan.RunReduce(ctx, a))
		counters.Merge(a.Counters)
		require.NoError(t, plan.CommitTask(a.ID()))
	}
	for _, o := range outputs {
		o.Release()
	}
	require.NoError(t, plan.CommitJob())
	return counters
}

// everywhere runs a job on each awkward input in each setting. Its output must be what want
// returns; if ordered is false, the order of lines is ignored.
func everywhere(t *testing.T, ordered bool, want func(t *testing.T, files []string) string,
	bind func(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error),
) {
	for name, files := range awkward() {
		t.Run(name, func(t *testing.T) {
			expected := want(t, files)
			for _, s := range settings() {
				got := run(t, s,
					func(to mapreduce.Destination) (*mapreduce.Plan, error) { return bind(sources(files), to) })
				if !ordered && s.reduces > 1 {
					require.Equal(t, sortedLines(expected), sortedLines(got), "%+v", s)
					continue
				}
				require.Equal(t, expected, got, "%+v", s)
			}
		})
	}
}

func sortedLines(s string) []string {
	lines := slices.Collect(strings.Lines(s))
	slices.Sort(lines)
	return lines
}

func TestWordCountEqualsTools(t *testing.T) {
	want := func(t *testing.T, files []string) string {
		words := strings.Join(files, "\n")
		cmd := exec.Command("sh", "-c", `tr -s '[:space:]' '\n' | grep -a . | sort | uniq -c`)
		cmd.Env, cmd.Stdin = append(os.Environ(), "LC_ALL=C"), strings.NewReader(words)
		out, err := cmd.Output()
		require.NoError(t, err)
		var b strings.Builder
		for line := range strings.Lines(string(out)) {
			count, word, _ := strings.Cut(strings.TrimLeft(strings.TrimSuffix(line, "\n"), " "), " ")
			b.WriteString(word + "\t" + count + "\n")
		}
		return b.String()
	}
	t.Run("chunks", func(t *testing.T) {
		everywhere(t, false, want, func(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
			return WordCount().Bind(mapreduce.Chunks(src...), mapreduce.Text[Count](to))
		})
	})
	t.Run("lines", func(t *testing.T) {
		everywhere(t, false, want, func(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
			return WordCount().Bind(mapreduce.Lines(src...), mapreduce.Text[Count](to))
		})
	})
}

func TestSortEqualsTool(t *testing.T) {
	for _, o := range []SortOptions{{}, {Reverse: true}, {Unique: true}, {Reverse: true, Unique: true}} {
		flags := "-s"
		if o.Reverse {
			flags += "r"
		}
		if o.Unique {
			flags += "u"
		}
		t.Run(flags, func(t *testing.T) {
			everywhere(t, true, func(t *testing.T, files []string) string { return tool(t, files, "sort", flags) },
				func(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
					return Sort(o).Bind(mapreduce.Lines(src...), mapreduce.Text[Line](to))
				})
		})
	}
}

func TestTeraSortEqualsTool(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, gen.Write(t.Context(), &b, gen.Config{Kind: gen.Tera, Bytes: 30_000, Seed: 3}))
	files := []string{b.String(), b.String()[:10_000], ""} // keys come twice
	want := tool(t, files, "sort", "-s", "-k1.1,1.10")
	for _, s := range settings() {
		got := run(t, s, func(to mapreduce.Destination) (*mapreduce.Plan, error) {
			return TeraSort().Bind(mapreduce.FixedSize(TeraRecordBytes, sources(files)...),
				mapreduce.Raw[mapreduce.Pair[[]byte, []byte]](to))
		})
		require.Equal(t, want, got, "%+v", s)
	}
}
