package mapreduce

import (
	"iter"

	"github.com/tarry-mr/tarry/mapreduce/internal/scan"
)

// Fields yields the words of text, which are separated by ASCII white space (space, tab, line feed,
// vertical tab, form feed, carriage return). Words alias text. It scans eight bytes at a time.
func Fields(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) { scan.Fields(text, yield) }
}

// FieldStrings is [Fields] for a string, such as a record of [LineStrings]: words are substrings,
// not copies.
func FieldStrings(text string) iter.Seq[string] {
	return func(yield func(string) bool) { scan.FieldStrings(text, yield) }
}
