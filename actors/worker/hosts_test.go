package worker

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/worker/enginetest"
	mr "github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// hosts are three emulated hosts: Linux namespaces that internal/tools/engines/hosts.sh creates.
type hosts struct {
	t     *testing.T
	state string // the folder of the script's state
	dir   string // this test's folder, which the hosts share
}

const (
	hostsVariable = "TARRY_TEST_HOSTS" // names the folder of hosts on which real engines run
	hostsScript   = "../../internal/tools/engines/hosts.sh"
	hostDisk      = "300k" // size of a host's own disk, with emulated engines
)

// newHosts starts three hosts, for engines with emulated clients, until the end of the test. It
// returns nil if this system has no namespaces for them; then tasks run on this machine.
func newHosts(t *testing.T) *hosts {
	if out, err := exec.Command("unshare", "-m", "-u", "-n", "mount", "-t", "tmpfs", "none", "/mnt").CombinedOutput(); err != nil {
		t.Logf("no hosts of namespaces here: unshare: %v: %s", err, out)
		return nil
	}
	h := sharing(t, t.TempDir())
	h.script("start", "3", hostDisk)
	t.Cleanup(func() { h.script("stop") })
	return h
}

// realHosts returns the hosts on which real engines run, or nil if there are none.
func realHosts(t *testing.T) *hosts {
	state := os.Getenv(hostsVariable)
	if state == "" {
		return nil
	}
	umask(t, 0) // tasks run as another user, who must read and write files
	return sharing(t, state)
}

// sharing returns the hosts of this state. They see this program and a new folder, dir.
func sharing(t *testing.T, state string) *hosts {
	h := &hosts{t: t, state: state, dir: t.TempDir()}
	exe, err := os.Executable()
	require.NoError(t, err)
	for _, dir := range []string{filepath.Dir(exe), h.dir, state} {
		forAll(t, dir)
	}
	require.NoError(t, os.Chmod(h.dir, 0o777)) //nolint:gosec // tasks of another user write to it
	return h
}

// script runs a command of hosts.sh, such as start, run or stop.
func (h *hosts) script(command string, args ...string) {
	cmd := exec.Command(hostsScript, append([]string{command, h.state}, args...)...)
	out, err := cmd.CombinedOutput()
	require.NoError(h.t, err, "%s: %s", command, out)
}

// use makes emulated engines run their tasks on the hosts, as the user with this ID.
func (h *hosts) use(user string) {
	script, err := filepath.Abs(hostsScript)
	require.NoError(h.t, err)
	var list []string
	for n := 1; n <= 3; n++ {
		list = append(list, fmt.Sprintf("%s run %s %d %s", script, h.state, n, user))
	}
	h.t.Setenv(playedHosts, strings.Join(list, "\n"))
}

// on runs a shell script on host n.
func (h *hosts) on(n int, script string, args ...string) {
	h.script("run", append([]string{fmt.Sprint(n), "0", "sh", "-c", script, "sh"}, args...)...)
}

// fault is a tested fault: what goes wrong, and what the error says, as beyond-one-machine.md
// lists.
type fault struct {
	what, says string
	hadoop     string // the error on real YARN, if Hadoop itself fails before a worker and names no host
	job        string
	host       string // script for the host that the error names: $1 is the input's folder, $2 the output's parent, $3 the program
	undo       string // script that undoes host; with umount -l, since a worker may still be ending
	user       string // user of the tasks
	options    Options
	before     func(t *testing.T, out string) // prepares the output
	local      bool                           // only the submitter notices it, alike on all engines
	only       []string                       // engines; empty for all
}

// otherUsers are engines whose tasks may run as another user than the submitter. Slurm's do not.
var otherUsers = []string{"yarn", "spark"}

