//go:build !race

package differential

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/mapreduce"
)

// A job reads the records that another job wrote, from files in each compression and from a
// dataset. Their last field has no size, but an encoding.
func TestFilesReadBack(t *testing.T) {
	t.Parallel()
	type record = mapreduce.Pair[summary, tagged]
	r := rand.New(rand.NewPCG(6, 6))
	var list []record
	var want []string
	show := func(s record) string {
		return fmt.Sprintf("%d %q %q %q %q", s.First.N, s.First.Text, s.First.Raw, s.First.Tags, s.Second.Text)
	}
	for i := range 500 {
		b := bytes.ReplaceAll(text(r, edges[i%len(edges)]), []byte{0}, []byte("\"x"))
		list = append(list, mapreduce.MakePair(summary{int64(i), string(b), b, []string{string(b), ""}}, tagged{Text: string(b)}))
		want = append(want, show(list[i]))
	}
	same, shown := mapreduce.Each(func(s record) record { return s }), mapreduce.Each(show)
	for _, pack := range []mapreduce.Compression{mapreduce.NoCompression, mapreduce.Gzip, mapreduce.Zstd} {
		onCluster(t, actors.Config{BlockSize: 300, Nodes: 2}, func(t *testing.T, c *actors.Cluster) {
			dir := filepath.Join(t.TempDir(), "out")
			p, err := same.Bind(mapreduce.Slice(list), mapreduce.Typed[record](mapreduce.Dir(dir).Compressed(pack)))
			require.NoError(t, err)
			_, err = runPlan(c, p, false)
			require.NoError(t, err)
			files, err := mapreduce.Files(dir)
			require.NoError(t, err)
			got, err := actors.Collect(t.Context(), c, shown.On(mapreduce.ReadTyped[record](files...)))
			require.NoError(t, err)
			require.Equal(t, want, got)
			kept, err := actors.Keep(t.Context(), c, same.On(mapreduce.Slice(list)))
			require.NoError(t, err)
			got, err = actors.Collect(t.Context(), c, shown.On(kept.Input()))
			require.NoError(t, err)
			require.Equal(t, want, got)
		})
	}
}
