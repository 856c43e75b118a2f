package jobs

import "github.com/tarry-mr/tarry/mapreduce"

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
		Sum: true,
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
	job.Map = nil
	job.MapTask = func(*mapreduce.Task) (mapreduce.Mapper[[]byte, []byte, int64], error) {
		s := newSpeller(o)
		return mapreduce.Mapper[[]byte, []byte, int64]{
			Map: func(text []byte, emit func([]byte, int64)) error {
				s.words(text, func(word []byte) { emit(word, 1) })
				return nil
			},
		}, nil
	}
	return job
}
