package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/internal/cli/internal/numbers"
)

// startWrong is like runHere, but runs the command line in its own process.
func startWrong(t *testing.T, args []string, _ map[string]string) outcome {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command("tarry", args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	flag := func(v string) bool { return strings.HasPrefix(v, "TARRY_") }
	cmd.Env = slices.DeleteFunc(os.Environ(), flag)
	began := time.Now()
	err := cmd.Run()
	took := time.Since(began)
	if ended, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		t.Fatal(err)
	} else if ok {
		return outcome{ended.ExitCode(), out.String(), errs.String(), took}
	}
	return outcome{0, out.String(), errs.String(), took}
}

// wrongUsage is a command line that cannot work, with the exit code and message that it must have.
type wrongUsage struct {
	args []string
	code int
	says string // a regular expression, or empty
}

// noEffectSaid matches the error for a flag without effect: it names the flag and the reason.
const noEffectSaid = `^tarry: --([a-z-]+) (has no effect (with|without) [^\n]+|and --[a-z-]+ exclude each other)\n$`

// A wrong usage ends soon, with the right exit code. It prints one line on standard error, nothing
// on standard output, and does not change the disk. With LONG_TESTS each runs in its own process.
func TestWrongUsages(t *testing.T) {
	t.Chdir(wrongPlace(t))
	before := everyFile(t)
	list := slices.Concat(wrongNumbers(), wrongFlags(), wrongWords(), wrongFiles(), wrongOutputs())
	require.GreaterOrEqual(t, len(list), 500)
	t.Logf("%d wrong usages", len(list))
	long := os.Getenv("LONG_TESTS") != ""
	var slowest time.Duration
	for _, u := range list {
		args := fmt.Sprintf("tarry %.300q", u.args)
		if strings.Contains(strings.Join(u.args, ""), "\x00") && long {
			continue // the system cannot pass NUL in arguments
		}
		run := runHere
		if long {
			run = startWrong
		}
		w := run(t, u.args, nil)
		if slowest = max(slowest, w.took); w.took > 100*time.Millisecond {
			t.Logf("%v: %s", w.took, args)
		}
		require.Less(t, w.took, 5*time.Second, args)
		short := strings.Count(w.errs, "\n") == 1 && strings.HasPrefix(w.errs, "tarry: ") && len(w.errs) <= 1500
		if w.code != u.code || w.out != "" || !short {
			t.Errorf("%s: exit code %d, want %d\nstdout %.200q\nstderr %.2000q", args, w.code, u.code, w.out, w.errs)
		}
		require.Regexp(t, u.says, w.errs, args)
		for _, bad := range []string{"strconv", "open nofile", "%!", "invalid argument", "\x1b"} {
			if strings.Contains(w.errs, bad) {
				t.Errorf("%s says %q: %s", args, bad, w.errs)
			}
		}
		if after := everyFile(t); !slices.Equal(before, after) {
			t.Fatalf("%s: the disk was\n%v, is\n%v", args, before, after)
		}
	}
	t.Logf("the slowest took %v", slowest)
	if long {
		require.Less(t, slowest, 200*time.Millisecond)
	}
}

// wrongPlace makes a directory with the files that wrong usages name.
func wrongPlace(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"in": "b\na\n", "tsv": "a\t1\n", "empty": "", "binary": "\x00\xff\xfe\x1b[31m\x80\n\x00",
		"text": "some words\nof no language\n", "x=y\nz": "a\n",
		"c.yaml": "nodes: [{count: 3, map_slots: 2, reduce_slots: 1}]\n",
	} {
		write(t, filepath.Join(dir, name), text)
	}
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "dir", "below"), 0o700))
	write(t, filepath.Join(dir, "dir", "file"), "a\n")
	require.NoError(t, os.Mkdir(filepath.Join(dir, "nothing"), 0o700))
	return dir
}

// everyFile lists all files below the working directory, each with the start of its content.
func everyFile(t *testing.T) []string {
	t.Helper()
	var list []string
	require.NoError(t, filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		text := ""
		if e.Type().IsRegular() {
			got, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text = string(got)
		}
		list = append(list, fmt.Sprintf("%s %.40q", path, text))
		return nil
	}))
	return list
}

