package mapreduce_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/dfs"
	. "github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
	"github.com/tarry-mr/tarry/mapreduce/internal/read"
)

// firstWord is the route of these tests.
func firstWord(line string) string {
	word, _, _ := strings.Cut(line, " ")
	if word == "-" {
		return ""
	}
	return word
}

// contents returns the files in a directory, decompressed, by name. It reads plain ones itself: the
// engine waits until it can see changes of a new file.
func contents(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, e := range must(os.ReadDir(dir))(t) {
		path := filepath.Join(dir, e.Name())
		if !slices.Contains([]string{".gz", ".zst", ".s2"}, filepath.Ext(path)) {
			files[e.Name()] = string(must(os.ReadFile(path))(t))
			continue
		}
		files[e.Name()] = ""
		for _, line := range must(recordsOf(t, LineStrings(must(File(path))(t)), read.UsualWindows(), 1<<20))(t) {
			files[e.Name()] += line + "\n"
		}
	}
	return files
}

func TestRouted(t *testing.T) {
	const text = "a 1\nb 2\n- 3\na 4\nc 5\n"
	want := map[string]string{
		"_SUCCESS": "", "part-m-00000": "- 3\n", "a-m-00000": "a 1\na 4\n", "b-m-00000": "b 2\n", "c-m-00000": "c 5\n",
	}
	for _, local := range []bool{true, false} {
		dir := filepath.Join(t.TempDir(), "out")
		for range 2 { // the second output replaces the first
			p := must(passOn[string]().Bind(LineStrings(textOf(text)), Routed(Text[string](ReplacedDir(dir)), firstWord)))(t)
			c, _ := skipping(t, p, local, 0)
			require.EqualValues(t, len(text), c.Get(counter.OutputBytesWritten))
			require.Equal(t, want, contents(t, dir))
		}
	}
}

// Records are in their files before the map ends, and not only in memory.
func TestRoutedWritesWhileTheMapRuns(t *testing.T) {
	dir, begun := t.TempDir(), []string(nil)
	job := MapOnly[string, string]{Map: func(line string, emit func(string)) error {
		if line != "last" {
			emit(line)
			return nil
		}
		return filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
			if err == nil && e.Type().IsRegular() {
				begun = append(begun, e.Name())
			}
			return err
		})
	}}
	out := Routed(Text[string](Dir(filepath.Join(dir, "out"))), firstWord)
	p := must(job.Bind(LineStrings(textOf("a 1\nb 2\nlast\n")), out))(t)
	must(RunLocal(t.Context(), p, LocalOptions{}))(t)
	require.Subset(t, begun, []string{"m-00000-0~a", "m-00000-0~b"})
}

// Routed works for a job without Reduce, whose pairs are otherwise written undecoded.
func TestRoutedReduces(t *testing.T) {
	job := Job[string, string, string, Pair[string, string]]{
		Map: func(line string, emit func(string, string)) error {
			k, v, _ := strings.Cut(line, " ")
			emit(k, v)
			return nil
		},
		Partition: func(key string, _ int) int { return int(key[0] - 'a') },
	}
	dir := filepath.Join(t.TempDir(), "out")
	out := Routed(Text[Pair[string, string]](Dir(dir)), func(p Pair[string, string]) string { return "n" + p.Second })
	p := must(job.Bind(LineStrings(textOf("b 2\na 1\na 2\n")), out))(t)
	engine(t, p, 2, p.Job().BlocksOf(4), cluster.Resources{})
	require.Equal(t, map[string]string{
		"_SUCCESS": "", "part-r-00000": "", "part-r-00001": "",
		"n1-r-00000": "a\t1\n", "n2-r-00000": "a\t2\n", "n2-r-00001": "b\t2\n",
	}, contents(t, dir))
}

// A job does not overwrite a file that is not its own, even if its name could be that of a routed
// part.
func TestFilesOfOthersAreNotOverwritten(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "photo-m-20260101.jpg"), nil, 0o600))
	require.ErrorIs(t, ReplacedDir(dir).Check(), ErrOutputExists)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "_SUCCESS"), nil, 0o600))
	require.NoError(t, ReplacedDir(dir).Check())
}

func TestRoutedRefuses(t *testing.T) {
	for name, want := range map[string]string{
		"part": "engine's", "part-r-00000": "engine's", "_SUCCESS": "engine's", "..": "engine's", ".x": "engine's",
		"a/b": "slash", `a\b`: "slash", "a\n": "control", "\xff": "UTF-8", strings.Repeat("x", 101): "101 bytes",
	} {
		require.ErrorContains(t, output.CheckRoute(name), want)
		dir := filepath.Join(t.TempDir(), "out")
		err := ran(passOn[int]().Bind(Slice([]int{1}), Routed(Text[int](Dir(dir)), func(int) string { return name })))
		require.ErrorContains(t, err, want)
		require.NoDirExists(t, dir)
	}
	require.NoError(t, output.CheckRoute("2026-11 é"))
	_, err := passOn[int]().Bind(Slice([]int{1}), Routed(unread[int](), func(int) string { return "" }))
	require.ErrorContains(t, err, "it takes a directory")
	_, err = passOn[int]().Bind(Slice([]int{1}), Routed(Text[int](Dir(t.TempDir())), nil))
	require.ErrorContains(t, err, "Routed without a function")
}

// An attempt that writes to more than 64 files closes some and opens them again. In a store that is
// an error, and a dfs keeps all open.
func TestRoutedToMoreFilesThanAreOpen(t *testing.T) {
	const maxRoutes = 64 // as Routed documents
	var text strings.Builder
	want := map[string]string{}
	for i := range 5 * maxRoutes {
		line := fmt.Sprintf("name%d line %d\n", i%(2*maxRoutes), i)
		text.WriteString(line)
		want[fmt.Sprintf("name%d-m-00000", i%(2*maxRoutes))] += line
	}
	run := func(to Destination) error {
		budget := cluster.NewMemory(1 << 30)
		p := must(passOn[string]().Bind(LineStrings(textOf(text.String())), Routed(Text[string](to), firstWord)))(t)
		err := (&engineRun{Resources: cluster.Resources{Budget: budget.Sub()}}).run(t.Context(), p)
		require.Zero(t, budget.Used())
		return err
	}
	same := func(got map[string]string, extension string) {
		require.Len(t, got, len(want)+2)
		for name, lines := range want {
			require.Equal(t, lines, got[name+extension])
		}
	}
	for _, c := range []Compression{NoCompression, Gzip, Zstd, S2} {
		dir := filepath.Join(t.TempDir(), "out")
		require.NoError(t, run(Dir(dir).Compressed(c)))
		same(contents(t, dir), c.Extension())
	}
	err := run(storeDir(soundOutput(t)))
	require.ErrorContains(t, err, "more than 64 names in one attempt, and files in frail")
	require.True(t, fault.IsPermanent(err))

	fsys := must(dfs.New(dfs.Config{Nodes: []dfs.Node{{ID: "a"}}}))(t)
	require.NoError(t, run(InDFS(fsys, "out")))
	same(inside(t, fsys, "out"), "")
}