var faults = []fault{
	{what: "input missing on one host", says: "no such file or directory", job: "sort", host: `mount -t tmpfs none "$1"`, undo: `umount -l "$1"`},
	{what: "another file on one host", says: "changed while in use", job: "sort", host: `echo other >"$1/../x" && mount --bind "$1/../x" "$1/a"`, undo: `umount -l "$1/a"`},
	{what: "output not shared", says: "not shared with this host", hadoop: "not shared with all hosts", job: "sort", host: `mount -t tmpfs none "$2"`, undo: `umount -l "$2"`},
	{what: "another build on one host", says: "not the one that submitted", job: "sort", host: `cp "$3" "$1/../p" && echo >>"$1/../p" && mount --bind "$1/../p" "$3"`, undo: `umount -l "$3"`},
	{what: "program that ends early on one host", says: "ended the process, with code 1", job: "missing", host: `mkdir -p "$1/../o" && cp -p "$1/a" "$1/../o" && mount --bind "$1/../o" "$1"`, undo: `umount -l "$1"`},
	{what: "disk full on one host", says: "no space left on device", job: "sort", host: `cat /dev/zero >"$TMPDIR/full" || true`, undo: `rm "$TMPDIR/full"`, options: Options{Memory: 1 << 20}, only: []string{"slurm"}},
	{what: "plan not readable by the tasks' user", says: "this task runs as nobody", hadoop: "not readable for the user of the tasks", job: "sort", user: "65534", only: otherUsers, before: func(t *testing.T, _ string) { umask(t, 0o077) }},
	{what: "output not writable by that user", says: "permission denied", job: "sort", user: "65534", only: otherUsers, before: func(t *testing.T, _ string) { umask(t, 0o022) }},
	{what: "worker killed as without memory", says: "signal: killed", job: "kill always"},
	{what: "worker and its supervisor killed", says: "begun and not ended", job: "host dies"},
	{what: "error of a map", says: "never works", job: "map fails"},
	{what: "panic", says: "panic: at the disco (enginetest/jobs.go:", job: "panic"},
	{what: "panic in another goroutine", says: "away from the map (enginetest/jobs.go:", job: "crash"},
	{what: "stack overflow", says: "stack overflow (enginetest/jobs.go:", job: "overflow"},
	{what: "concurrent map writes", says: "concurrent map writes", job: "maps"},
	{what: "os.Exit(7)", says: "with code 7", job: "exit"},
	{what: "os.Exit(0)", says: "before its task did", job: "exit well"},
	{what: "runtime.Goexit", says: "ended its goroutine", job: "end"},
	{what: "hanging code", says: "task timeout: no progress for", job: "hang", options: Options{TaskTimeout: 300 * time.Millisecond}},
	{what: "bad record", says: "no number", job: "bad input"},
	{what: "too many bad records", says: cluster.ErrTooManySkips.Error(), job: "bad lines", options: Options{MaxSkips: 3}},
	{what: "input that grows", says: mr.ErrInputChanged.Error(), job: "grows"},
	{what: "other jobs in workers", says: "the one that submitted it", job: "other types"},
	{what: "two runs into one output", says: "another run is writing it", job: "sort", local: true, before: func(t *testing.T, out string) {
		p, err := bind("sort", "", out, []string{bookOf(t, t.TempDir(), "a", 10)})
		require.NoError(t, err)
		require.NoError(t, p.SetupJob())
		t.Cleanup(func() { _ = p.AbortJob() })
	}},
	{what: "output exists", says: "output exists", job: "sort", local: true, before: func(t *testing.T, out string) {
		require.NoError(t, os.Mkdir(out, 0o700))
	}},
	{what: "setting the engine lacks", says: "has no effect with --on", job: "sort", local: true, options: Options{Settings: Settings{Account: "a"}}, only: []string{"yarn"}},
	{what: "name that the engine misreads", says: `cannot take "," in the name of an output`, job: "sort", local: true, only: otherUsers},
	{what: "no client of the engine", says: "executable file not found", job: "sort", local: true, only: []string{"slurm"}, before: func(t *testing.T, _ string) { t.Setenv("PATH", "/nowhere") }},
}

// place is an engine, emulated or real, on which the tests cause faults.
type place struct {
	on    string
	hosts *hosts // where tasks run; nil: on this machine
	real  bool   // any host may run any task, as this user; otherwise host 2 runs task 1
	user  string
}

// lacks reports whether a fault cannot occur on the engine.
func (p place) lacks(f *fault) bool {
	switch name, _, _ := strings.Cut(p.on, ":"); {
	case f.only != nil && !slices.Contains(f.only, name):
		return true
	case p.real && f.local:
		return true
	case p.hosts == nil:
		return f.host != "" || f.user != "" || f.job == "host dies"
	case p.real:
		return f.user != "" && f.user != p.user || name != "slurm" && f.what == "another build on one host" // others ship it
	}
	return false
}

