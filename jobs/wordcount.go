package jobs

import (
	"iter"

	"github.com/tarry-mr/tarry/mapreduce"
)

// Count is a text and how often it was found; as a line of output it is text, tab, number.
type Count = mapreduce.Pair[[]byte, int64]

// WordCount counts words: what stands between ASCII white space (space, tab, line feed, vertical
// tab, form feed, carriage return), byte for byte as `tr -s '[:space:]' '\n' | LC_ALL=C sort | uniq
// -c` does. Its input is Chunks or Lines.
func WordCount() mapreduce.Job[[]byte, []byte, int64, Count] {
	return mapreduce.Job[[]byte, []byte, int64, Count]{
		Name: "wordcount",
		MapTask: func(*mapreduce.Task) (mapreduce.Mapper[[]byte, []byte, int64], error) {
			return mapreduce.Mapper[[]byte, []byte, int64]{
				MapWords: func(text []byte, words func([]byte, int64)) error {
					words(text, 1)
					return nil
				},
			}, nil
		},
		Sum:    true,
		Reduce: total,
	}
}

// total is the reduce of counts.
func total(text []byte, counts iter.Seq[int64], emit func(Count)) error {
	var n int64
	for c := range counts {
		n += c
	}
	emit(mapreduce.MakePair(text, n))
	return nil
}
