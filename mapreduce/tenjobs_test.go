package mapreduce_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each further job adds at most 60 functions to a program. They are counted in the package of ten
// jobs, where they are compiled.
func TestFurtherJobsAreSmall(t *testing.T) {
	const jobs, most = 10, 60
	archive := filepath.Join(t.TempDir(), "tenjobs.a")
	out, err := exec.Command("go", "build", "-o", archive, "./testdata/tenjobs").CombinedOutput()
	require.NoError(t, err, "%s", out)
	out, err = exec.Command("go", "tool", "nm", archive).CombinedOutput()
	require.NoError(t, err, "%s", out)
	generic := 0
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, " T ") && strings.Contains(line, "go.shape") {
			generic++
		}
	}
	t.Logf("%d generic functions a job", generic/jobs)
	require.Positive(t, generic)
	require.LessOrEqual(t, generic/jobs, most)
}
