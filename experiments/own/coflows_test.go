package own

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// In the trace, 7 MB of the first shuffle left their rack, and none had to. Of the second, all 3 MB
// left it, and half had to.
func TestCoflowsOfATrace(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TARRY_TRACES", dir)
	require.NoError(t,
		os.WriteFile(filepath.Join(dir, coflowName),
			[]byte("3 2\n1 0 1 0 2 0:5.0 1:7\n2 10 2 1 2 1 0:3\n"), 0o666))
	res, err := find(t, "coflows").Run(t.Context(), study.Options{Seed: 1, Quick: true})
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(res.Setup[0], "Workload: the 2 shuffles of FB2010"),
		res.Setup[0])
	ours := map[string]float64{}
	for _, row := range res.Rows {
		ours[row.Quantity] = row.Ours.Mean()
	}
	require.InDelta(t, 75, ours["by the trace: off-rack bytes saved, mean of jobs"], 1e-9)
	require.InDelta(t, 85, ours["by the trace: off-rack bytes saved, of all bytes"], 1e-9)
	require.InDelta(t, 75,
		ours["replayed, CoGRS: off-rack bytes saved over the trace's places, mean of jobs"], 1e-9)
	require.InDelta(t, 100, ours["replayed: maps in their racks"], 1e-9)

	require.NoError(t,
		os.WriteFile(filepath.Join(dir, coflowName), []byte("3 2\n1 0 1 9 1 0:5\n"), 0o666))
	_, err = find(t, "coflows").Run(t.Context(), study.Options{Quick: true})
	require.ErrorIs(t, err, workload.ErrFormat, "a bad trace is not passed over")
}

// If the folder lacks the files, drawn data replaces them, and the set-up reports this.
func TestTracesThatAreNotThere(t *testing.T) {
	t.Setenv("TARRY_TRACES", t.TempDir())
	for _, name := range []string{"facebook-trace", "hot-files"} {
		res, err := find(t, name).Run(t.Context(), study.Options{Quick: true})
		require.NoError(t, err)
		require.Contains(t, res.Setup[0], "is not there")
	}
}

// find returns the experiment called name.
func find(t *testing.T, name string) study.Experiment {
	all := All()
	i := slices.IndexFunc(all, func(e study.Experiment) bool { return e.Name == name })
	require.GreaterOrEqual(t, i, 0, name)
	return all[i]
}
