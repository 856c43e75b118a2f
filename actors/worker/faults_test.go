package worker

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// foreignEngines are the engines whose client programs these tests emulate (played_test.go).
var foreignEngines = []string{"yarn", "slurm"}

// logsOf returns the content of the log file that an error names.
func logsOf(t *testing.T, err error) string {
	_, name, ok := strings.Cut(err.Error(), "; logs: ")
	require.True(t, ok, err)
	text, bad := os.ReadFile(name)
	require.NoError(t, bad)
	return string(text)
}

// If a host lacks the program, the job's error says so.
func TestNotOnTheHost(t *testing.T) {
	book := []string{bookOf(t, t.TempDir(), "a", 1000)}
	for on, want := range map[string]string{
		"slurm": "no-such-program: not found",
		"yarn":  "subprocess failed with code 127", // YARN ships the program to its hosts
	} {
		playEngines(t)
		t.Setenv(playedHosts, "sh "+written(t, "gone.sh", "echo no-such-program: not found >&2; exit 127"))
		out, _, err := submit(t, "wordcount", Options{On: on, Reduces: 2, MaxAttempts: 2}, book)
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "\n")
		require.NoDirExists(t, out)
	}
}

// written writes a file and returns its name.
func written(t *testing.T, name, text string) string {
	name = filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

// A task of a killed run does not run the plan of a later run with the same output.
func TestOrphans(t *testing.T) {
	book := []string{bookOf(t, t.TempDir(), "a", 1000)}
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	first := func() *job {
		p, j := prepared(t, "sort", out, Options{Reduces: 1}, book)
		t.Cleanup(func() { _ = p.AbortJob() })
		return j
	}
	j := first()
	orphan := j.task(mapTask, 0, 0)
	_, err := orphan.readPlan()
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "_out.new"))) // as the rerun of a killed run does
	next := first()
	require.NotEqual(t, j.temp, next.temp)
	_, err = orphan.readPlan()
	require.ErrorIs(t, err, errGone)
	require.ErrorIs(t, orphan.write(orphan.note(nil)), errGone)
	require.Error(t, orphan.noteFailure(errGone))
	_, err = os.Stat(j.temp.dir)
	require.ErrorIs(t, err, os.ErrNotExist, "an orphan makes nothing")
	late := next.temp.below(notes).dir
	require.NoError(t, os.RemoveAll(late)) // the submitter removes it while a task looks for its plan
	last := next.task(mapTask, 0, 0)
	require.ErrorIs(t, last.write(last.note(nil)), os.ErrNotExist)
	require.NoDirExists(t, late)
}

// A run removes the files of a killed run from its output, and its log names the killed run.
func TestRerunNamesTheKilledRun(t *testing.T) {
	dir := t.TempDir()
	left := filepath.Join(dir, "_out.new", "_temporary", cluster.RunFile)
	require.NoError(t, os.MkdirAll(filepath.Dir(left), 0o755))
	require.NoError(t, os.WriteFile(left, []byte("process 7 of node-3, on yarn\n"), 0o600))
	var log bytes.Buffer
	_, _, err := submitTo(t, filepath.Join(dir, "out"), "sort", Options{On: "processes:2", Reduces: 1, Log: &log}, []string{bookOf(t, t.TempDir(), "a", 1000)})
	require.NoError(t, err)
	require.Equal(t, "removed what a killed run had left in the output: process 7 of node-3, on yarn\n", log.String())
	require.NoDirExists(t, filepath.Dir(left))
}

