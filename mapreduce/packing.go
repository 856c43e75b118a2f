package mapreduce

import (
	"compress/bzip2"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// packing is how a file is compressed.
type packing uint8

const (
	notPacked packing = iota
	gzipped
	zstandard
	s2Packed
	bzip2ed
)

// packedFormat is a compression by its extension and possible first bytes.
type packedFormat struct {
	ext   string
	kind  packing
	magic []string
}

var packedFormats = [...]packedFormat{
	{".gz", gzipped, []string{"\x1f\x8b"}},
	{".zst", zstandard, []string{"\x28\xb5\x2f\xfd"}},
	{".s2", s2Packed, []string{"\xff\x06\x00\x00S2sTwO", "\xff\x06\x00\x00sNaPpY"}},
	{".bz2", bzip2ed, []string{"BZh"}},
}

func packingOf(name string) packing {
	for _, p := range packedFormats {
		if path.Ext(name) == p.ext {
			return p.kind
		}
	}
	return notPacked
}

// checkMagic refuses a file whose extension promises a compression that its
// first bytes deny. An empty file is accepted as empty.
func checkMagic(s Source) error {
	for _, p := range packedFormats {
		if p.kind != s.packed {
			continue
		}
		head := make([]byte, 10)
		n, err := s.Data.ReadAt(head, 0)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if n > 0 && !slices.ContainsFunc(p.magic, func(m string) bool { return strings.HasPrefix(string(head[:n]), m) }) {
			return fmt.Errorf("%s: named %s but does not begin with its signature: %w", s.name, p.ext, ErrCorruptInput)
		}
	}
	return nil
}

// unpack returns the decompressed stream of r; closing it does not close r.
func unpack(kind packing, r io.Reader) (io.ReadCloser, error) {
	switch kind {
	case gzipped:
		return gzip.NewReader(r)
	case zstandard:
		d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	case s2Packed:
		return io.NopCloser(s2.NewReader(r)), nil
	case bzip2ed:
		return io.NopCloser(bzip2.NewReader(r)), nil
	default:
		return io.NopCloser(r), nil
	}
}
