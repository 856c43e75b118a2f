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

// A job reads from files the records that another job wrote, in each format and compression.
func TestFilesReadBack(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(6, 6))
	list := make([][]byte, 500)
	for i := range list {
		list[i] = bytes.ReplaceAll(text(r, edges[i%len(edges)]), []byte{0}, []byte("\"x"))
	}
	want := make([]string, len(list))
	for i, b := range list {
		want[i] = string(b)
	}
	for _, pack := range []mapreduce.Compression{mapreduce.NoCompression, mapreduce.Gzip, mapreduce.Zstd} {
		onCluster(t, actors.Config{BlockSize: 300, Nodes: 2}, func(t *testing.T, c *actors.Cluster) {
			dir := filepath.Join(t.TempDir(), "out")
			p, err := mapreduce.Each(func(b []byte) summary { return summary{int64(len(b)), string(b), b, []string{string(b), ""}} }).
				Bind(mapreduce.Slice(list), mapreduce.Typed[summary](mapreduce.Dir(dir).Compressed(pack)))
			require.NoError(t, err)
			_, err = runPlan(c, p, false)
			require.NoError(t, err)
			files, err := mapreduce.Files(dir)
			require.NoError(t, err)
			got, err := actors.Collect(t.Context(), c, mapreduce.Each(func(s summary) string {
				return fmt.Sprintf("%d %q %q %q", s.N, s.Text, s.Raw, s.Tags)
			}).On(mapreduce.ReadTyped[summary](files...)))
			require.NoError(t, err)
			for i, w := range want {
				require.Equal(t, fmt.Sprintf("%d %q %q %q", len(w), w, w, []string{w, ""}), got[i])
			}
			require.Len(t, got, len(want))
		})
	}
}
