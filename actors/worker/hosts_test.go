package worker

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/worker/enginetest"
	mr "github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// hosts are three hosts made of Linux namespaces: each has its own name, address, and disk for temporary
// files, of a limited size. They share the other folders.
type hosts struct {
	t     *testing.T
	dir   string // which they share
	pids  []string
	enter string // a script
}

const hostDisk = "300k" // for temporary files

func newHosts(t *testing.T) *hosts {
	if out, err := exec.Command("unshare", "-m", "-u", "-n", "mount", "-t", "tmpfs", "none", "/mnt").CombinedOutput(); err != nil {
		t.Skipf("no hosts of namespaces here: unshare: %v: %s", err, out)
	}
	h := &hosts{t: t, dir: t.TempDir()}
	exe, err := os.Executable()
	require.NoError(t, err)
	forAll(t, filepath.Dir(exe))
	forAll(t, h.dir)
	h.enter = filepath.Join(h.dir, "enter.sh")
	tmp := filepath.Join(h.dir, "tmp")
	require.NoError(t, os.Mkdir(tmp, 0o755))
	require.NoError(t, os.WriteFile(h.enter, []byte(`pid=$1 user=$2 WD=$(pwd) TMPDIR=`+tmp+`; shift 2; export WD TMPDIR
exec nsenter -m -u -n -t $pid sh -c 'cd "$WD" && exec setpriv --reuid=$0 --regid=$0 --clear-groups "$@"' $user "$@"
`), 0o600))
	for n := 1; n <= 3; n++ {
		cmd := exec.Command("unshare", "-m", "-u", "-n", "sh", "-c", fmt.Sprintf(`hostname node%[1]d && mount -t tmpfs -o size=%[2]s,mode=1777 disk %[3]s || exit
ip link set lo up 2>/dev/null && ip addr add 10.77.0.%[1]d/32 dev lo; echo ready; exec sleep 3600`, n, hostDisk, tmp))
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		line, err := bufio.NewReader(out).ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, "ready\n", line)
		h.pids = append(h.pids, fmt.Sprint(cmd.Process.Pid))
	}
	return h
}

// use makes emulated engines run their tasks on the hosts as a user.
func (h *hosts) use(user string) {
	var list []string
	for _, pid := range h.pids {
		list = append(list, "sh "+h.enter+" "+pid+" "+user)
	}
	h.t.Setenv(playedHosts, strings.Join(list, "\n"))
}

// on runs a script on node2, and reverts it when a row ends.
func (h *hosts) on2(script string, args ...string) {
	cmd := exec.Command("sh", append([]string{h.enter, h.pids[1], "0", "sh", "-c", script, "sh"}, args...)...)
	out, err := cmd.CombinedOutput()
	require.NoError(h.t, err, "%s", out)
}

// fault is a row of the table in docs/beyond-one-machine.md: what goes wrong, and what the error says.
type fault struct {
	what, says string
	job        string
	on2        string // prepares node2: $1 is the input's folder, $2 the output's parent, $3 the program; its host must be named
	off2       string // undoes that; with umount -l, as a worker of the row may be ending still
	user       string // user of the tasks
	options    Options
	before     func(t *testing.T, out string) // prepares the output
	local      bool                           // it concerns the submitter, so it is the same on any engine
	only       string                         // an engine
}

var faults = []fault{
	{what: "input missing on one host", says: "no such file or directory", job: "sort", on2: `mount -t tmpfs none "$1"`, off2: `umount -l "$1"`},
	{what: "another file on one host", says: "changed while in use", job: "sort", on2: `echo other >"$1/../x" && mount --bind "$1/../x" "$1/a"`, off2: `umount -l "$1/a"`},
	{what: "output not shared", says: "not shared with this host", job: "sort", on2: `mount -t tmpfs none "$2"`, off2: `umount -l "$2"`},
	{what: "another build on one host", says: "not the one that submitted", job: "sort", on2: `cp "$3" "$1/../p" && echo >>"$1/../p" && mount --bind "$1/../p" "$3"`, off2: `umount -l "$3"`},
	{what: "program that ends early on one host", says: "ended the process, with code 1", job: "missing", on2: `mkdir "$1/../o" && cp -p "$1/a" "$1/../o" && mount --bind "$1/../o" "$1"`, off2: `umount -l "$1"`},
	{what: "disk full on one host", says: "no space left on device", job: "sort", on2: `head -c 300k /dev/zero >"$TMPDIR/full" || true`, off2: `rm "$TMPDIR/full"`, options: Options{Memory: 1 << 20}, only: "slurm"},
	{what: "plan not readable by the tasks' user", says: "this task runs as nobody", job: "sort", user: "65534", before: func(t *testing.T, _ string) { umask(t, 0o077) }},
	{what: "output not writable by that user", says: "permission denied", job: "sort", user: "65534", before: func(t *testing.T, _ string) { umask(t, 0o022) }},
	{what: "worker killed, as without memory", says: "signal: killed", job: "kill always"},
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
	{what: "setting the engine lacks", says: "has no effect with --on", job: "sort", local: true, options: Options{Settings: Settings{Account: "a"}}, only: "yarn"},
	{what: "arguments too long", says: "too long for workers", job: "long", local: true},
	{what: "no client of the engine", says: "executable file not found", job: "sort", local: true, only: "slurm", before: func(t *testing.T, _ string) { t.Setenv("PATH", "/nowhere") }},
}

