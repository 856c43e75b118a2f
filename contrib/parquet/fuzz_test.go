package parquet

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce"
)

// For arbitrary bytes as a file, Read returns rows or an error. A panic of the Parquet library must
// become an error, too.
func FuzzRead(f *testing.F) {
	dir := written(f, []narrow{{Name: "a"}, {Name: "b", N: 3}})
	whole, err := os.ReadFile(filepath.Join(dir, "part-m-00000.parquet"))
	require.NoError(f, err)
	f.Add(whole)
	f.Add(whole[4:])
	f.Add([]byte("PAR1PAR1"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 4000 {
			return
		}
		var rows []narrow
		p, err := pass[narrow]().Bind(Read[narrow](mapreduce.Bytes("f.parquet", data)), kept(&rows))
		if err == nil {
			_, err = mapreduce.RunLocal(t.Context(), p, mapreduce.LocalOptions{})
		}
		if err != nil {
			require.NotEmpty(t, err.Error())
		}
	})
}
