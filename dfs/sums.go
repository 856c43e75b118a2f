package dfs

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"sync"
)

// Sums are the length and checksums of a content, to be stored with it. Sums is an [io.Writer] that
// adds the content written to it, in order; the zero value is that of an empty content. One
// goroutine at a time may use it.
type Sums struct {
	Size int64  // in bytes
	CRCs []byte // a CRC-32C for each 64 KiB, 4 bytes each, little-endian; the last chunk may be shorter
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Write implements io.Writer. It never fails.
func (s *Sums) Write(b []byte) (int, error) {
	n := len(b)
	for len(b) > 0 {
		within := int(s.Size % sumChunk)
		part := b[:min(len(b), sumChunk-within)]
		sum := uint32(0)
		if within == 0 {
			s.CRCs = append(s.CRCs, 0, 0, 0, 0)
		} else {
			sum = s.crc(s.Size / sumChunk)
		}
		binary.LittleEndian.PutUint32(s.CRCs[len(s.CRCs)-4:], crc32.Update(sum, castagnoli, part))
		s.Size += int64(len(part))
		b = b[len(part):]
	}
	return n, nil
}

// crc returns the stored checksum of one chunk; chunks are numbered from 0.
func (s *Sums) crc(chunk int64) uint32 { return binary.LittleEndian.Uint32(s.CRCs[chunk*4:]) }

// Checked returns a Source with src's content that verifies each read against sums. Different bytes
// or another length are an error that wraps [ErrCorrupt] and names src. Views are copies. Close
// closes src. Checked returns an error if sums has too many or too few checksums for its Size.
func Checked(src Source, sums *Sums) (Source, error) {
	if want := (sums.Size + sumChunk - 1) / sumChunk * 4; sums.Size < 0 || int64(len(sums.CRCs)) != want {
		return nil, fmt.Errorf("dfs: %s: %d bytes of checksums for %d bytes, want %d", src.Name(), len(sums.CRCs), sums.Size, want)
	}
	return &checked{src, sums}, nil
}

type checked struct {
	src  Source
	sums *Sums
}

func (c *checked) Name() string { return c.src.Name() }
func (c *checked) Size() int64  { return c.sums.Size }
func (c *checked) Close() error { return c.src.Close() }

// View implements Source and always copies.
func (c *checked) View(off int64, n int) ([]byte, func(), error) {
	if err := checkRange(c.Name(), c.Size(), off, n); err != nil {
		return nil, nil, err
	}
	b := make([]byte, n)
	if _, err := c.ReadAt(b, off); err != nil {
		return nil, nil, err
	}
	return b, func() {}, nil
}

var chunks = sync.Pool{New: func() any { return new([sumChunk]byte) }}

// ReadAt implements Source. To verify p, it also reads the rest of the first and last chunk.
func (c *checked) ReadAt(p []byte, off int64) (n int, err error) {
	switch {
	case off < 0:
		return 0, fmt.Errorf("dfs: %s: negative offset %d", c.Name(), off)
	case off > c.Size(), off == c.Size() && len(p) > 0:
		return 0, io.EOF
	}
	want := p[:min(int64(len(p)), c.Size()-off)]
	for n < len(want) {
		at := off + int64(n)
		within := at % sumChunk
		left := c.Size() - at + within // bytes of the file from the start of the chunk
		rest := want[n:]
		if full := min(int64(len(rest))/sumChunk*sumChunk, left); within == 0 && full > 0 {
			if err := c.read(rest[:full], at); err != nil {
				return n, err
			}
			n += int(full)
			continue
		}
		scratch := chunks.Get().(*[sumChunk]byte)
		chunk := scratch[:min(sumChunk, left)]
		err := c.read(chunk, at-within)
		if err == nil {
			n += copy(rest, chunk[within:])
		}
		chunks.Put(scratch)
		if err != nil {
			return n, err
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// read reads whole chunks into b and verifies them; the last one of the file may be shorter.
func (c *checked) read(b []byte, off int64) error {
	n, err := c.src.ReadAt(b, off)
	if n < len(b) {
		if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return fmt.Errorf("%w: %s: %d bytes, want %d", ErrCorrupt, c.Name(), c.src.Size(), c.Size())
		}
		return err
	}
	for chunk := range slices.Chunk(b, sumChunk) {
		if crc32.Checksum(chunk, castagnoli) != c.sums.crc(off/sumChunk) {
			return fmt.Errorf("%w: %s: bytes %d to %d are not those that were written", ErrCorrupt, c.Name(), off, off+int64(len(chunk))-1)
		}
		off += int64(len(chunk))
	}
	if c.src.Size() != c.Size() {
		return fmt.Errorf("%w: %s: %d bytes, want %d", ErrCorrupt, c.Name(), c.src.Size(), c.Size())
	}
	return nil
}
