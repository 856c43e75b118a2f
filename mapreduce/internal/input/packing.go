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

// packing is a compression of input files.
type packing struct {
	ext   string   // of the names of files
	magic []string // the bytes with which they may begin
	// open returns the decompressed stream of r. Closing it does not close r.
	open func(r io.Reader) (io.ReadCloser, error)
}

// largestWindow is the maximum window in bytes of a zstd or xz stream that is accepted, since
// readers hold it in memory: zstd's own default limit, and twice what xz -9 uses.
const largestWindow = 128 << 20

var packings = []*packing{
	{".gz", []string{"\x1f\x8b"}, func(r io.Reader) (io.ReadCloser, error) { return gzip.NewReader(r) }},
	{".zst", zstdMagic(), openZstd},
	{".s2", []string{"\xff\x06\x00\x00S2sTwO", "\xff\x06\x00\x00sNaPpY"}, openS2},
	{".bz2", []string{"BZh"}, func(r io.Reader) (io.ReadCloser, error) { return io.NopCloser(bzip2.NewReader(r)), nil }},
	{".xz", []string{"\xfd7zXZ\x00"}, openXZ},
}

// packingOf returns the compression of a file by its name; nil if it has none.
func packingOf(name string) *packing {
	i := slices.IndexFunc(packings, func(p *packing) bool { return strings.EqualFold(path.Ext(name), p.ext) })
	if i < 0 {
		return nil
	}
	return packings[i]
}

// checkMagic rejects a file whose extension promises a compression that its first bytes deny. An
// empty file is accepted as empty.
func checkMagic(s Source) error {
	if s.packed == nil {
		return nil
	}
	head := make([]byte, 10)
	n, err := s.Data.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if n > 0 && !slices.ContainsFunc(s.packed.magic, func(m string) bool { return strings.HasPrefix(string(head[:n]), m) }) {
		return fmt.Errorf("%s: named %s but does not begin with its signature: %w", s.name, s.packed.ext, fault.ErrCorruptInput)
	}
	return nil
}

// zstdMagic returns the beginnings of zstd files: of a frame, or of a skippable one, with which
// files begin that several processors have written in parallel.
func zstdMagic() []string {
	list := []string{"\x28\xb5\x2f\xfd"}
	for kind := range byte(16) {
		list = append(list, string([]byte{0x50 | kind, 0x2a, 0x4d, 0x18}))
	}
	return list
}

func openZstd(r io.Reader) (io.ReadCloser, error) {
	d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(largestWindow))
	if err != nil {
		return nil, err
	}
	return d.IOReadCloser(), nil
}

// openS2 rejects a stream that consists of a header only, which no writer produces. An s2 stream
// has no end mark, so one that was cut between two blocks is read as a shorter one.
func openS2(r io.Reader) (io.ReadCloser, error) {
	const header = 10
	raw := counted{io.NopCloser(r), new(atomic.Int64)}
	whole := func() bool { n := raw.n.Load(); return n == 0 || n > header }
	return io.NopCloser(wholeStream{s2.NewReader(raw), whole}), nil
}

func openXZ(r io.Reader) (io.ReadCloser, error) {
	raw := &tailReader{r: r}
	ahead := bufio.NewReader(raw)
	if n := xzWindow(ahead); n > largestWindow {
		return nil, fmt.Errorf("a window of %d bytes, of which at most %d are read", n, largestWindow)
	}
	x, err := xz.NewReader(ahead)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	// Package xz accepts a stream that ends after a header.
	return io.NopCloser(wholeStream{x, func() bool { return string(raw.tail) == "YZ" }}), err
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

// wholeStream reads a stream; it rejects one that ends before whole reports that it is whole.
type wholeStream struct {
	io.Reader
	whole func() bool
}

// Read implements io.Reader.
func (s wholeStream) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err == io.EOF && !s.whole() { //nolint:errorlint // as Read gave it
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
