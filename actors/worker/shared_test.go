package worker

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	mr "github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// Tasks of an array job exchange files in a folder, or in a store. They write the right output,
// even if attempts run twice. If a map's file is missing or truncated, the error names the map.
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
			of := &task{Temp: j.temp.fullName(""), Kind: kind.String(), Index: index, Attempt: try, Spills: t.TempDir(), Shuffle: j.tasks.fullName("")}
			a := of.attempt(p, of.id(), &j.layout)
			do := func() error { return a.runMap(t.Context(), nil) }
			if kind == cluster.ReduceKind {
				do = func() error { return a.runReduce(t.Context(), nil) }
			}
			if err := do(); err != nil {
				return err
			}
			return a.report()
		}
		require.Greater(t, len(j.layout.Splits), 3)
		for i := range j.layout.Splits {
			require.NoError(t, run(cluster.MapKind, i, 1))
			require.NoError(t, run(cluster.MapKind, i, 2))
		}
		if j.layout.Reduces > 0 {
			lost, full := mapFile(2), j.tasks.fullName(mapFile(2))
			all, err := j.tasks.read(lost)
			require.NoError(t, err)
			require.NoError(t, j.tasks.write(lost, all[:100]))
			require.ErrorIs(t, run(cluster.ReduceKind, 0, 0), errFrames)
			require.NoError(t, os.Remove(strings.Replace(full, url, store.Root, 1)))
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
		var c counter.Set
		require.NoError(t, j.commit(p, &c))
		require.NoError(t, p.CommitJob())
		require.Equal(t, want, filesIn(t, filepath.Join(store.Root, "out")))
		require.Equal(t, local.Get(counter.MapInputRecords), c.Get(counter.MapInputRecords))
	}
}

// A job's results are the first successful attempt of each task. A task without one is an error.
func TestResults(t *testing.T) {
	in := folder{dir: t.TempDir()}
	j := &job{layout: cluster.Layout{Splits: make([]cluster.Split, 1), Reduces: 2}, notes: &ledger{in: in, known: map[string]readNote{}}}
	add := func(n note, text string) {
		n.Error, n.Host = text, "host"
		b, err := json.Marshal(n)
		require.NoError(t, err)
		require.NoError(t, in.write(n.ID.String(), b))
	}
	m, r0, r1 := mr.AttemptID{}, mr.AttemptID{Kind: cluster.ReduceKind}, mr.AttemptID{Kind: cluster.ReduceKind, Index: 1, Try: 4}
	won := func(id mr.AttemptID) note { return note{ID: id, Counters: new(counter.Set)} }
	missing := func(want string) {
		t.Helper()
		_, err := j.results()
		require.ErrorContains(t, err, "has not said of each of "+want+" how it ended")
	}
	missing("1 maps")
	add(won(m), "")
	add(note{ID: r0}, "")
	add(note{ID: mr.AttemptID{Kind: cluster.ReduceKind, Index: 1}}, "no luck")
	missing("2 reduces")
	add(won(r0), "")
	add(won(r1), "")
	add(won(mr.AttemptID{Kind: cluster.ReduceKind, Index: 1, Try: 9}), "")
	list, err := j.results()
	require.NoError(t, err)
	require.Len(t, list, 3)
	for i, id := range []mr.AttemptID{m, r0, r1} {
		require.Equal(t, id, list[i].ID)
	}
	require.NoError(t, in.write("m-00001-0", []byte("{")))
	_, err = j.notes.read()
	require.ErrorContains(t, err, "m-00001-0: ")
}
