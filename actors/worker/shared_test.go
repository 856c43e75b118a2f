package worker

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	mr "github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// Tasks of an array job exchange files in a folder, or in a store. They write the right output, even
// if attempts run twice. If a map's file is missing or truncated, the error names the map.
func TestSharedFolder(t *testing.T) {
	for _, name := range []string{"sort", "grep", "wordcount", "wordcount in a store"} {
		name, inStore := strings.CutSuffix(name, " in a store")
		store, url, books := testStore(t)
		if !inStore {
			url, books = store.Root, []string{store.Root + "/a", store.Root + "/b"}
		}
		want, local := wanted(t, name, 3, blockBytes, books)
		p, j := prepared(t, name, url+"/out", Options{Reduces: 3, BlockSize: blockBytes}, books)
		run := func(kind cluster.TaskKind, index, try int) error {
			dir := j.tasks.fullName("")
			a := (&task{Spills: t.TempDir(), Shuffle: dir, Reports: dir}).attempt(p, mr.AttemptID{Kind: kind, Index: index, Try: try}, &j.layout)
			return a.runShared(t.Context())
		}
		require.Greater(t, len(j.layout.Splits), 3)
		for i := range j.layout.Splits {
			require.NoError(t, run(cluster.MapKind, i, 1))
			require.NoError(t, run(cluster.MapKind, i, 2))
		}
		if !j.mapOnly {
			lost, full := mapFile(2), j.tasks.fullName(mapFile(2))
			all, err := j.tasks.read(lost)
			require.NoError(t, err)
			require.NoError(t, j.tasks.write(lost, all[:100]))
			require.ErrorIs(t, run(cluster.ReduceKind, 0, 0), errFrames)
			require.NoError(t, j.tasks.remove(lost))
			err = run(cluster.ReduceKind, 0, 1)
			require.ErrorIs(t, err, fs.ErrNotExist)
			require.ErrorContains(t, err, "what map 2 has for the reduces: ")
			require.ErrorContains(t, err, full+": ")
			require.NoError(t, run(cluster.MapKind, 2, 3))
			for i := range 3 {
				require.NoError(t, run(cluster.ReduceKind, i, 2))
				require.NoError(t, run(cluster.ReduceKind, i, 3))
			}
		}
		hidden, err := j.tasks.count(".")
		require.NoError(t, err)
		require.Zero(t, hidden, "attempts that failed leave nothing")
		reports, err := j.reports()
		require.NoError(t, err)
		var c counter.Set
		require.NoError(t, j.commit(p, reports, &c))
		require.NoError(t, p.CommitJob())
		require.Equal(t, want, filesIn(t, filepath.Join(store.Root, "out")))
		require.Equal(t, local.Get(counter.MapInputRecords), c.Get(counter.MapInputRecords))
	}
}

// commit fails unless there is exactly one report for each task.
func TestReportsAreComplete(t *testing.T) {
	j := &job{layout: cluster.Layout{Reduces: 2}}
	one := func(kind string, index int) report {
		return report{Kind: kind, Index: index, Counters: new(counter.Set)}
	}
	for _, list := range [][]report{
		nil, {one(reduceTask, 1)}, {one(reduceTask, 1), one(reduceTask, 1)}, {one(mapTask, 0), one(mapTask, 1)},
	} {
		require.ErrorContains(t, j.commit(nil, list, new(counter.Set)), "has not said once of each of 2 reduces")
	}
}
