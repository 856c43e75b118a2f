package jobs

import (
	"bytes"
	"context"
	"fmt"
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
	"github.com/tarry-mr/tarry/mapreduce/mrtest"
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
		"word lengths":       {wordLengths()},
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

// wordLengths returns words of the lengths at which the engine stores words differently.
func wordLengths() (text string) {
	for _, n := range []int{1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 200, 300} {
		text += strings.Repeat("a", n) + " " + strings.Repeat("b", n) + " " + strings.Repeat("a", n) + "\n"
	}
	return text
}

func corpus(n int64) string {
	var b bytes.Buffer
	if err := gen.Write(context.Background(), &b,
		gen.Config{Kind: gen.Text, Bytes: n, Seed: 5, Words: 300}); err != nil {
		panic(err)
	}
	return b.String()
}

// sources are files in memory with the names f000, f001, …
func sources(files ...string) []mapreduce.Source {
	var list []mapreduce.Source
	for i, f := range files {
		list = append(list, mapreduce.Bytes(fmt.Sprintf("f%03d", i), []byte(f)))
	}
	return list
}

// tool returns the output of a command whose last arguments are the names of these files, as
// sources names them.
func tool(t *testing.T, files []string, command string, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command(command, args...)
	for i, s := range sources(files...) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, s.Name()), []byte(files[i]), 0o600))
		cmd.Args = append(cmd.Args, s.Name())
	}
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "LC_ALL=C", "TERM=xterm", "GREP_COLORS=")
	out, err := cmd.Output()
	if command != "grep" || cmd.ProcessState.ExitCode() != 1 { // 1: no line selected
		require.NoError(t, err, "%q", cmd.Args)
	}
	return string(out)
}

// shell returns what a command line of sh writes for this input, in the locale C.
func shell(t require.TestingT, line, text string) string {
	cmd := exec.Command("sh", "-c", line)
	cmd.Env, cmd.Stdin = append(os.Environ(), "LC_ALL=C"), strings.NewReader(text)
	out, err := cmd.Output()
	require.NoError(t, err, line)
	return string(out)
}

// countsBehind is a command that writes the lines of uniq -c as jobs write counts.
const countsBehind = ` | sed 's/^ *\([0-9]*\) \(.*\)$/\2\t\1/'`

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

// binding binds a job to a destination.
type binding = func(to mapreduce.Destination) (*mapreduce.Plan, error)

// text binds a job to an input, and writes a line for each record.
func text[I, O any](j mrtest.Job[I, O], in mapreduce.Input[I]) binding {
	return func(to mapreduce.Destination) (*mapreduce.Plan, error) { return j.Bind(in, mapreduce.Text[O](to)) }
}

// raw is like text, but writes records unchanged.
func raw[I, O any](j mrtest.Job[I, O], in mapreduce.Input[I]) binding {
	return func(to mapreduce.Destination) (*mapreduce.Plan, error) { return j.Bind(in, mapreduce.Raw[O](to)) }
}

// run returns the output of the job that bind binds, its parts joined in order.
func run(t *testing.T, s setting, bind binding) string {
	t.Helper()
	var out bytes.Buffer
	plan, err := bind(mapreduce.Writer("memory", &out))
	require.NoError(t, err)
	_, err = runner(t, s)(t.Context(), plan)
	require.NoError(t, err)
	return out.String()
}

// failure returns the error of a job.
func failure(t *testing.T, bind binding) error {
	t.Helper()
	plan, err := bind(mapreduce.Writer("none", io.Discard))
	require.NoError(t, err)
	_, err = mapreduce.RunLocal(t.Context(), plan, mapreduce.LocalOptions{})
	require.Error(t, err)
	return err
}

// example runs a plan for an example.
func example(plan *mapreduce.Plan, err error) {
	if err == nil {
		_, err = mapreduce.RunLocal(ctx, plan, mapreduce.LocalOptions{})
	}
	if err != nil {
		fmt.Println(err)
	}
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
		total := plan.Job().Sources[source].Size()
		for off := int64(0); size > 0 && off < total; off += size {
			list = append(list, cluster.Block{Offset: off, Length: min(size, total-off)})
		}
		return list
	}
}

// runAttempts runs each task of a plan as an attempt, as a cluster does, one after the other.
func runAttempts(t testing.TB, plan *mapreduce.Plan, reduces int, blocks func(int) []cluster.Block) *counter.Set {
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
		if plan.Job().MapOnly {
			require.NoError(t, plan.Job().CommitTask(a.ID()))
		}
	}
	for i := range plan.Job().Reduces {
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
		require.NoError(t, plan.Job().CommitTask(a.ID()))
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
	bind func(src []mapreduce.Source) binding,
) {
	for name, files := range awkward() {
		t.Run(name, func(t *testing.T) {
			expected := want(t, files)
			for _, s := range settings() {
				got := run(t, s, bind(sources(files...)))
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
	for name, input := range map[string]func(...mapreduce.Source) mapreduce.Input[[]byte]{
		"chunks": mapreduce.Chunks, "lines": mapreduce.Lines,
	} {
		t.Run(name, func(t *testing.T) {
			everywhere(t, false, func(t *testing.T, files []string) string {
				line := `tr -s '[:space:]' '\n' | grep -a . | sort | uniq -c` + countsBehind
				return shell(t, line, strings.Join(files, "\n"))
			}, func(src []mapreduce.Source) binding { return text(WordCount(), input(src...)) })
		})
	}
}

func TestSortEqualsTool(t *testing.T) {
	for flags, o := range map[string]SortOptions{
		"-s": {}, "-sr": {Reverse: true}, "-su": {Unique: true}, "-sru": {Reverse: true, Unique: true},
	} {
		t.Run(flags, func(t *testing.T) {
			everywhere(t, true, func(t *testing.T, files []string) string { return tool(t, files, "sort", flags) },
				func(src []mapreduce.Source) binding { return text(Sort(o), mapreduce.Lines(src...)) })
		})
	}
}

func TestTeraSortEqualsTool(t *testing.T) {
	records := table(t, gen.Tera, 30_000, 0)
	files := []string{records, records[:10_000], ""} // keys come twice
	want := tool(t, files, "sort", "-s", "-k1.1,1.10")
	for _, s := range settings() {
		got := run(t, s, raw(TeraSort(), mapreduce.FixedSize(TeraRecordBytes, sources(files...)...)))
		require.Equal(t, want, got, "%+v", s)
	}
}

// MapsOnly of a job writes what its maps emit, in input order, also what they emit at their end.
func TestMapsOnly(t *testing.T) {
	input := sources("b\na\n", "c")
	for _, s := range settings() {
		require.Equal(t, "b\na\nc\n", run(t, s, text(MapsOnly(Sort(SortOptions{})), mapreduce.Lines(input...))))
	}
	got := run(t, settings()[0], text(MapsOnly(must(GrepCount("a", GrepOptions{}))), mapreduce.Chunks(input...)))
	require.Equal(t, "f000\t1\nf001\t0\n", got)
}

// Write the output of the maps of a word count.
func ExampleMapsOnly() {
	poem := mapreduce.Bytes("poem", []byte("to be or\nnot to be\n"))
	example(MapsOnly(WordCount()).Bind(mapreduce.Lines(poem), mapreduce.Text[Count](mapreduce.Writer("-", os.Stdout))))
	// Output:
	// to	1
	// be	1
	// or	1
	// not	1
	// to	1
	// be	1
}
