package worker

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// If it is started as sbatch or hadoop, the test program emulates this client of an engine.
// TARRY_PLAYED names the folder with the clients' state. Each line of TARRY_PLAYED_HOSTS is a
// command that runs a task's command as one host would.
const (
	playedFolder = "TARRY_PLAYED"
	playedHosts  = "TARRY_PLAYED_HOSTS"
	playedBlind  = "TARRY_PLAYED_BLIND" // not empty: Hadoop's client reports a successful job as unknown
)

var players = map[string]func(args []string) error{"sbatch": playSbatch, "scancel": playNothing, "scontrol": playScontrol, "hadoop": playHadoop}

// play emulates the client under whose name the program was started, if any, and exits.
func play() {
	if p := players[filepath.Base(os.Args[0])]; p != nil {
		if err := p(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
}

// playEngines puts the emulated clients first on PATH and returns the folder of their state.
func playEngines(t *testing.T) string {
	dir, bin := t.TempDir(), filepath.Join(t.TempDir(), "bin")
	forAll(t, dir)
	t.Setenv("TMPDIR", t.TempDir()) // failed runs keep their logs there
	require.NoError(t, os.Mkdir(bin, 0o755))
	exe, err := os.Executable()
	require.NoError(t, err)
	for name := range players {
		require.NoError(t, os.Symlink(exe, filepath.Join(bin, name)))
	}
	t.Setenv(playedFolder, dir)
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv(HadoopVariable, filepath.Join(bin, "hadoop")+" jar streaming.jar")
	return dir
}

func playScontrol(args []string) error {
	fmt.Print(remembered("ended" + args[len(args)-1]))
	return nil
}

func playNothing(args []string) error { return remember("commands", strings.Join(args, " ")) }

// remember appends a line to a file of the clients' state, such as "commands" or "logs".
func remember(name, line string) error {
	f, err := os.OpenFile(filepath.Join(os.Getenv(playedFolder), name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, line)
	return errors.Join(err, f.Close())
}

// remembered returns the content of a file of the clients' state, or "" if it does not exist.
func remembered(name string) string {
	b, _ := os.ReadFile(filepath.Join(os.Getenv(playedFolder), name))
	return string(b)
}

// onHost returns a command that runs on the emulated host of task n.
func onHost(n int, command ...string) *exec.Cmd {
	if hosts := strings.TrimSpace(os.Getenv(playedHosts)); hosts != "" {
		list := strings.Split(hosts, "\n")
		command = append(strings.Fields(list[n%len(list)]), command...)
	}
	return exec.Command(command[0], command[1:]...)
}

// options are the arguments of a client; its methods find --name=value and --name value.
type options []string

func (o options) all(name string) (list []string) {
	for i, word := range o {
		if v, ok := strings.CutPrefix(word, name+"="); ok {
			list = append(list, v)
		} else if word == name && i+1 < len(o) {
			list = append(list, o[i+1])
		}
	}
	return list
}

func (o options) one(name string) string { return strings.Join(o.all(name), " ") }

// playSbatch emulates sbatch: it runs all tasks of the array, then prints the job's number.
func playSbatch(args []string) error {
	o := options(args)
	id := strconv.Itoa(100 + strings.Count(remembered("commands"), "\n"))
	if err := remember("commands", strings.Join(args, " ")); err != nil {
		return err
	}
	failed := false
	if after := strings.TrimPrefix(o.one("--dependency"), "afterok:"); after != "" && !strings.Contains(remembered("ok"), after) {
		failed = true // the job that it depends on has failed
	}
	last := -1
	if array := o.one("--array"); array != "" {
		var err error
		if last, err = strconv.Atoi(strings.TrimPrefix(array, "0-")); err != nil {
			return err
		}
	}
	for i := 0; i <= last && !failed; i++ {
		log := strings.NewReplacer("%A", id, "%a", strconv.Itoa(i)).Replace(o.one("--output"))
		cmd := onHost(i, "sh", "-c", `true >"$0" || exit 53; exec sh -c "$1" >"$0" 2>&1`, log, o.one("--wrap"))
		_, variable, _ := strings.Cut(o.one("--export"), "ALL,")
		cmd.Env = append(os.Environ(), variable, fmt.Sprint("SLURM_ARRAY_TASK_ID=", i))
		said, err := cmd.CombinedOutput() // only the host's own messages: a task writes to the log
		if len(said) > 0 {
			if err := os.WriteFile(log, said, 0o600); err != nil {
				return err
			}
		}
		failed = err != nil || failed
		if exitCode(err) == 53 {
			host, _ := onHost(i, "hostname").Output()
			line := fmt.Sprintf("JobId=9 ArrayTaskId=%d JobState=FAILED Reason=JobLaunchFailure ExitCode=0:53 BatchHost=%s", i, host)
			if err := remember("ended"+id, strings.TrimSpace(line)); err != nil {
				return err
			}
		}
	}
	if !failed {
		if err := remember("ok", id); err != nil {
			return err
		}
	}
	fmt.Println(id)
	if failed && slices.Contains(args, "--wait") {
		os.Exit(1)
	}
	return nil
}

// hadoopRun is a job of the emulated Hadoop Streaming.
type hadoopRun struct {
	options
	dir  string // working directory of tasks
	most int    // maximum attempts of a task
}

// playHadoop emulates Hadoop's client: it runs a Streaming job, prints the logs of all tasks, or
// records the command to kill a job.
func playHadoop(args []string) error {
	if err := remember("commands", strings.Join(args, " ")); err != nil {
		return err
	}
	if args[0] != "jar" {
		if strings.HasSuffix(args[0], "LogsCLI") {
			fmt.Print(remembered("logs"))
		}
		return nil
	}
	o := options(args)
	dir, err := os.MkdirTemp(os.Getenv(playedFolder), "job-*")
	if err != nil {
		return err
	}
	if err := os.Chmod(dir, 0o777); err != nil { //nolint:gosec // tasks may run as another user
		return err
	}
	h := hadoopRun{o, dir, 4}
	for file := range strings.SplitSeq(o.one("-files"), ",") {
		path, name, _ := strings.Cut(strings.TrimPrefix(file, "file://"), "#")
		if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	for _, p := range o.all("-D") {
		if v, ok := strings.CutPrefix(p, "mapreduce.map.maxattempts="); ok {
			h.most, _ = strconv.Atoi(v)
		}
	}
	fmt.Println("INFO mapreduce.Job: The url to track the job: http://tracker:8088/proxy/application_17_0001/")
	fmt.Println("INFO mapreduce.Job: Running job: job_17_0001")
	if err := h.run(); err != nil {
		fmt.Printf("Error: java.lang.RuntimeException: PipeMapRed.waitOutputThreads(): %v\n", err)
		return errors.New("ERROR streaming.StreamJob: Job not successful!")
	}
	if os.Getenv(playedBlind) != "" {
		return errors.New("ERROR streaming.StreamJob: Error Launching job : java.io.IOException: Unknown Job job_17_0001")
	}
	return nil
}

func (h *hadoopRun) run() error {
	list, err := os.ReadFile(strings.TrimPrefix(h.one("-input"), "file://") + "/list")
	if err != nil {
		return err
	}
	out := strings.TrimPrefix(h.one("-output"), "file://")
	if err := os.Mkdir(out, 0o755); err != nil {
		return err
	}
	reduces := 0
	if h.one("-reducer") != "" {
		for _, p := range h.all("-D") {
			if v, ok := strings.CutPrefix(p, "mapreduce.job.reduces="); ok {
				reduces, _ = strconv.Atoi(v)
			}
		}
	}
	shuffled := make([][]frame, reduces)
	if err := remember("list", string(list)); err != nil {
		return err
	}
	for n, line := range strings.Split(strings.TrimSuffix(string(list), "\n"), "\n") {
		b, err := h.task(n, "m", fmt.Sprintf("%d\t%s\n", 2*n, line))
		if err != nil {
			return err
		}
		if reduces == 0 {
			if err := os.WriteFile(fmt.Sprintf("%s/part-%05d", out, n), b, 0o600); err != nil {
				return err
			}
		}
		for r := bytes.NewReader(b); reduces > 0; {
			f, err := readFrame(r, nil)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return err
			}
			shuffled[f.partition] = append(shuffled[f.partition], f)
		}
	}
	for n, list := range shuffled {
		slices.SortFunc(list, func(a, b frame) int { return cmp.Or(cmp.Compare(a.index, b.index), cmp.Compare(a.chunk, b.chunk)) })
		var in []byte
		for _, f := range list {
			in = append(f.appendHead(in, reduces), f.data...)
		}
		b, err := h.task(n, "r", string(in))
		if err == nil {
			err = os.WriteFile(fmt.Sprintf("%s/part-%05d", out, n), b, 0o600)
		}
		if err != nil {
			return err
		}
	}
	return os.WriteFile(out+"/_SUCCESS", nil, 0o600)
}

// task runs attempts of a task until one succeeds. Their standard error goes only to the log.
func (h *hadoopRun) task(n int, kind, stdin string) (out []byte, err error) {
	for attempt := range h.most {
		cmd := onHost(n, filepath.Join(h.dir, strings.TrimPrefix(h.one("-mapper"), "./")))
		cmd.Dir, cmd.Stdin = h.dir, strings.NewReader(stdin)
		cmd.Env = append(append(withoutTicket(os.Environ()), h.all("-cmdenv")...), fmt.Sprint("mapreduce_task_ismap=", kind == "m"),
			fmt.Sprint("mapreduce_task_partition=", n), fmt.Sprintf("mapreduce_task_attempt_id=attempt_17_0001_%s_%06d_%d", kind, n, attempt))
		log, bad := os.OpenFile(filepath.Join(os.Getenv(playedFolder), "logs"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if bad != nil {
			return nil, bad
		}
		cmd.Stderr = log // a file, since a task may outlive this client
		out, err = cmd.Output()
		if bad := log.Close(); bad != nil {
			return nil, bad
		}
		if err == nil {
			return out, nil
		}
	}
	return nil, fmt.Errorf("subprocess failed with code %d", cmp.Or(exitCode(err), 1))
}

func exitCode(err error) int {
	if x, ok := errors.AsType[*exec.ExitError](err); ok {
		return x.ExitCode()
	}
	return 0
}
