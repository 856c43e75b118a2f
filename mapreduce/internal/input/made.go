package input

import "errors"

// ErrNoBytes is the error of reading the bytes of a source that has records only.
var ErrNoBytes = errors.New("mapreduce: records that the program makes have no bytes")

// Made is the dfs.Source of so many records that the program makes. One "byte" of it is one record,
// so that any block size cuts it.
type Made int

// Name implements dfs.Source.
func (Made) Name() string { return "slice" }

// Size implements dfs.Source.
func (n Made) Size() int64 { return int64(n) }

// ReadAt implements dfs.Source.
func (Made) ReadAt([]byte, int64) (int, error) { return 0, ErrNoBytes }

// View implements dfs.Source.
func (Made) View(int64, int) ([]byte, func(), error) { return nil, nil, ErrNoBytes }

// Close implements dfs.Source.
func (Made) Close() error { return nil }

// Unit is the dfs.Source of a unit of work, of which the program makes the records.
type Unit struct {
	Made
	Index int // among the units of the input
}
