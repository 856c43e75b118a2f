package output

import (
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// Compression says how output parts are compressed.
type Compression uint8

// The compressions of output.
const (
	NoCompression Compression = iota
	Gzip
	Zstd
	S2
)

var compressionNames = [...]string{"none", "gzip", "zstd", "s2"}

// String returns the name that UnmarshalText accepts.
func (c Compression) String() string { return compressionNames[c] }

// Extension returns the file name extension, with its dot.
func (c Compression) Extension() string { return [...]string{"", ".gz", ".zst", ".s2"}[c] }

// UnmarshalText sets c to the compression called none, gzip, zstd or s2.
func (c *Compression) UnmarshalText(name []byte) error {
	i := slices.Index(compressionNames[:], string(name))
	if i < 0 {
		return fmt.Errorf("unknown compression %q: want none, gzip, zstd or s2", name)
	}
	*c = Compression(i)
	return nil
}

// Compress returns a writer that compresses to w, which its Close does not close.
func Compress(w io.Writer, c Compression) (io.WriteCloser, error) {
	switch c {
	case Gzip:
		return gzip.NewWriter(w), nil
	case Zstd:
		return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(zstdWindow),
			zstd.WithLowerEncoderMem(true))
	case S2:
		return s2.NewWriter(w, s2.WriterConcurrency(1), s2.WriterBlockSize(s2Block)), nil
	case NoCompression:
	}
	return nopCloser{w}, nil
}

// Each writing attempt's encoder counts toward the memory budget. With zstd's usual window of 8 MiB
// it takes 18 MiB, with one of 1 MiB 3 MiB.
const (
	zstdWindow = 1 << 20
	s2Block    = 256 << 10
)

// memory returns the bytes to charge for one encoder: twice its size, since it is on the Go heap.
func (c Compression) memory() int64 {
	return [...]int64{0, 2 << 20, 6 << 20, 1 << 20}[c]
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
