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

// FieldStrings is [Fields] for a string, such as a record of [LineStrings]: its words are strings
// without a copy.
func FieldStrings(text string) iter.Seq[string] {
	return func(yield func(string) bool) { scan.FieldStrings(text, yield) }
}
