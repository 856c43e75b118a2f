package cli

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/internal/cli/internal/numbers"
)

// wrongUsage is a command line that cannot work, with the exit code and message that it must have.
type wrongUsage struct {
	args []string
	code int
	says string // a regular expression, or empty
}

// noEffectSaid matches the error for a flag without effect: it names the flag and the reason.
const noEffectSaid = `^tarry: --([a-z-]+) (has no effect (with|without) [^\n]+|and --[a-z-]+ exclude each other)\n$`

// A wrong usage ends soon, with the right exit code. It prints one line on standard error, nothing
// on standard output, and does not change the disk.
func TestWrongUsages(t *testing.T) {
	list := append(wrongFlags(), wrongLines(t)...)
	t.Chdir(wrongPlace(t))
	before := everyFile(t)
	require.GreaterOrEqual(t, len(list), 500)
	t.Logf("%d wrong usages", len(list))
	var slowest time.Duration
	for _, u := range list {
		args := fmt.Sprintf("tarry %.300q", u.args)
		w := runHere(t, u.args, nil)
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

// wrongFlags returns usages with a flag that does not exist, lacks its value, or has a wrong one.
func wrongFlags() (list []wrongUsage) {
	add := func(line string, flags ...string) {
		for _, flag := range flags {
			list = append(list, wrongUsage{append(strings.Fields(line), flag), exitUsage, ""})
		}
	}
	for _, right := range rightUsages() {
		add(right, "--dance", "--dance=\x1b[31m\n", "-Z", "--=x", "--json=perhaps")
	}
	onceEach(func(right string, f *pflag.Flag) {
		name := "--" + f.Name
		if n, ok := f.Value.(*numbers.Value); ok {
			large := strings.Repeat("9", 3000)
			if n.Type() == "duration" {
				large += "h"
			}
			add(right, name+"=many", name+"=", name+"=0x10", name+"=NaN", name+"="+large)
		}
		if f.Value.Type() == "bool" {
			name += "=2"
		}
		add(right, name)
	})
	return list
}

// wrongLines returns the usages of testdata/wrong.txtar, and some that are too long for a file.
func wrongLines(t *testing.T) (list []wrongUsage) {
	long := strings.Repeat("long", 100)
	add := func(code int, args []string, what string, names ...string) {
		for _, name := range names {
			u := wrongUsage{slices.Clone(args), code, ""}
			for i := range args {
				u.args[i] = strings.Replace(args[i], what, name, 1)
			}
			if code != 0 {
				list = append(list, u)
			}
		}
	}
	archive, err := txtar.ParseFile("testdata/wrong.txtar")
	require.NoError(t, err)
	for _, f := range archive.Files {
		for line := range strings.Lines(string(f.Data)) {
			args := regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\S+`).FindAllString(line, -1)
			for i, a := range args {
				if a[0] == '"' {
					args[i], err = strconv.Unquote(a)
					require.NoError(t, err, line)
				}
			}
			switch f.Name {
			case "usage":
				list = append(list, wrongUsage{args, exitUsage, ""})
			case "no effect":
				list = append(list, wrongUsage{args, exitUsage, noEffectSaid})
			case "configuration":
				list = append(list, wrongUsage{args, exitConfig, ""})
			case "outputs that are there":
				add(exitConfig, args, "OUT", ".", "/", "in", "dir", "dir/file", "..")
			case "outputs that cannot be made":
				add(exitConfig, args, "OUT", "in/out", "no\x1b/../in/out", long[:300])
			case "files": // the codes if FILE is missing, no text of the right kind, or empty
				missing, other, empty := int(args[0][0]-'0'), int(args[1][0]-'0'), int(args[2][0]-'0')
				folder := "dir"
				if args = args[3:]; args[0] == "run" && slices.Contains(args, "-q") {
					folder = "nothing"
				}
				add(missing, args, "FILE", "nofile", "no\nfile\x1b31m", "in/file", long, folder)
				add(other, args, "FILE", "text", "binary")
				add(empty, args, "FILE", "empty")
			default:
				require.Fail(t, "no such list", f.Name)
			}
		}
	}
	add(exitUsage, []string{"run", "grep", "PATTERN", "in", "--output", "out"}, "PATTERN", strings.Repeat("(a", 10_000), strings.Repeat("[", 20_000))
	add(exitUsage, []string{"JOB"}, "JOB", strings.Repeat("x", 100_000))
	add(exitUsage, []string{"run", "JOB"}, "JOB", strings.Repeat("\x1b", 10_000))
	return list
}
