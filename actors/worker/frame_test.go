package worker

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// hadoopPartition returns the partition that Hadoop's HashPartitioner gives the key, computed as
// Java does.
func hadoopPartition(key []byte, reduces int) int {
	h := int32(1)
	for _, b := range key {
		h = 31*h + int32(int8(b))
	}
	return int(h&0x7fffffff) % reduces
}

// Written frames are read unchanged. Sorting them by key keeps the pieces of a partition in order,
// and Hadoop's partitioner sends each frame to its reduce.
func TestFrames(t *testing.T) {
	// Java: new BytesWritable(new byte[]{(byte) 0xff, 0, 1}).hashCode() == 28831 (31 (31 (31 - 1))
	// + 1)
	require.Equal(t, 28831%1000, hadoopPartition([]byte{0xff, 0, 1}, 1000))
	rapid.Check(t, func(r *rapid.T) {
		reduces := rapid.IntRange(1, 20).Draw(r, "reduces")
		index := rapid.IntRange(0, 1<<30).Draw(r, "map")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 1))
		var buf bytes.Buffer
		f := newFrames(&buf, index, reduces)
		var want [][]byte
		for n := range reduces {
			data := make([]byte, 1+rng.IntN(40))
			if rng.IntN(20) == 0 {
				data = make([]byte, chunkBytes+rng.IntN(2*chunkBytes))
			}
			data[len(data)-1] = byte(n)
			want = append(want, data)
			_, err := f.Write(data)
			require.NoError(r, err)
			require.NoError(r, f.end())
			require.NoError(r, f.w.Flush())
			require.EqualValues(r, buf.Len(), binary.BigEndian.Uint64(f.ends[8*n:]))
		}
		got := make([][]byte, reduces)
		var last []byte
		for all := buf.Bytes(); len(all) > 0; {
			key := all[4 : 4+keyBytes]
			x, err := readFrame(bytes.NewReader(all), nil)
			require.NoError(r, err)
			require.Equal(r, int(x.partition), hadoopPartition(key, reduces))
			require.EqualValues(r, index, x.index)
			require.Negative(r, bytes.Compare(last, key))
			require.EqualValues(r, len(got[x.partition]), int64(x.chunk)*chunkBytes)
			got[x.partition] = append(got[x.partition], x.data...)
			last, all = key, all[4+keyBytes+4+len(x.data):]
		}
		require.Equal(r, want, got)
	})
}

// For arbitrary bytes, readFrame and framesOf return an error and do not panic. readFrame returns
// io.EOF only at the end.
func FuzzFrames(f *testing.F) {
	x := frame{partition: 1, index: 2, data: []byte("abc")}
	good := append(x.appendHead(nil, 4), x.data...)
	f.Add(good)
	f.Add(binary.BigEndian.AppendUint32(bytes.Clone(good), 1<<31))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := bytes.NewReader(b)
		for {
			before := r.Len()
			x, err := readFrame(r, nil)
			if errors.Is(err, io.EOF) && !errors.Is(err, errFrames) {
				require.Zero(t, before)
				break
			}
			if err != nil {
				require.ErrorIs(t, err, errFrames)
				break
			}
			require.LessOrEqual(t, len(x.data), before)
		}
		dir := folder{dir: t.TempDir()}
		require.NoError(t, dir.write(mapFile(2), b))
		if _, err := framesOf(dir, 2, 3, 4); err != nil {
			require.ErrorIs(t, err, errFrames)
		}
	})
}