// rightUsages returns a correct command line for each command. Tests add a wrong flag to it.
func rightUsages() map[string]string {
	return map[string]string{
		"run sort": "run sort in -q -o out", "run top": "run top tsv -q -o out",
		"run grep": "run grep -q a in --output out", "sim": "sim --workload facebook-io",
		"sim compare": "sim compare --workload facebook-io",
		"delay":       "delay --locality 0.9 --tasks 3 --nodes 9 --rate 3", "gen": "gen text --size 10 -o made",
		"events": "events text", "experiment": "experiment delay-fig5 -o made",
		"config check": "config check text", "version": "version", "scenario": "scenario text",
		"experiment list": "experiment list", "serve": "serve --listen nowhere", "job list": "job list",
		"node list": "node list", "policy show": "policy show", "fs put": "fs put in x",
		"fs get": "fs get x", "fs ls": "fs ls", "fs rm": "fs rm x",
	}
}

// onceEach calls do for each flag of each command, with a correct command line of the command. If
// commands of a family share a flag, as run sort and run top do, it calls do once.
func onceEach(do func(right string, f *pflag.Flag)) {
	done := map[string]bool{}
	ourFlags(func(path string, f *pflag.Flag) {
		family, _, _ := strings.Cut(path, " ")
		right, known := rightUsages()[path]
		if known && !done[family+f.Name] {
			done[family+f.Name] = true
			do(right, f)
		}
	})
}

// wrongNumbers returns usages that give number flags values that are not numbers or out of range.
func wrongNumbers() []wrongUsage {
	var list []wrongUsage
	onceEach(func(right string, f *pflag.Flag) {
		n, ok := f.Value.(*numbers.Value)
		if !ok {
			return
		}
		for _, value := range []string{"many", "", "0x10", "NaN", strings.Repeat("9", 3000)} {
			if n.Type() == "duration" && strings.HasPrefix(value, "9") {
				value += "h"
			}
			list = append(list, wrongUsage{append(strings.Fields(right), "--"+f.Name+"="+value), exitUsage, ""})
		}
	})
	return list
}

// wrongFlags returns usages with a flag that does not exist, lacks its value, has one of the wrong
// kind, or has no effect.
func wrongFlags() []wrongUsage {
	var list []wrongUsage
	add := func(code int, line string, more ...string) {
		list = append(list, wrongUsage{append(strings.Fields(line), more...), code, ""})
	}
	for _, right := range rightUsages() {
		add(exitUsage, right, "--dance")
		add(exitUsage, right, "--dance=\x1b[31m\n")
		add(exitUsage, right, "-Z")
		add(exitUsage, right, "--=x")
		add(exitUsage, right, "--json=perhaps")
	}
	for line := range strings.Lines(strings.TrimSpace(idleFlags)) {
		list = append(list, wrongUsage{strings.Fields(line), exitUsage, noEffectSaid})
	}
	onceEach(func(right string, f *pflag.Flag) {
		switch {
		case f.Value.Type() == "bool":
			add(exitUsage, right, "--"+f.Name+"=2")
		default:
			add(exitUsage, right, "--"+f.Name)
		}
	})
	return list
}

