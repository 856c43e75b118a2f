// Package examples tests the example programs, and that the docs show them as they are.
package examples

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// program builds an example and returns its path.
func program(t *testing.T, name string) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), name)
	out, err := exec.Command("go", "build", "-o", bin, "./"+name).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return bin
}

// parts returns the contents of an output's part files, joined in the order of their names.
func parts(t *testing.T, dir string) string {
	t.Helper()
	require.FileExists(t, filepath.Join(dir, "_SUCCESS"))
	names, err := filepath.Glob(filepath.Join(dir, "part-*"))
	require.NoError(t, err)
	require.NotEmpty(t, names)
	var all []byte
	for _, n := range names {
		b, err := os.ReadFile(n)
		require.NoError(t, err)
		all = append(all, b...)
	}
	return string(all)
}

func TestPrograms(t *testing.T) {
	for _, c := range []struct {
		name, input, want string
	}{
		{"wordcount", "testdata/poem.txt", "testdata/wordcount.golden"},
		{"sort", "testdata/scores.tsv", "testdata/sort.golden"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			msg, err := exec.Command(program(t, c.name), out, c.input).CombinedOutput()
			require.NoError(t, err, "%s", msg)
			want, err := os.ReadFile(c.want)
			require.NoError(t, err)
			require.Equal(t, string(want), parts(t, out))
		})
	}
}

// onEngines returns values for TARRY_ON, by the variable that each is from: always processes, and
// the engines that internal/tools/engines/test.sh has started. TARRY_TEST_HOSTS is not used: hosts'
// tasks run as another user, who cannot read these tests' folders.
func onEngines() map[string]string {
	list := map[string]string{"processes": "processes:2"}
	for _, variable := range []string{"LIGHT", "SPARK", "SPARK_CLUSTER", "SLURM"} {
		if on := os.Getenv("TARRY_TEST_" + variable); on != "" {
			list["TARRY_TEST_"+variable] = on
		}
	}
	return list
}

// With TARRY_ON, sort and join write the same bytes by tasks in other processes. Wordcount fails,
// and the error says that it must call worker.Main() first.
func TestProgramsOnEngines(t *testing.T) {
	dir := t.TempDir()
	users, orders := shop(t, dir)
	for name, args := range map[string]string{
		"sort": "OUT testdata/scores.tsv", "join": users + " " + orders + " OUT",
	} {
		bin := program(t, name)
		run := func(on, hadoop string) (string, string, error) {
			out := filepath.Join(t.TempDir(), "out")
			cmd := exec.Command(bin, strings.Fields(strings.ReplaceAll(args, "OUT", out))...)
			cmd.Env = append(os.Environ(), "TARRY_ON="+on)
			if hadoop != "" {
				cmd.Env = append(cmd.Env, "TARRY_HADOOP="+hadoop)
			}
			msg, err := cmd.CombinedOutput()
			return out, string(msg), err
		}
		want, msg, err := run("", "")
		require.NoError(t, err, msg)
		for variable, on := range onEngines() {
			t.Run(name+" on "+variable, func(t *testing.T) {
				out, msg, err := run(on, os.Getenv(variable+"_HADOOP"))
				require.NoError(t, err, msg)
				require.Equal(t, files(t, want), files(t, out))
			})
		}
		_, msg, err = run("mars", "")
		require.Error(t, err)
		require.Contains(t, msg, "no engine that is known")
	}
	bin := program(t, "wordcount")
	for _, env := range []string{"TARRY_ON=processes:2", "TARRY_TASK=e30"} { // as the submitter, and as a worker
		cmd := exec.Command(bin, filepath.Join(t.TempDir(), "out"), "testdata/poem.txt")
		cmd.Env = append(os.Environ(), env)
		msg, err := cmd.CombinedOutput()
		require.Error(t, err)
		require.Contains(t, string(msg), "worker.Main()", env)
	}
}

// files returns the contents of the files in a folder, by name.
func files(t *testing.T, dir string) map[string]string {
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.NotEmpty(t, list)
	all := map[string]string{}
	for _, f := range list {
		b, err := os.ReadFile(filepath.Join(dir, f.Name()))
		require.NoError(t, err)
		all[f.Name()] = string(b)
	}
	return all
}