// Tasks may run as another user than the submitter. Therefore files get the modes of the output's
// folder, and the error for an unreadable plan says who may read it.
func TestOtherUser(t *testing.T) {
	p, j := prepared(t, "sort", filepath.Join(t.TempDir(), "out"), Options{Reduces: 1}, []string{bookOf(t, t.TempDir(), "a", 1000)})
	defer func() { require.NoError(t, p.AbortJob()) }()
	plan := j.temp.fullName(planName)
	info, err := os.Stat(filepath.Dir(filepath.Dir(j.temp.dir)))
	require.NoError(t, err)
	mode := info.Mode().Perm()
	require.NotZero(t, mode&0o055, "or this says nothing")
	for _, name := range []string{filepath.Dir(j.temp.dir), j.temp.dir, j.temp.below(notes).dir, plan} {
		info, err := os.Stat(name)
		require.NoError(t, err)
		want := mode
		if !info.IsDir() {
			want &= 0o666
		}
		require.Equal(t, want, info.Mode().Perm(), name)
	}
	require.NoError(t, os.Chmod(plan, 0o600))
	require.Regexp(t, `plan.json is -rw-------, of user \S+, and this task runs as \S+: set the submitter's umask`, whoMay(plan))
}

// Progress counts attempts and has the URL of the engine's page for the job.
func TestProgressOfEngines(t *testing.T) {
	book := []string{bookOf(t, t.TempDir(), "a", 100_000)}
	for _, on := range append(foreignEngines, "processes:2") {
		playEngines(t)
		var seen []Progress
		_, _, err := submit(t, "kill map", Options{
			On: on, Reduces: 2, BlockSize: blockBytes, Progress: func(p Progress) { seen = append(seen, p) },
		}, book)
		require.NoError(t, err)
		require.NotEmpty(t, seen)
		last := seen[len(seen)-1]
		require.Equal(t, Progress{
			Maps: TaskCounts{All: 4, Done: 4, Failed: 1}, Reduces: TaskCounts{All: 2, Done: 2}, Tracking: last.Tracking,
		}, last, on)
		require.Equal(t, on == "yarn", last.Tracking == "http://tracker:8088/proxy/application_17_0001/")
	}
}

// If Hadoop's client fails, Submit still returns the job's success or the cause of its failure.
func TestBlindClient(t *testing.T) {
	book := []string{bookOf(t, t.TempDir(), "a", 1000)}
	want, _ := wanted(t, "wordcount", 2, blockBytes, book)
	playEngines(t)
	t.Setenv(playedBlind, "1")
	var log bytes.Buffer
	out, _, err := submit(t, "wordcount", Options{On: "yarn", Reduces: 2, BlockSize: blockBytes, Log: &log}, book)
	require.NoError(t, err)
	require.Equal(t, want, filesIn(t, out))
	require.Contains(t, log.String(), "Hadoop's client has failed, but the job has succeeded (exit status 1)")
	_, _, err = submit(t, "map fails", Options{On: "yarn", Reduces: 2}, book)
	require.ErrorContains(t, err, "never works")
}

// Submit passes each setting to the engine's client as an option. It rejects settings that the
// engine lacks.
func TestSettings(t *testing.T) {
	book := []string{bookOf(t, t.TempDir(), "a", 1000)}
	s := Settings{Queue: "night", TaskMemory: 300 << 20, TaskCores: 2, EngineArgs: []string{"-Dx=y z", "-v"}}
	for on, want := range map[string][]string{
		"yarn": {
			"-Dx=y z -v", "-D mapreduce.job.queuename=night", "-D mapreduce.map.memory.mb=300 -D mapreduce.reduce.memory.mb=300",
			"-D mapreduce.map.cpu.vcores=2 -D mapreduce.reduce.cpu.vcores=2",
		},
		"slurm": {"--partition=night", "--account=lab", "--mem=300M", "--cpus-per-task=2", "-Dx=y z -v"},
	} {
		playEngines(t)
		o := Options{On: on, Reduces: 2, Settings: s}
		if on == "slurm" {
			o.Account = "lab"
		}
		_, _, err := submit(t, "wordcount", o, book)
		require.NoError(t, err)
		command, _, _ := strings.Cut(remembered("commands"), "\n")
		for _, words := range want {
			require.Contains(t, command, words)
		}
	}
	for on, want := range map[string]string{
		"processes:2":       "--engine-arg has no effect with --on processes:2, which takes none of these settings",
		"spark://host:1":    "--queue has no effect with --on spark://host:1, which takes --engine-arg, --task-cores, --worker",
		"k8s-job:image":     "--engine-arg has no effect with --on k8s-job:image, which takes --account, --task-cores, --task-memory",
		"k8s://https://a":   "--queue has no effect with --on k8s://https://a, which takes --account, ",
		"yarn":              "",
		"spark:yarn":        "",
		"streaming-command": "",
	} {
		err := Check(on, &s)
		if want == "" {
			require.NoError(t, err, on)
			continue
		}
		require.ErrorContains(t, err, want)
		_, _, err = submit(t, "wordcount", Options{On: on, Settings: s}, book)
		require.ErrorContains(t, err, want)
	}
	require.ErrorContains(t, Check("yarn", &Settings{TaskMemory: 1 << 20}), "want at least 128MiB")
}

