package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// took matches the time in a run's summary. Comparisons ignore it.
var took = regexp.MustCompile(` in [0-9.]+(m[0-9.]+)?(s|ms|µs)\b`)

// session is a command that a page shows, and the output that it shows.
type session struct{ line, shown string }

// sessions returns the commands in the console blocks of a page.
func sessions(page string) (list []session) {
	for _, block := range regexp.MustCompile("(?ms)^```console\n(.*?)^```").FindAllStringSubmatch(page, -1) {
		for line := range strings.Lines(block[1]) {
			if command, found := strings.CutPrefix(line, "$ "); found {
				list = append(list, session{line: strings.TrimSpace(command)})
				continue
			}
			list[len(list)-1].shown += line
		}
	}
	return list
}

// The commands of the tour and of README print the documented text, except for times. They run one
// after the other in one folder, standard output and standard error together.
func TestTour(t *testing.T) {
	t.Parallel()
	pictures, err := filepath.Abs("../../docs")
	require.NoError(t, err)
	for name, least := range map[string]int{"../../docs/tour.md": 12, "../../README.md": 1} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			list := sessions(string(text))
			require.GreaterOrEqual(t, len(list), least)
			dir := t.TempDir()
			require.NoError(t, os.CopyFS(filepath.Join(dir, "examples"), os.DirFS("../../examples"))) // the book
			for _, s := range list {
				cmd := exec.Command("sh", "-c", s.line)
				cmd.Dir, cmd.Env = dir, append(os.Environ(), "LC_ALL=C", "TARRY_NO_PROGRESS=true")
				out, err := cmd.CombinedOutput()
				require.NoError(t, err, "%s\n%s", s.line, out)
				require.Equal(t, took.ReplaceAllString(s.shown, " in …"), took.ReplaceAllString(string(out), " in …"), s.line)
			}
			for _, picture := range regexp.MustCompile(`!\[[^]]*\]\((?:docs/)?([^)]+)\)`).FindAllStringSubmatch(string(text), -1) {
				want, err := os.ReadFile(filepath.Join(pictures, picture[1]))
				require.NoError(t, err)
				made, err := filepath.Glob(filepath.Join(dir, "*", "*", "*.svg"))
				require.NoError(t, err)
				found := name == "../../README.md" // README says that the tour makes its picture
				for _, m := range made {
					got, err := os.ReadFile(m)
					require.NoError(t, err)
					found = found || string(got) == string(want)
				}
				require.True(t, found, "no command of the page makes %s", picture[1])
			}
		})
	}
}
