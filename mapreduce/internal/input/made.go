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

// Unit is a dfs.Source without bytes, for an input whose records a function of the user makes: one
// map makes those of one Unit.
type Unit struct {
	Made
	Index int // number among the units of the input
}