// Submit ships another build of the same sources with a script that selects a host's build. It
// rejects a build of other sources and names both.
func TestOtherBuilds(t *testing.T) {
	this, err := thisProgram()
	require.NoError(t, err)
	j := &job{o: Options{Settings: Settings{Workers: []string{"plan9/mips=" + this.Path}}}}
	_, err = j.programs()
	require.ErrorContains(t, err, "is not a build for plan9/mips of what submits, "+this.Path)
	for word, want := range map[string]string{"x": "want OS/ARCHITECTURE=PATH", "linux/arm64=/none": "/none"} {
		j.o.Workers = []string{word}
		_, err = j.programs()
		require.ErrorContains(t, err, want)
	}

	dir := t.TempDir()
	other := program{Path: written(t, "other", "#!/bin/sh\necho other build\n"), Platform: "linux/arm64"}
	j = &job{builds: []program{{Path: written(t, "this", "#!/bin/sh\necho this build\n"), Platform: "linux/amd64"}, other}, temp: folder{dir: dir}}
	files, err := j.ship()
	require.NoError(t, err)
	require.Equal(t, []string{dir + "/tarry-worker", dir + "/tarry-worker-linux-amd64", dir + "/tarry-worker-linux-arm64"}, files)
	bin := t.TempDir()
	for machine, want := range map[string]string{"x86_64": "this build\n", "aarch64": "other build\n", "vax": "for which there is no --worker"} {
		uname := "#!/bin/sh\ncase $1 in -m) echo " + machine + " ;; -s) echo Linux ;; *) echo host ;; esac\n"
		require.NoError(t, os.WriteFile(bin+"/uname", []byte(uname), 0o700)) //nolint:gosec // tests run it as a command
		cmd := exec.Command(files[0])
		cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
		said, err := cmd.CombinedOutput()
		require.Equal(t, machine == "vax", err != nil)
		require.Contains(t, string(said), want)
	}
}

// checkName rejects an output's name only for characters that the engine's client would interpret.
func TestCheckName(t *testing.T) {
	for _, c := range []struct {
		special, dir, refused string
	}{
		{",:?[]", "/o{a}/o#%+;&'ö b", ""},
		{",:?[]", "/a,b", `","`},
		{",:?[]", "/o[1]", `"["`},
		{`,:[]{}\`, "/o{a}", `"{"`},
		{`,:[]{}\`, `/a\b`, `"\\"`},
		{`,:[]{}\`, "/o?", ""},
	} {
		err := checkName("Spark", c.special, filepath.FromSlash(c.dir))
		if c.refused == "" {
			require.NoError(t, err, c.dir)
			continue
		}
		require.ErrorContains(t, err, "Spark cannot take "+c.refused+" in the name of an output")
		require.ErrorIs(t, err, mapreduce.ErrNoOutput)
	}
}
