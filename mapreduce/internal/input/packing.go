package input

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
	"github.com/ulikunitz/xz/lzma"

	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// Packing is the compression of an input file, by its extension.
type Packing uint8

const (
	notPacked Packing = iota
	gzipped
	zstandard
	s2Packed
	bzip2ed
	xzPacked
)

// packedFormat is a compression with its extension and the bytes with which files may begin.
type packedFormat struct {
	ext   string
	kind  Packing
	magic []string
}

var packedFormats = [...]packedFormat{
	{".gz", gzipped, []string{"\x1f\x8b"}},
	{".zst", zstandard, []string{"\x28\xb5\x2f\xfd"}},
	{".s2", s2Packed, []string{"\xff\x06\x00\x00S2sTwO", "\xff\x06\x00\x00sNaPpY"}},
	{".bz2", bzip2ed, []string{"BZh"}},
	{".xz", xzPacked, []string{"\xfd7zXZ\x00"}},
}

func packingOf(name string) Packing {
	for _, p := range packedFormats {
		if strings.EqualFold(path.Ext(name), p.ext) {
			return p.kind
		}
	}
	return notPacked
}

// checkMagic rejects a file whose extension promises a compression that its first bytes deny. An
// empty file is accepted as empty.
func checkMagic(s Source) error {
	for _, p := range packedFormats {
		if p.kind != s.packed {
			continue
		}
		head := make([]byte, 10)
		n, err := s.Data.ReadAt(head, 0)
		switch {
		case err != nil && !errors.Is(err, io.EOF):
			return err
		case n > 0 && !p.begins(string(head[:n])):
			return fmt.Errorf("%s: named %s but does not begin with its signature: %w", s.name, p.ext, fault.ErrCorruptInput)
		}
	}
	return nil
}

// begins reports whether a file of this format may begin with head. A zstd file written by several
// processors in parallel begins with a skippable frame.
func (p packedFormat) begins(head string) bool {
	if p.kind == zstandard && len(head) >= 4 && head[0]&0xf0 == 0x50 && head[1:4] == "\x2a\x4d\x18" {
		return true
	}
	return slices.ContainsFunc(p.magic, func(m string) bool { return strings.HasPrefix(head, m) })
}

// largestWindow is the maximum window in bytes of a zstd or xz stream that is accepted, since
// readers hold it in memory: zstd's own default limit, and twice what xz -9 uses.
const largestWindow = 128 << 20

// unpack returns the decompressed stream of r. Closing it does not close r.
func unpack(kind Packing, r io.Reader) (io.ReadCloser, error) {
	switch kind {
	case gzipped:
		return gzip.NewReader(r)
	case zstandard:
		d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(largestWindow))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	case s2Packed:
		raw := counted{io.NopCloser(r), new(atomic.Int64)}
		return io.NopCloser(&s2Stream{s2.NewReader(raw), raw.n}), nil
	case bzip2ed:
		return io.NopCloser(bzip2.NewReader(r)), nil
	case xzPacked:
		raw := &tailReader{r: r}
		ahead := bufio.NewReader(raw)
		if n := xzWindow(ahead); n > largestWindow {
			return nil, fmt.Errorf("a window of %d bytes, of which at most %d are read", n, largestWindow)
		}
		x, err := xz.NewReader(ahead)
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return io.NopCloser(&xzStream{x, raw}), err
	default:
		return io.NopCloser(r), nil
	}
}

// xzWindow returns the window of an xz stream's first block in bytes, or 0 if unknown.
func xzWindow(r *bufio.Reader) int64 {
	const streamHeader, lzma2 = 12, 0x21
	b, _ := r.Peek(streamHeader + 64) // the decompressor reports damage
	if len(b) < streamHeader+2 {
		return 0
	}
	flags := b[streamHeader+1]
	b = b[streamHeader+2:]
	for _, size := range []byte{0x40, 0x80} { // optional sizes of the block, compressed and not
		if flags&size != 0 {
			_, n := binary.Uvarint(b)
			b = b[max(n, 0):]
		}
	}
	if len(b) < 3 || b[0] != lzma2 || b[1] != 1 {
		return 0
	}
	n, _ := lzma.DecodeDictCap(b[2])
	return n
}

// xzStream reads an xz stream; it rejects one that ends after a header, which package xz accepts.
type xzStream struct {
	*xz.Reader
	raw *tailReader
}

// Read implements io.Reader.
func (s *xzStream) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err == io.EOF && string(s.raw.tail) != "YZ" { //nolint:errorlint // as Read gave it
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// tailReader keeps the last two bytes read in tail; they are "YZ" at the end of a whole xz stream.
// It ignores zeros, since padding may follow a stream.
type tailReader struct {
	r    io.Reader
	tail []byte
}

// Read implements io.Reader.
func (e *tailReader) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	if text := bytes.TrimRight(p[:n], "\x00"); len(text) > 0 {
		e.tail = append(e.tail, text[max(0, len(text)-2):]...)
		e.tail = append([]byte(nil), e.tail[max(0, len(e.tail)-2):]...)
	}
	return n, err
}

// s2Header is the length in bytes of the start of an s2 stream.
const s2Header = 10

// s2Stream reads an s2 stream. It rejects one that consists of a header only, which no writer
// produces. An s2 stream has no end mark, so one that was cut between two blocks is read as a
// shorter one.
type s2Stream struct {
	*s2.Reader
	read *atomic.Int64 // bytes of the stream
}

// Read implements io.Reader.
func (s *s2Stream) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if n == 0 && err == io.EOF && s.read.Load() > 0 && s.read.Load() <= s2Header { //nolint:errorlint // as Read gave it
		err = io.ErrUnexpectedEOF
	}
	return n, err
}
