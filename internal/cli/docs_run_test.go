package cli

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// standIns creates small files in dir under the names that commands of the docs read.
func standIns(t *testing.T, dir string) {
	for _, name := range []string{"README.md", "docs", "examples/clusters", "examples/genesis.txt"} {
		from := filepath.Join("../..", name)
		if info, err := os.Stat(from); err == nil && info.IsDir() {
			require.NoError(t, os.CopyFS(filepath.Join(dir, name), os.DirFS(from)))
			continue
		}
		text, err := os.ReadFile(from)
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
	cluster, err := os.ReadFile("../../examples/clusters/two-generations.yaml")
	require.NoError(t, err)
	for name, text := range map[string]string{
		"books/one.txt": "tarry a while\n", "books/by/two.txt": "said slow\n", "book.txt": "tarry a while\n",
		"fair-scheduler.xml": "<?xml version=\"1.0\"?>\n<allocations><pool name=\"ann\"><weight>2</weight></pool></allocations>\n",
		"today.yaml":         string(cluster), "tomorrow.yaml": string(cluster),
		"some.scenario":                      "cluster nodes=1 map=1 reduce=1\nscheduler fifo\nat 0s submit J1 maps=1\nat 0s heartbeat tt1 => J1.m0\n",
		"FB-2009_samples_24_times_1hr_0.tsv": "job0\t0\t0\t67108864\t1000\t1000\njob1\t9\t9\t671088640\t50000\t1000\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
}

// shorter replaces parts of commands that take too long or need other hosts. A command that becomes
// empty is run by the test that the comment names.
var shorter = strings.NewReplacer(
	"tarry experiment all -o", "", "tarry experiment all --quick", "", // experiments/experiments_test.go
	"delay-fig15 -o", "delay-fig15 --quick -o",
	"theta=0,.05,.2 --sweep slow-start=.05,.5,1 --repeat 5", "theta=0,.2 --repeat 1",
	"--repeat 5", "--repeat 1", "--repeat 10", "--repeat 2", "--size 100MB", "--size 1MB",
	"[-v] [--json] FILE...", "-v some.scenario", "facebook-mixed --jobs 12 --nodes 12", "small-jobs --jobs 6 --nodes 8",
	"hdfs:///books -o s3://results/counts", "book.txt -o counts-s3", // hdfs_test.go, s3_test.go
	"'s3://logs/2026/**/*.gz' -o hdfs://namenode:8020/counts", "book.txt -o counts-hdfs",
	"s3://logs/2026 -o s3://results/counts-k8s --on k8s-job:registry/tarry | kubectl apply -f -", "book.txt -o counts-k8s", // TestKubernetes
	"wordcount book.txt -o counts-line --on streaming-command", "wordcount book.txt -o counts-line", // worker/engines_test.go
	"--on yarn", "--on processes:1", "--on spark://master:7077", "--on processes:1", "--on slurm", "--on processes:1", // make test-engines
	"--on prism", "--on processes:1", "--on beam://localhost:8073", "--on processes:1",
)

// The commands that README and the docs show run without errors, one after the other in one folder
// with stand-in files. A `tarry serve` among them serves the commands after it.
func TestDocumentedCommandsRun(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	ran := 0
	for _, name := range append(pages, "../../README.md") {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		list, _ := documented(regexp.MustCompile(`(?m)^\$ .*`).ReplaceAllString(string(text), "")) // TestTour runs those with $
		if len(list) == 0 {
			continue
		}
		t.Run(filepath.Base(name), func(t *testing.T) {
			dir := t.TempDir()
			standIns(t, dir)
			env := append(os.Environ(), "LC_ALL=C", "TARRY_NO_PROGRESS=true")
			for _, line := range list {
				line = strings.ReplaceAll(shorter.Replace(line), "/tmp/", dir+"/")
				if !strings.HasPrefix(line, "tarry ") {
					continue
				}
				if strings.HasPrefix(line, "tarry serve ") {
					env = append(env, "TARRY_SERVER="+served(t, dir, env, line))
					continue
				}
				cmd := exec.Command("sh", "-c", line)
				cmd.Dir, cmd.Env = dir, env
				out, err := cmd.CombinedOutput()
				require.NoError(t, err, "%s\n%s", line, out)
				ran++
			}
		})
	}
	require.GreaterOrEqual(t, ran, 25)
}

// served starts the server of the command line on a free port, and returns its address.
func served(t *testing.T, dir string, env []string, line string) string {
	ctx, stop := context.WithCancel(t.Context())
	cmd := exec.CommandContext(ctx, "sh", "-c", "exec "+line+" --listen 127.0.0.1:0")
	cmd.Dir, cmd.Env = dir, env
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Minute
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		stop()
		_ = cmd.Wait() // ended by the interrupt
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	return strings.TrimSpace(address)
}