// wrongWords returns usages with unknown names or with invalid or missing arguments.
func wrongWords() []wrongUsage {
	var list []wrongUsage
	for _, line := range []string{
		"dance", "foo", "Run", "run", "run foo in -o out", "run so in -o out", "run sort",
		"run sort -o out", "run grep a --output out", "run grep -o king", "run grep -e a", "run grep -P a in",
		"run grep [ in", "run grep (?P<x in", "run grep a{9999} in -o", "run sort -V in",
		"run grep \\8 in",
		"gen", "gen foo -o made", "gen text", "gen text tera -o made",
		"gen tera --size 50 -o made", "delay", "delay now",
		"delay --locality 1 --tasks 1 --nodes 9 --rate 1",
		"delay --wait 1s --tasks 1 --nodes 2 --rate 1", "delay --wait 1s --tasks 1 --nodes 9 --slots 2",
		"delay --wait 1s", "delay --wait 1s --tasks 1 --nodes 9 --rate 1 --racks 10",
		"experiment", "experiment foo -o made", "experiment delay-fig5", "experiment list all",
		"config foo", "config check",
		"scenario", "events", "events a b", "events text --only foo", "events text --only=",
		"events text --job foo", "events text --job 0", "events text --job=", "events text --job -1",
		"events text --job job_",
		"sim", "sim foo", "sim compare", "sim compare foo", "sim --workload", "sim --trace foo",
		"sim --trace foo:in", "sim --trace swim", "version foo",
		"sim --workload facebook-io --network foo", "sim --workload facebook-io --drive foo",
		"sim --workload facebook-io --submit foo", "sim --workload facebook-io --submit closed:x",
		"sim --workload facebook-io --submit closed:-1", "sim --workload facebook-io --submit closed:",
		"sim --workload facebook-io --submit closed:99999999999999999999",
		"sim --workload facebook-io --scheduler foo",
		"sim --workload facebook-io --scheduler hfs+foo",
		"sim --workload facebook-io --scheduler hfs+any+any",
		"sim --workload facebook-io --reduce-placement foo",
		"sim compare --workload facebook-io --schedulers=",
		"sim compare --workload facebook-io --schedulers foo",
		"sim compare --workload facebook-io --schedulers fifo,,hfs",
		"sim compare --workload facebook-io --schedulers fifo,fifo",
		"run sort in -o out --scheduler=", "run sort in -o out --scheduler foo",
		"run sort in -o out --reduce-placement=", "sim sweep --workload facebook-io", "batch jobs",
		"sim sweep --workload facebook-io --sweep dance=1", "sim sweep --workload facebook-io --sweep theta",
		"run sort in -o out --compress foo", "run sort in -o out --compress=",
		"run sort in -o out --set", "run sort in -o out --set theta", "run sort in -o out --nodes 3 --set skips=1,2",
		"run sort in -o - --json", "run sort - - -o out", "run sort in[ -o out",
		"help foo", "completion foo", "run sort in -o out --nodes", "run sort in -o",
	} {
		list = append(list, wrongUsage{strings.Fields(line), exitUsage, ""})
	}
	for _, args := range [][]string{
		{""},
		{"run", ""},
		{"gen", "", "-o", "made"},
		{"events", ""},
		{"scenario", ""},
		{"config", "check", ""},
		{"experiment", "", "-o", "made"},
		{"run", "sort", "in", "-o", ""},
		{"run", "sort", "", "-o", "out"},
		{"gen", "text", "-o", ""},
		{"experiment", "delay-fig5", "-o", ""},
		{"sim", "--workload", ""},
		{"sim", "--trace", ""},
		{"run", "grep", "(", "in", "--output", "out"},
		{"run", "grep", strings.Repeat("(a", 10_000), "in", "--output", "out"},
		{"run", "grep", strings.Repeat("[", 20_000), "in", "--output", "out"},
		{"run", "grep", "a\x1b[31m\n)", "in", "--output", "out"},
		{"run", "grep", "a{2}{1000}{1000}", "in", "--output", "out"},
		{"run", "grep", "\xff", "in", "--output", "out"},
		{strings.Repeat("x", 100_000)},
		{"run", strings.Repeat("\x1b", 10_000)},
		{"dan\nce"},
		{"--", "dance"},
		{"--", "--help"},
		{"-"},
		{"run", "-"},
		{"run", "--", "foo"},
	} {
		list = append(list, wrongUsage{args, exitUsage, ""})
	}
	return list
}

