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
// bytes); for each run six numbers of 8 bytes - its size in its spill, records, bytes of keys and
// values, the sizes of its largest block, raw and packed, and the seed of its checksums -; the
// xxhash64 of all that; and the runs as stored in their spills.
const (
	exportMagic = 0x32676573_79726174 // "taryseg2"
	runNumbers  = 6
	exportHead  = 16
	runHead     = 8 * runNumbers
)

// ErrNotStored is the error of Export if part of the segment is in memory.
var ErrNotStored = errors.New("segment: exported from memory, without Config.Stored")

func exportSize(runs int) int64 { return exportHead + int64(runs)*runHead + 8 }

// Export writes the segment in a form that an [Import] elsewhere can read. The whole segment must
// be in spills. Blocks are copied unchanged; the importer verifies them.
func (s *Segment) Export(w io.Writer) error {
	if s.memory != nil {
		return ErrNotStored
	}
	runs := slices.Collect(s.runs())
	head := binary.LittleEndian.AppendUint64(nil, exportMagic)
	head = binary.LittleEndian.AppendUint64(head, uint64(len(runs)))
	for _, r := range runs {
		x := r.section
		for _, n := range [runNumbers]int64{x.size, x.records, x.bytes, int64(x.raw), int64(x.packed), int64(x.seed)} {
			head = binary.LittleEndian.AppendUint64(head, uint64(n))
		}
	}
	if _, err := w.Write(binary.LittleEndian.AppendUint64(head, xxhash.Sum64(head))); err != nil {
		return err
	}
	for _, r := range runs {
		if _, err := io.Copy(w, io.NewSectionReader(r.spill, r.section.off, r.section.size)); err != nil {
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
	sections := make([]section, 0, len(numbers)/runHead)
	var records, size int64
	for ; len(numbers) > 0; numbers = numbers[runHead:] {
		var v [runNumbers]int64
		for j := range v {
			v[j] = int64(binary.LittleEndian.Uint64(numbers[8*j:]))
		}
		if slices.Min(v[:runNumbers-1]) < 0 || v[1] == 0 || v[1] > math.MaxInt64-records || v[2] > math.MaxInt64-size ||
			v[0] > i.spill.size-at || v[3] > blockSize || v[4] > int64(s2.MaxEncodedLen(blockSize)) {
			return nil, fmt.Errorf("segment: a run of an exported segment has impossible sizes: %w", ErrCorrupt)
		}
		sections = append(sections, section{
			off: at, size: v[0], records: v[1], bytes: v[2], raw: uint32(v[3]), packed: uint32(v[4]), seed: uint64(v[5]),
		})
		at, records, size = at+v[0], records+v[1], size+v[2]
	}
	if more := i.spill.size - at; more != 0 {
		return nil, fmt.Errorf("segment: an exported segment has %d bytes too many: %w", more, ErrCorrupt)
	}
	i.spill.sections = sections
	return ofSections([]*Spill{i.spill}, 0, len(sections)), nil
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
