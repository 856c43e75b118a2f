package segment

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/s2"
)

// An exported segment is, all little-endian: a magic number of 8 bytes; the number of runs (8
// bytes); for each run seven numbers of 8 bytes - its original offset in its spill, its size there,
// records, bytes of keys and values, the sizes of its largest block, raw and packed, and the number
// of its spill -; the xxhash64 of all that; and the runs as stored in their spills. The checksum of
// a block covers its original offset, so an imported run keeps that.
const (
	exportMagic = 0x31676573_79726174 // "taryseg1"
	runNumbers  = 7
	exportHead  = 16
	runHead     = 8 * runNumbers
)

// ErrNotStored is the error of Export if part of the segment is in memory.
var ErrNotStored = errors.New("segment: exported from memory, without Config.Stored")

func exportSize(runs int) int64 { return exportHead + int64(runs)*runHead + 8 }

// Export writes the segment in a form that an [Import] elsewhere can read. The whole segment must
// be in spills. Blocks are copied unchanged; the importer verifies them.
func (s *Segment) Export(w io.Writer) error {
	head := binary.LittleEndian.AppendUint64(nil, exportMagic)
	head = binary.LittleEndian.AppendUint64(head, uint64(len(s.runs)))
	for i := range s.runs {
		if s.runs[i].spill == nil {
			return ErrNotStored
		}
		x := s.runs[i].section
		for _, n := range [runNumbers]int64{x.off + x.shift, x.size, x.records, x.bytes, x.raw, x.packed, int64(x.id)} {
			head = binary.LittleEndian.AppendUint64(head, uint64(n))
		}
	}
	if _, err := w.Write(binary.LittleEndian.AppendUint64(head, xxhash.Sum64(head))); err != nil {
		return err
	}
	for i := range s.runs {
		x := &s.runs[i]
		if _, err := io.Copy(w, io.NewSectionReader(x.spill, x.section.off, x.section.size)); err != nil {
			return fmt.Errorf("segment: exporting a spill: %w", err)
		}
	}
	return nil
}

// Import is the receiving side of Export: it builds a segment from pieces of its bytes, in any
// order. It is not safe for concurrent use.
type Import struct {
	spill  *Spill
	pieces []piece
}

// piece is the range of bytes that one Add has written.
type piece struct{ at, size int64 }

// maxImport limits the size of an exported segment, so that a damaged offset cannot create a file
// of any size.
const maxImport = 1 << 42

// NewImport returns an Import that stores its bytes in files; see [Files.NewSpill].
func NewImport(files *Files) (*Import, error) {
	spill, err := files.NewSpill()
	if err != nil {
		return nil, err
	}
	return &Import{spill: spill}, nil
}

// Add adds a copy of the exported segment's bytes from offset `at` on.
func (i *Import) Add(at int64, b []byte) error {
	if at < 0 || at > maxImport-int64(len(b)) {
		return fmt.Errorf("segment: a piece at byte %d: %w", at, ErrCorrupt)
	}
	i.pieces = append(i.pieces, piece{at, int64(len(b))})
	_, err := i.spill.writeAt(b, at)
	return err
}

// Segment returns the segment once every piece was added; the caller must release it and may then
// only close the import. Errors for missing, duplicate or inconsistent pieces and for a damaged
// head wrap ErrCorrupt; damaged blocks are detected when they are read.
func (i *Import) Segment() (*Segment, error) {
	if err := i.whole(); err != nil {
		return nil, err
	}
	f := i.spill
	var head [exportHead]byte
	if err := i.read(head[:], 0); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(head[8:])
	if binary.LittleEndian.Uint64(head[:]) != exportMagic || n > uint64(f.size)/runHead {
		return nil, fmt.Errorf("segment: not an exported segment: %w", ErrCorrupt)
	}
	all := make([]byte, exportSize(int(n)))
	if err := i.read(all, 0); err != nil {
		return nil, err
	}
	numbers := all[:len(all)-8]
	if xxhash.Sum64(numbers) != binary.LittleEndian.Uint64(all[len(numbers):]) {
		return nil, fmt.Errorf("segment: the head of an exported segment has a wrong checksum: %w", ErrCorrupt)
	}
	return i.segment(numbers[exportHead:], int64(len(all)))
}

// segment builds the segment from the numbers of its runs, whose bytes begin at offset `at`.
func (i *Import) segment(numbers []byte, at int64) (*Segment, error) {
	seg := &Segment{}
	for ; len(numbers) > 0; numbers = numbers[runHead:] {
		var v [runNumbers]int64
		for j := range v {
			v[j] = int64(binary.LittleEndian.Uint64(numbers[8*j:]))
		}
		x := &section{
			off: at, size: v[1], records: v[2], bytes: v[3], raw: v[4], packed: v[5], id: uint64(v[6]), shift: v[0] - at,
		}
		if slices.Min(v[:runNumbers-1]) < 0 || x.records == 0 || x.bytes > math.MaxInt64-seg.bytes ||
			x.records > math.MaxInt64-seg.records || x.size > i.spill.size-at || x.raw > blockSize ||
			x.packed > int64(s2.MaxEncodedLen(blockSize)) {
			seg.Release()
			return nil, fmt.Errorf("segment: a run of an exported segment has impossible sizes: %w", ErrCorrupt)
		}
		seg.add(i.spill.run(x))
		at += x.size
	}
	if more := i.spill.size - at; more != 0 {
		seg.Release()
		return nil, fmt.Errorf("segment: an exported segment has %d bytes too many: %w", more, ErrCorrupt)
	}
	return seg, nil
}

// whole returns an error if the pieces have gaps or overlap.
func (i *Import) whole() error {
	slices.SortFunc(i.pieces, func(a, b piece) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.size, b.size))
	})
	at := int64(0)
	for _, p := range i.pieces {
		switch {
		case p.at > at:
			return fmt.Errorf("segment: bytes %d to %d are missing: %w", at, p.at, ErrCorrupt)
		case p.at < at:
			return fmt.Errorf("segment: bytes from %d came twice: %w", p.at, ErrCorrupt)
		}
		at += p.size
	}
	return nil
}

// read sets p to the bytes at offset off; a missing byte is an error.
func (i *Import) read(p []byte, off int64) error {
	if n, err := i.spill.ReadAt(p, off); n < len(p) {
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return errors.Join(fmt.Errorf("segment: an exported segment is cut short: %w", ErrCorrupt), err)
	}
	return nil
}

// Close releases the import's reference to its spill.
func (i *Import) Close() { i.spill.Release() }
