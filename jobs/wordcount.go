package jobs

import (
	"iter"

	"github.com/tarry-mr/tarry/mapreduce"
)

// Count is a text and how often it was found; as a line of output it is text, tab, number.
type Count = mapreduce.Pair[[]byte, int64]

// WordCount counts words: what stands between ASCII white space (space, tab, line feed, vertical tab, form feed, carriage
// return), byte for byte as `tr -s '[:space:]' '\n' | LC_ALL=C sort | uniq -c` does. Its input is Chunks or Lines.
func WordCount() mapreduce.Job[[]byte, []byte, int64, Count] {
	return mapreduce.Job[[]byte, []byte, int64, Count]{
		Name: "wordcount",
		Map: func(text []byte, emit func([]byte, int64)) error {
			for i := 0; i < len(text); {
				if space(text[i]) {
					i++
					continue
				}
				start := i
				for i < len(text) && !space(text[i]) {
					i++
				}
				emit(text[start:i:i], 1)
			}
			return nil
		},
		Combine: add,
		Reduce:  total,
	}
}

// space reports whether b is ASCII white space.
func space(b byte) bool { return b == ' ' || b-'\t' < 5 }

// add is the combiner of counts.
func add(a, b int64) int64 { return a + b }

// total is the reduce of counts.
func total(text []byte, counts iter.Seq[int64], emit func(Count)) error {
	var n int64
	for c := range counts {
		n += c
	}
	emit(mapreduce.MakePair(text, n))
	return nil
}