// shop writes two CSV files, the input of example join, and returns their paths.
func shop(t *testing.T, dir string) (users, orders string) {
	users, orders = filepath.Join(dir, "users.csv"), filepath.Join(dir, "orders.csv")
	require.NoError(t, os.WriteFile(users, []byte("Name,ID\nann,1\n\"b, ob\",2\ncid,3\n"), 0o600))
	require.NoError(t, os.WriteFile(orders, []byte("User,Item\n2,tea\n1,milk\n2,rice\n9,salt\n"), 0o600))
	return users, orders
}

func TestJoin(t *testing.T) {
	users, orders := shop(t, t.TempDir())
	out, err := exec.Command(program(t, "join"), users, orders).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, "ann\tmilk\nb, ob\ttea\nb, ob\trice\n", string(out))
}

func TestGrep(t *testing.T) {
	cmd := exec.Command(program(t, "grep"), "stay", "testdata/poem.txt")
	var out, msg bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &msg
	require.NoError(t, cmd.Run(), "%s", msg.String())
	require.Equal(t, "the map that would not stay\nwill stay another day\n", out.String())
	require.Equal(t, "2 lines\n", msg.String())
}

func TestMistakesAreErrors(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	msg, err := exec.Command(program(t, "sort"), out, "testdata/poem.txt").CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(msg), "invalid syntax")
	require.NoDirExists(t, out)
}

// README.md shows the code of examples/wordcount. Wordcount, sort and grep have at most 40 lines
// from func main on.
func TestREADME(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	for _, name := range []string{"wordcount", "sort", "grep"} {
		source, err := os.ReadFile(name + "/main.go")
		require.NoError(t, err)
		code := string(source[bytes.Index(source, []byte("package main")):])
		if name == "wordcount" {
			require.Contains(t, string(readme), "```go\n"+code+"```")
		}
		body := code[strings.Index(code, "func main"):]
		require.LessOrEqual(t, strings.Count(body, "\n"), 40, name)
	}
}

// A job's types and functions take few lines in the examples, comments not counted.
func TestJobsAreShort(t *testing.T) {
	for _, job := range []struct {
		file, from, to string
		most           int
	}{
		{"wordcount/main.go", "	job := ", "\n	files,", 12},
		{"join/main.go", "	users, orders := ", "\n	join.Reducers", 12},
		{"kmeans/kmeans.go", "type point", "", 25},
		{"pagerank/pagerank.go", "type page", "", 30},
	} {
		text, err := os.ReadFile(job.file)
		require.NoError(t, err)
		_, code, found := strings.Cut(string(text), job.from)
		require.True(t, found, job.file)
		if job.to != "" {
			code, _, found = strings.Cut(code, job.to)
			require.True(t, found, job.file)
		}
		lines := slices.DeleteFunc(strings.Split(code, "\n"), func(l string) bool {
			l = strings.TrimSpace(l)
			return l == "" || strings.HasPrefix(l, "//")
		})
		require.Greater(t, len(lines), 5, job.file)
		require.LessOrEqual(t, len(lines), job.most, job.file)
	}
}

// The example mypolicy runs its own placement live, simulated and in a scenario, and imports only
// public packages. docs/schedulers.md shows its code and its output.
func TestMyPolicy(t *testing.T) {
	out, err := exec.Command(program(t, "mypolicy")).CombinedOutput()
	require.NoError(t, err, "%s", out)
	page, err := os.ReadFile("../docs/schedulers.md")
	require.NoError(t, err)
	require.Contains(t, string(page), "\n    "+strings.ReplaceAll(strings.TrimSpace(string(out)), "\n", "\n    ")+"\n")

	sweep := exec.Command(program(t, "mypolicy"), "sim", "sweep", "--workload", "hfsp-fb", "--nodes", "20", "--racks", "2",
		"--jobs", "5", "--sweep", "reduce.rule=cogrs,thrifty", "--json")
	out, err = sweep.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), `"reduce.rule":"thrifty"`)

	source, err := os.ReadFile("mypolicy/placement.go")
	require.NoError(t, err)
	_, placement, _ := strings.Cut(string(source), "\n)\n\n")
	require.Contains(t, string(page), "```go\n"+placement+"```")
	require.LessOrEqual(t, strings.Count(placement, "\n"), 30)
	main, err := os.ReadFile("mypolicy/main.go")
	require.NoError(t, err)
	require.NotContains(t, string(main)+string(source), "/internal/")
}
