package dfs

import (
	"bytes"
	"crypto/rand"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// sumsOf returns the Sums of b, written in pieces of this size.
func sumsOf(t require.TestingT, b []byte, piece int) *Sums {
	s := new(Sums)
	for at := 0; at < len(b); at += piece {
		n, err := s.Write(b[at:min(at+piece, len(b))])
		require.NoError(t, err)
		require.Equal(t, min(piece, len(b)-at), n)
	}
	return s
}

// Reads through Checked return the content, in whatever pieces it was written: Sums are the same
// for all of them.
func TestCheckedReadsWhatWasWritten(t *testing.T) {
	whole := make([]byte, 3*sumChunk+77)
	_, _ = rand.Read(whole) // it never fails
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom([]int{0, 1, 77, sumChunk - 1, sumChunk, sumChunk + 1, 2 * sumChunk, len(whole)}).Draw(t, "size")
		data := whole[:size]
		sums := sumsOf(t, data, rapid.SampledFrom([]int{1000, sumChunk, sumChunk + 1, len(whole)}).Draw(t, "piece"))
		require.Equal(t, sumsOf(t, data, 1<<20), sums)
		src, err := Checked(Bytes("x", data), sums)
		require.NoError(t, err)
		off := rapid.Int64Range(0, int64(size)).Draw(t, "off")
		b := make([]byte, rapid.IntRange(0, len(whole)+1).Draw(t, "n"))
		n, err := src.ReadAt(b, off)
		want, wantErr := bytes.NewReader(data).ReadAt(make([]byte, len(b)), off)
		require.Equal(t, want, n)
		if len(b) > 0 {
			require.Equal(t, wantErr, err)
		}
		require.Equal(t, data[off:off+int64(n)], b[:n])
		view, release := viewOf(t, src, off, n)
		require.Equal(t, data[off:off+int64(n)], view)
		release()
	})
	_, err := Checked(Bytes("x", whole), &Sums{Size: int64(len(whole)), CRCs: []byte{1}})
	require.EqualError(t, err, "dfs: x: 1 bytes of checksums for 196685 bytes, want 16")
}

// A read that covers a changed bit returns an error that names the file. So does a read of a
// content that is too short or too long.
func TestCheckedFindsDamage(t *testing.T) {
	good := bytes.Repeat([]byte("text "), sumChunk/2)
	sums := sumsOf(t, good, 1000)
	read := func(data []byte, off, n int64) error {
		src, err := Checked(Bytes("state/in.txt", data), sums)
		require.NoError(t, err)
		_, err = io.ReadFull(io.NewSectionReader(src, off, n), make([]byte, n))
		return err
	}
	flipped := bytes.Clone(good)
	flipped[sumChunk+5] ^= 1
	require.NoError(t, read(flipped, 0, sumChunk))
	require.EqualError(t, read(flipped, sumChunk, 1), "dfs: checksum mismatch: state/in.txt: bytes 65536 to 131071 are not those that were written")
	for _, data := range [][]byte{flipped, good[:len(good)-1], good[:1], nil, append(bytes.Clone(good), 'x')} {
		err := read(data, 0, int64(len(good)))
		require.ErrorIs(t, err, ErrCorrupt)
		require.ErrorContains(t, err, "state/in.txt: ")
	}
	for at := range sumChunk / 8 { // each bit of the chunk's first bytes, then one bit per byte
		flipped := bytes.Clone(good)
		flipped[at*8] ^= 1 << (at % 8)
		require.ErrorIs(t, read(flipped, int64(at*8), 1), ErrCorrupt)
	}
}
