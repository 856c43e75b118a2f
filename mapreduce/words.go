package mapreduce

import (
	"iter"

	"github.com/tarry-mr/tarry/mapreduce/internal/scan"
)

// Fields yields the words of text: what stands between ASCII white space (space,
// tab, line feed, vertical tab, form feed, carriage return). Words alias text.
// It finds them eight bytes at a time.
func Fields(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) { scan.Fields(text, yield) }
}

// EachLine yields the lines of text, such as a record of [Chunks], without their
// line feeds. Lines alias text.
func EachLine(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) { scan.Lines(text, yield) }
}

// CountLines returns the number of lines that EachLine yields.
func CountLines(text []byte) int64 { return scan.CountLines(text) }
