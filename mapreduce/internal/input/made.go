package input

import "errors"

// ErrNoBytes is the error of reading bytes from a source of records that the program makes.
var ErrNoBytes = errors.New("mapreduce: records that the program makes have no bytes")

// Made is the dfs.Source of n records made by the program. Each counts as one byte, so that any
// block size can split them.
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

// Unit is the dfs.Source of one unit of work, whose records the program makes in one map.
type Unit struct {
	Made
	Index int // number among the units of the input
}
