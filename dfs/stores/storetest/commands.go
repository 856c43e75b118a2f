package storetest

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/dfs/stores"
)

// runs are the jobs that Commands runs: arguments of tarry run without input and output, and the
// kind of input. Two of them also run on engines, whose workers reach a store in the same way.
var runs = []struct {
	name, job, kind string
	engines         bool
}{
	{"wordcount", "wordcount --compress gzip", "text", true},
	{"sort", "sort", "text", false},
	{"terasort", "terasort", "tera", false},
	{"stages", "wordcount --top 50", "text", true},
	{"distinct", "distinct --count", "text", false},
	{"secondary sort", "secondarysort", "pairs", false},
	{"only maps", "grep xyz", "text", false},
}

// Commands tests that the tarry command writes the same bytes with input and output below root,
// such as s3://bucket/dir, as with local files. It runs jobs in one process, in several, and on the
// engines that environment variables name (internal/tools/engines/test.sh). store is root's store,
// top the module's directory.
func Commands(t *testing.T, store stores.Store, root, top string, engines []string) {
	program := Program(t, top)
	here := t.TempDir()
	tarry := func(env []string, args ...string) {
		t.Helper()
		cmd := exec.Command(program, args...)
		cmd.Dir, cmd.Env = here, append(os.Environ(), env...)
		text, err := cmd.CombinedOutput()
		require.NoError(t, err, "tarry %s\n%s", strings.Join(args, " "), text)
	}
	_, within := stores.Split(root)
	require.NoError(t, os.Mkdir(filepath.Join(here, "in"), 0o700))
	for _, kind := range []string{"text", "tera", "pairs"} {
		for _, to := range []string{here, root} {
			tarry(nil, "gen", kind, "--size", "1500KB", "--seed", "7", "-q", "-o", to+"/in/"+kind)
		}
	}
	for _, r := range runs {
		args := append([]string{"run"}, strings.Fields(r.job)...)
		args = append(args, "--block-size", "400KiB", "-q")
		if r.name != "only maps" && r.name != "stages" {
			args = append(args, "--reduces", "2")
		}
		want := filepath.Join(here, "want "+r.name)
		tarry(nil, append(args, filepath.Join(here, "in", r.kind), "--output", want)...)
		places := []string{"", "processes:2"}
		if r.engines {
			places = append(places, engines...)
		}
		for _, e := range places {
			t.Run(r.name+" on "+e, func(t *testing.T) {
				on, env := e, []string(nil)
				if variable, ok := strings.CutPrefix(e, "$"); ok {
					if on = os.Getenv(variable); on == "" {
						t.Skipf("%s is not set: it is not tested", variable)
					}
					if hadoop := os.Getenv(variable + "_HADOOP"); hadoop != "" {
						env = []string{"TARRY_HADOOP=" + hadoop}
					}
				}
				if on != "" {
					on = "--on=" + on
				}
				out := "out-" + strings.NewReplacer(" ", "-", ":", "-", "$", "").Replace(r.name+"-"+e)
				line := append(args, root+"/in/"+r.kind, "--output", root+"/"+out)
				if on != "" {
					line = append(line, on)
				}
				tarry(env, line...)
				require.Equal(t, sums(t, os.DirFS(want), "."), sums(t, store, within+"/"+out))
			})
		}
	}
	require.NoError(t, store.RemoveAll(within))
}

// Program builds the tarry command and returns its path; top is the module's directory.
func Program(t *testing.T, top string) string {
	program := filepath.Join(t.TempDir(), "tarry")
	build := exec.Command("go", "build", "-o", program, "./cmd/tarry")
	build.Dir = top
	text, err := build.CombinedOutput()
	require.NoError(t, err, "%s", text)
	return program
}

// sums returns, by file name, the checksums of the files of an output.
func sums(t *testing.T, fsys fs.FS, dir string) map[string]string {
	files := map[string]string{}
	require.NoError(t, fs.WalkDir(fsys, dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := fs.ReadFile(fsys, path)
		files[e.Name()] = fmt.Sprintf("%d bytes, sha256 %x", len(b), sha256.Sum256(b))
		return err
	}))
	return files
}