// make causes the fault, runs a job, and requires the fault's error and no output.
func (p place) make(t *testing.T, f *fault) {
	dir := t.TempDir()
	if p.hosts != nil {
		p.hosts.t = t
		dir = filepath.Join(p.hosts.dir, strings.NewReplacer("/", "-", ":", "-", ",", "").Replace(f.what+p.on))
		require.NoError(t, os.Mkdir(dir, 0o777))
	}
	in, parent := filepath.Join(dir, "in"), filepath.Join(dir, "outs")
	for _, d := range []string{dir, in, parent} {
		require.NoError(t, os.MkdirAll(d, 0o777))
		require.NoError(t, os.Chmod(d, 0o777)) //nolint:gosec // tasks of another user write to it
	}
	book, out := bookOf(t, in, "a", 100_000), filepath.Join(parent, "out")
	if strings.HasPrefix(f.what, "name") {
		out += "a,b"
	}
	require.NoError(t, os.Chmod(book, 0o666)) //nolint:gosec // tasks of another user read it, and let it grow
	if f.job == "missing" {
		require.NoError(t, os.WriteFile(book+".here", nil, 0o600))
	}
	if p.hosts != nil && !p.real {
		p.hosts.use(cmp.Or(f.user, "0"))
	}
	exe, err := os.Executable()
	require.NoError(t, err)
	for n := 1; n <= 3 && f.host != ""; n++ {
		if p.real || n == 2 {
			p.hosts.on(n, f.host, in, parent, exe)
			defer p.hosts.on(n, f.undo, in, parent, exe)
		}
	}
	if f.before != nil {
		f.before(t, out)
	}
	o := f.options
	o.On, o.Reduces, o.BlockSize, o.MaxAttempts = p.on, 2, blockBytes, 2
	if p.real { // short: each task takes seconds, and the first map fails on any host
		o.Reduces, o.BlockSize = 1, 4*blockBytes
	}
	err = submitFault(t, f.job, out, o, []string{book})
	says := f.says
	if p.real && p.on == "yarn" {
		says = cmp.Or(f.hadoop, f.says)
	}
	require.ErrorContains(t, err, says)
	require.NotContains(t, err.Error(), "\n")
	switch {
	case f.host != "" && !p.real:
		require.Regexp(t, `\b[mr]-\d+-\d+ on node2: `, err.Error())
	case says != f.says:
	case !f.local && f.what != "too many bad records":
		host, bad := os.Hostname()
		require.NoError(t, bad)
		if p.hosts != nil {
			host = "node[123]"
		}
		require.Regexp(t, `\b[mr]-\d+-\d+ on `+host+`: `, err.Error())
	}
	if slices.Contains(foreignEngines, p.on) && f.host == "" && !f.local && f.job != "host dies" && says == f.says {
		require.Contains(t, logsOf(t, err), says, "the logs of the tasks are in")
	}
	if !strings.Contains(f.what, "output exists") && !strings.Contains(f.what, "two runs") {
		require.NoDirExists(t, out)
	}
}

// Each fault, on each engine, leads to an error of one line with the cause and perhaps the host,
// and to no output. The engines' clients are emulated; workers run on three hosts, if there are
// namespaces.
func TestFaults(t *testing.T) {
	inProcesses(t)
	h := newHosts(t)
	for i := range faults {
		for _, p := range []place{{on: "yarn", hosts: h}, {on: "slurm", hosts: h}, {on: "processes:2"}} {
			if f := &faults[i]; !p.lacks(f) {
				t.Run(f.what+" "+p.on, func(t *testing.T) {
					playEngines(t)
					p.make(t, f)
				})
			}
		}
	}
}

// On real engines, each fault has the error that TestFaults requires on emulated ones.
func TestOnEnginesFaults(t *testing.T) {
	h := realHosts(t)
	if h == nil && os.Getenv("TARRY_TEST_YARN") == "" {
		t.Skipf("neither %s nor TARRY_TEST_YARN is set: real engines are not tested", hostsVariable)
	}
	for _, p := range []place{
		{on: os.Getenv("TARRY_TEST_SPARK_HOSTS"), hosts: h, real: true, user: "65534"},
		{on: os.Getenv("TARRY_TEST_SLURM"), hosts: h, real: true},
		{on: os.Getenv("TARRY_TEST_YARN"), hosts: h, real: true, user: "65534"},
	} {
		for i := range faults {
			if f := &faults[i]; p.on != "" && !p.lacks(f) {
				t.Run(f.what+" "+p.on, func(t *testing.T) {
					useHadoop(t, p.on)
					p.make(t, f)
				})
			}
		}
	}
}