// wrongFiles returns usages that name files which are missing, are directories, or have the wrong
// content: exit code 1 for a command's input, 3 for configuration.
func wrongFiles() []wrongUsage {
	var list []wrongUsage
	long := strings.Repeat("long", 100)
	for line, codes := range map[string]struct{ missing, other, empty int }{
		"run sort -o out -q FILE":                       {exitFailed, 0, 0},
		"run terasort -o out -q FILE":                   {exitFailed, exitFailed, 0},
		"run mean -o out -q in FILE":                    {exitFailed, 0, 0},
		"run sort -o out -q --inline in in FILE":        {exitFailed, 0, 0},
		"scenario FILE":                                 {exitFailed, 0, 0},
		"events FILE":                                   {exitFailed, exitFailed, 0},
		"sim --workload ./FILE":                         {exitFailed, exitFailed, exitFailed},
		"sim --trace swim:FILE":                         {exitFailed, exitFailed, exitFailed},
		"sim --trace coflow:FILE":                       {exitFailed, exitFailed, exitFailed},
		"sim --trace sls:FILE":                          {exitFailed, exitFailed, exitFailed},
		"sim --trace alibaba:FILE":                      {exitFailed, exitFailed, exitFailed},
		"sim compare --workload ./FILE":                 {exitFailed, exitFailed, exitFailed},
		"sim compare --trace swim:FILE":                 {exitFailed, exitFailed, exitFailed},
		"config check FILE":                             {exitConfig, 0, 0},
		"serve --queues FILE":                           {exitConfig, exitConfig, exitConfig},
		"serve --parameters FILE":                       {exitConfig, exitConfig, exitConfig},
		"sim --workload facebook-io --allocations FILE": {exitConfig, exitConfig, exitConfig},
		"sim --workload facebook-io --scheduler capacity --queues FILE": {exitConfig, exitConfig, exitConfig},
		"run sort in -o out --scheduler FILE.yaml":                      {exitConfig, 0, 0},
		"sim --workload facebook-io --cluster FILE":                     {exitConfig, exitConfig, exitConfig},
	} {
		add := func(name string, code int) {
			args := strings.Fields(line)
			for i := range args {
				args[i] = strings.Replace(args[i], "FILE", name, 1)
			}
			if code != 0 {
				list = append(list, wrongUsage{args, code, ""})
			}
		}
		for _, name := range []string{"nofile", "no\nfile\x1b31m", "in/file", long} {
			add(name, codes.missing)
		}
		if strings.HasPrefix(line, "run") && strings.Contains(line, "-q") {
			add("nothing", codes.missing)
		} else {
			add("dir", codes.missing)
		}
		add("text", codes.other)
		add("binary", codes.other)
		add("empty", codes.empty)
	}
	return list
}

// wrongOutputs returns usages whose output cannot be written, or would destroy something.
func wrongOutputs() []wrongUsage {
	var list []wrongUsage
	add := func(code int, line string, more ...string) {
		list = append(list, wrongUsage{append(strings.Fields(line), more...), code, ""})
	}
	for _, out := range []string{".", "/", "in", "dir", "dir/file", ".."} {
		add(exitConfig, "run sort in -q -o", out)
		add(exitConfig, "run sort in -q --overwrite -o", out)
		add(exitConfig, "run sort in -q --inline -o", out)
		add(exitConfig, "gen text --size 10 -o", out)
	}
	for _, out := range []string{"in/out", "no\x1b/../in/out", strings.Repeat("x", 300)} {
		add(exitConfig, "run sort in -q -o", out)
		add(exitConfig, "gen text --size 10 -o", out)
		add(exitConfig, "experiment delay-fig5 -o", out)
		add(exitConfig, "run sort in -q -o out --events", out)
		add(exitConfig, "sim --workload facebook-io -q --events", out)
		add(exitConfig, "sim --workload facebook-io -q --jobs 1 --csv", out)
	}
	add(exitUsage, "run sort dir in -q -o out --events in")
	add(exitUsage, "run sort dir -q -o out --events dir/file")
	add(exitUsage, "run sort dir -q -o out --events ./out")
	add(exitConfig, "run sort in -q -o out --events dir")
	add(exitConfig, "run sort in -q -o out --events nothing/no/such")
	add(exitUsage, "sim --workload facebook-io --events made --series ./made")
	add(exitConfig, "experiment delay-fig5 -o in")
	add(exitConfig, "gen text -o in")
	add(exitConfig, "run sort in -q -o out --spill-dir in")
	add(exitConfig, "run sort in -q -o out --spill-dir nowhere")
	add(exitConfig, "run sort in -q -o out --nodes 2 --replication 3")
	add(exitConfig, "run sort in -q -o out --nodes 2 --racks 3")
	add(exitConfig, "run sort in -q -o out --nodes 5000 --map-slots 1000")
	add(exitConfig, "sim --workload facebook-io --nodes 2 --racks 3")
	add(exitConfig, "sim --workload facebook-io --nodes 2 --replication 3")
	return list
}