// Each fault, on each engine, ends with one line that names the cause, and the host if it concerns
// one; no output is left. Clients of engines are emulated; workers are real and run on three hosts.
func TestFaults(t *testing.T) {
	inProcesses(t)
	h := newHosts(t)
	exe, err := os.Executable()
	require.NoError(t, err)
	for n, f := range faults {
		for _, on := range append(foreignEngines, "processes:2") {
			here := on == "processes:2"
			if here && (f.on2 != "" || f.user != "" || f.job == "host dies") || f.only != "" && f.only != on {
				continue
			}
			t.Run(f.what+" "+on, func(t *testing.T) {
				h.t = t
				playEngines(t)
				dir := filepath.Join(h.dir, fmt.Sprint(n, on))
				in, parent := filepath.Join(dir, "in"), filepath.Join(dir, "outs")
				for _, d := range []string{dir, in, parent} {
					require.NoError(t, os.Mkdir(d, 0o777))
					require.NoError(t, os.Chmod(d, 0o777)) //nolint:gosec // tasks of another user write to it
				}
				book, out := bookOf(t, in, "a", 100_000), filepath.Join(parent, "out")
				require.NoError(t, os.Chmod(book, 0o644)) //nolint:gosec // tasks of another user read it
				if f.job == "missing" {
					require.NoError(t, os.WriteFile(book+".here", nil, 0o600))
				}
				user := f.user
				if user == "" {
					user = "0"
				}
				if !here {
					h.use(user)
				}
				if f.on2 != "" {
					h.on2(f.on2, in, parent, exe)
					defer h.on2(f.off2, in, parent, exe)
				}
				if f.before != nil {
					f.before(t, out)
				}
				o := f.options
				o.On, o.Reduces, o.BlockSize, o.MaxAttempts = on, 2, blockBytes, 2
				inputs := []string{book}
				if f.job == "long" {
					inputs = append(inputs, longArguments()...)
				}
				err := submitFault(t, f.job, out, o, inputs)
				require.ErrorContains(t, err, f.says)
				require.NotContains(t, err.Error(), "\n")
				switch {
				case f.on2 != "":
					require.Regexp(t, regexp.MustCompile(`\b[mr]-\d+-\d+ on node2: `), err.Error())
				case !f.local && !here && f.what != "too many bad records":
					require.Regexp(t, regexp.MustCompile(`\b[mr]-\d+-\d+ on node[123]: `), err.Error())
				}
				if !strings.Contains(f.what, "output exists") && !strings.Contains(f.what, "two runs") {
					require.NoDirExists(t, out)
				}
			})
		}
	}
}

// submitFault submits a job as a program does; the host determines where it spills.
func submitFault(t *testing.T, name, out string, o Options, inputs []string) error {
	dir := filepath.Dir(out)
	o.Args = append([]string{name, dir, out}, inputs...)
	runs.Store(0)
	earlierRuns = nil
	job := name
	if name == "long" {
		job = "sort"
	}
	p, err := bind(job, dir, out, inputs[:1])
	require.NoError(t, err)
	_, err = Submit(t.Context(), p, o)
	return err
}

// The tested table is the one in the documents.
func TestFaultsInDocs(t *testing.T) {
	var b bytes.Buffer
	for _, f := range faults {
		fmt.Fprintf(&b, "|%s|`%s`|\n", f.what, f.says)
	}
	doc, err := os.ReadFile("../../docs/beyond-one-machine.md")
	require.NoError(t, err)
	require.Contains(t, string(doc), b.String(), "the rows of the table of failures")
}

// Tasks of another user on three hosts write the same bytes, also if a worker is killed.
func TestOnHosts(t *testing.T) {
	inProcesses(t)
	h := newHosts(t)
	umask(t, 0)
	for _, on := range foreignEngines {
		for _, name := range []string{"wordcount", "kill map", "routed"} {
			t.Run(on+" "+name, func(t *testing.T) {
				h.t = t
				playEngines(t)
				h.use("65534")
				dir := filepath.Join(h.dir, on+name)
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
