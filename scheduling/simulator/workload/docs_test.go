package workload_test

import (
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// TestDocumentedWorkload: the workload file in docs/simulator.md is valid and has 21 jobs.
func TestDocumentedWorkload(t *testing.T) {
	page, err := os.ReadFile("../../../docs/simulator.md")
	require.NoError(t, err)
	found := regexp.MustCompile("(?ms)^```yaml\n(name: .*?)^```$").FindAllStringSubmatch(string(page), -1)
	require.Len(t, found, 1)
	require.Equal(t, 2, strings.Count(string(page), "```yaml\n"), "the other is a cluster, which clusterfile tests")
	for _, m := range found {
		w, err := workload.ReadYAML(strings.NewReader(m[1]), "docs/simulator.md", rand.New(rand.NewPCG(1, 0)))
		require.NoError(t, err)
		require.Len(t, w.Jobs, 21)
		require.Equal(t, "scan-20", w.Jobs[len(w.Jobs)-1].Name)
		maps, reduces := w.Tasks()
		require.Greater(t, maps, 746, "100 GB in blocks of 128 MiB, and the scans")
		require.Equal(t, 40, reduces)
	}
}
