package worker

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	mr "github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// A task passes unchanged through the environment variable TARRY_TASK, with any strings. For an
// invalid value the error names the variable.
func TestTaskTravels(t *testing.T) {
	want := task{
		Temp: "/a b/'c\"", Dir: "/", Run: 3, Kind: mapTask, Index: -1, Attempt: 7, Memory: 1 << 40,
		Spills: "a b$x\n",
	}
	text := want.env()
	require.NotContains(t, text, " ")
	require.Equal(t, text, strings.Trim(text, `"'$,=`))
	got, err := parseTask(text)
	require.NoError(t, err)
	require.Equal(t, &want, got)
	for _, bad := range []string{"", "{}", "bm9uZQ", text[1:]} {
		_, err := parseTask(bad)
		require.ErrorContains(t, err, taskVariable, bad)
	}
	elsewhere, err := parseTask((&job{o: Options{Memory: 5 << 20}}).task(mapTask, 0, 0).env())
	require.NoError(t, err)
	require.EqualValues(t, 5<<20, elsewhere.Memory, "of each worker that is not of this machine")
	want.Spills = ownFolder
	got, err = parseTask(want.env())
	require.NoError(t, err)
	here, err := os.Getwd()
	require.NoError(t, err)
	require.Equal(t, here, got.Spills)
}

// A worker finds its task and attempt in the variables or standard input that its engine sets.
func TestWhichTask(t *testing.T) {
	env := func(list ...string) func(string) string {
		return func(name string) string {
			for i := 0; i < len(list); i += 2 {
				if list[i] == name {
					return list[i+1]
				}
			}
			return ""
		}
	}
	maps, reduces := &task{Kind: mapTask}, &task{Kind: reduceTask}
	for _, c := range []struct {
		of    *task
		env   func(string) string
		stdin string
		want  int
		wrong string
	}{
		{maps, env(), "0\t17\n", 17, ""},
		{maps, env(), "17\n", 17, ""},
		{maps, env(), "1234\t5\n1240\t6\n", 5, ""},
		{maps, env(), "", 0, "no number of a split"},
		{maps, env(), "x\n", 0, "no number of a split"},
		{maps, env("mapreduce_task_partition", "9"), "3\n", 3, ""},
		{maps, env("TARRY_INDEX", "4"), "", 4, ""},
		{maps, env("SLURM_ARRAY_TASK_ID", "8"), "", 8, ""},
		{reduces, env("mapreduce_task_partition", "9"), "\x00", 9, ""},
		{reduces, env("JOB_COMPLETION_INDEX", "2"), "", 2, ""},
		{reduces, env("TARRY_INDEX", "two"), "", 0, "TARRY_INDEX=two"},
		{reduces, env(), "3\n", 0, "none of TARRY_INDEX"},
	} {
		got, err := c.of.indexOf(c.env, strings.NewReader(c.stdin))
		if c.wrong != "" {
			require.ErrorContains(t, err, c.wrong)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
	for text, want := range map[string]int{"attempt_1700000000000_0001_m_000003_2": 2, "5": 5} {
		got, err := attemptOf(env("mapreduce_task_attempt_id", text))
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := attemptOf(env("SLURM_RESTART_COUNT", "-1"))
	require.ErrorContains(t, err, "SLURM_RESTART_COUNT=-1")
}

// A worker whose program differs from the submitter's fails permanently. The error names both
// programs.
func TestOtherPrograms(t *testing.T) {
	this, err := thisProgram()
	require.NoError(t, err)
	of := func(list ...program) *planFile { return &planFile{Programs: list} }
	require.NoError(t, of(program{Path: "elsewhere", Sum: this.Sum}).check())
	require.NoError(t, of(program{Sum: "1"}, program{Sum: this.Sum}).check(), "one of --worker")
	built := program{Sum: "1", Sources: "acme.com/words v1.2.0", Platform: "linux/arm64"}
	require.True(t, built.same(program{Sum: "2", Sources: built.Sources}), "another build of the same sources")
	for _, version := range []string{"", "(devel)", "v1.2.0+dirty"} {
		built.Sources = "acme.com/words " + version
		require.False(t, built.same(program{Sum: "2", Sources: built.Sources}), version)
	}
	err = of(program{Path: "/bin/other", Sum: "00000000deadbeef"}).check()
	require.True(t, cluster.IsPermanent(err))
	for _, part := range []string{this.Path, this.Sum, "/bin/other", "00000000deadbeef"} {
		require.ErrorContains(t, err, part)
	}
	work := &task{Temp: t.TempDir()}
	require.NoError(t, os.WriteFile(filepath.Join(work.Temp, planName), []byte("{"), 0o600))
	_, err = work.readPlan()
	require.ErrorContains(t, err, "plan.json: ")
}

// A reduce accepts its frames in any order. It fails if one is missing, doubled, damaged or meant
// for another reduce.
func TestFramesOfAReduce(t *testing.T) {
	book := bookOf(t, t.TempDir(), "a", 5_000_000)
	out := filepath.Join(t.TempDir(), "out")
	p, j := prepared(t, "sort", out, Options{Reduces: 1, BlockSize: 2_000_000}, []string{book})
	defer func() { require.NoError(t, p.AbortJob()) }()
	var list [][]byte // frames
	for i := range j.layout.Splits {
		var b bytes.Buffer
		a := (&task{Spills: t.TempDir()}).attempt(p, mr.AttemptID{Index: i}, &j.layout)
		require.NoError(t, a.runMap(t.Context(), &b))
		for all := b.Bytes(); len(all) > 0; {
			x, err := readFrame(bytes.NewReader(all), nil)
			require.NoError(t, err)
			n := 4 + keyBytes + 4 + len(x.data)
			list, all = append(list, all[:n]), all[n:]
		}
	}
	require.Greater(t, len(list), 4)
	try := 0
	reduce := func(list ...[]byte) error {
		try++
		a := (&task{Spills: t.TempDir()}).attempt(p, mr.AttemptID{Kind: cluster.ReduceKind, Try: try}, &j.layout)
		return a.runReduce(t.Context(), bytes.NewReader(bytes.Join(list, nil)))
	}
	require.NoError(t, reduce(list...))
	var backwards [][]byte
	for i := range list {
		backwards = append(backwards, list[len(list)-1-i])
	}
	require.NoError(t, reduce(backwards...))
	damaged := bytes.Clone(list[0])
	damaged[len(damaged)/2] ^= 1
	elsewhere := bytes.Clone(list[0])
	elsewhere[7] = 1 // of partition
	for name, bad := range map[string][][]byte{
		"missing":   list[1:],
		"twice":     append(backwards, list[0]),
		"nothing":   nil,
		"damaged":   append([][]byte{damaged}, list[1:]...),
		"elsewhere": append([][]byte{elsewhere}, list[1:]...),
		"cut short": {bytes.Join(list, nil)[:100]},
	} {
		require.Error(t, reduce(bad...), name)
	}
}
