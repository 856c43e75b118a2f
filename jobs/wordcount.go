package jobs

import (
	"iter"

	"github.com/tarry-mr/tarry/mapreduce"
)

// Count is a text and how often it occurs. Its output line is text, tab, number.
type Count = mapreduce.Pair[[]byte, int64]

// WordCount counts words: the texts between ASCII white space (space, tab, line feed, vertical tab,
// form feed, carriage return), with exactly the result of `tr -s '[:space:]' '\n' | LC_ALL=C sort |
// uniq -c`. Its input is Chunks or Lines.
func WordCount() mapreduce.Job[[]byte, []byte, int64, Count] {
	return mapreduce.Job[[]byte, []byte, int64, Count]{
		Name: "wordcount",
		Map: func(text []byte, emit func([]byte, int64)) error {
			for word := range mapreduce.Fields(text) {
				emit(word, 1)
			}
			return nil
		},
		Sum:        true,
		ReduceTask: total[[]byte],
	}
}

// WordCountOptions define what WordCountBy counts as a word. The zero value is that of WordCount.
type WordCountOptions struct {
	// Fold counts words that differ only in case as one, in lower case: those that are equal under
	// Unicode's simple case folding, as in [strings.EqualFold].
	Fold bool
	// Words counts runs of letters, marks and decimal digits (Unicode's L, M and Nd) as words.
	// Everything else separates them: punctuation, symbols, invalid UTF-8 bytes.
	Words bool
}

// WordCountBy is WordCount with another definition of words. Its input is Chunks or Lines.
func WordCountBy(o WordCountOptions) mapreduce.Job[[]byte, []byte, int64, Count] {
	job := WordCount()
	if o == (WordCountOptions{}) {
		return job
	}
	count := job.Map
	job.Map = nil
	job.MapTask = func(*mapreduce.Task) (mapreduce.Mapper[[]byte, []byte, int64], error) {
		spelled := newSpeller(o)
		return mapreduce.Mapper[[]byte, []byte, int64]{
			Map: func(text []byte, emit func([]byte, int64)) (err error) {
				spelled.pieces(text, func(piece []byte) { err = count(piece, emit) })
				return err
			},
		}, nil
	}
	return job
}

// total returns the reduce that writes each key with the sum of its numbers. It allocates nothing:
// one adder serves all keys.
func total[K any](*mapreduce.Task) (mapreduce.Reducer[K, int64, mapreduce.Pair[K, int64]], error) { //nolint:unparam // as ReduceTask is
	var sum int64
	add := func(n int64) bool {
		sum += n
		return true
	}
	return mapreduce.Reducer[K, int64, mapreduce.Pair[K, int64]]{
		Reduce: func(key K, numbers iter.Seq[int64], emit func(mapreduce.Pair[K, int64])) error {
			sum = 0
			numbers(add)
			emit(mapreduce.MakePair(key, sum))
			return nil
		},
	}, nil
}