// useHadoop makes the engine yarn use the client of the real Hadoop.
func useHadoop(t *testing.T, on string) {
	if on == "yarn" {
		t.Setenv(HadoopVariable, os.Getenv("TARRY_TEST_YARN_HADOOP"))
	}
}

// submitFault submits a job without Options.SpillDir, so that each host uses its own folder.
func submitFault(t *testing.T, name, out string, o Options, inputs []string) error {
	dir := filepath.Dir(out)
	o.Args = append([]string{name, dir, out}, inputs...)
	_, err := Submit(t.Context(), planOf(t, name, dir, out, inputs), o)
	return err
}

// docs/beyond-one-machine.md lists exactly the tested faults.
func TestFaultsInDocs(t *testing.T) {
	var b bytes.Buffer
	for _, f := range faults {
		fmt.Fprintf(&b, "|%s|`%s`|\n", f.what, f.says)
	}
	doc, err := os.ReadFile("../../docs/beyond-one-machine.md")
	require.NoError(t, err)
	require.Contains(t, string(doc), b.String(), "the rows of the table of failures")
}

// Jobs on engines with emulated clients write what one process writes, also if a worker is killed.
// Tasks run as another user on three hosts, if there are namespaces.
func TestPlayedEngines(t *testing.T) {
	inProcesses(t)
	h := newHosts(t)
	umask(t, 0)
	for _, on := range foreignEngines {
		for _, name := range []string{"wordcount", "grep", "kill map", "routed"} {
			t.Run(on+" "+name, func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "dir")
				playEngines(t)
				if h != nil {
					h.t = t
					h.use("65534")
					dir = filepath.Join(h.dir, on+name)
				}
				require.NoError(t, os.Mkdir(dir, 0o777))
				book := bookOf(t, dir, "a", 100_000)
				require.NoError(t, os.Chmod(book, 0o644)) //nolint:gosec // tasks of another user read it
				want, _ := enginetest.Wanted(t, name, 2, blockBytes, []string{book})
				out := filepath.Join(dir, "out")
				require.NoError(t, submitFault(t, name, out, Options{On: on, Reduces: 2, BlockSize: blockBytes}, []string{book}))
				require.Equal(t, want, filesIn(t, out))
			})
		}
	}
}

// A job on a real engine has the right output even if a host is disconnected for 30 s or dies.
func TestOnEnginesLostHost(t *testing.T) {
	h := realHosts(t)
	if h == nil {
		t.Skipf("%s is not set: no host is lost", hostsVariable)
	}
	for _, how := range []string{"cut", "kill"} { // kill is last, because dead hosts do not return
		for host, on := range map[string]string{
			"1": os.Getenv("TARRY_TEST_YARN"), "2": os.Getenv("TARRY_TEST_SPARK_HOSTS"), "3": os.Getenv("TARRY_TEST_SLURM"),
		} {
			if on == "" {
				continue
			}
			t.Run(how+" "+on, func(t *testing.T) {
				useHadoop(t, on)
				dir := filepath.Join(h.dir, how+host)
				require.NoError(t, os.Mkdir(dir, 0o777))
				book := bookOf(t, dir, "a", 100_000)
				require.NoError(t, os.Chmod(book, 0o644)) //nolint:gosec // tasks of another user read it
				want, _ := enginetest.Wanted(t, "waits", 2, blockBytes/2, []string{book})
				done := make(chan error, 1)
				go func() { done <- h.lose(t.Context(), how, host, dir) }()
				out := filepath.Join(dir, "out")
				require.NoError(t, submitFault(t, "waits", out, Options{On: on, Reduces: 2, BlockSize: blockBytes / 2}, []string{book}))
				require.NoError(t, <-done)
				require.Equal(t, want, filesIn(t, out))
			})
		}
	}
}

// lose waits until a map runs on the host, disconnects or kills it, and lets the maps continue.
func (h *hosts) lose(ctx context.Context, how, host, dir string) error {
	for ctx.Err() == nil {
		if _, err := os.Stat(filepath.Join(dir, "began-node"+host)); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	args := []string{how, h.state, host}
	if how == "cut" {
		args = append(args, "30")
	}
	cmd := exec.Command(hostsScript, args...)
	if err := cmd.Start(); err != nil {
		return err
	}
	time.Sleep(time.Second)
	return errors.Join(os.WriteFile(filepath.Join(dir, "go"), nil, 0o600), cmd.Wait())
}
