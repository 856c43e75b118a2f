package main

import (
	"bytes"
	"iter"

	"github.com/tarry-mr/tarry/internal/bench"
	"github.com/tarry-mr/tarry/mapreduce"
)

// count is a word and how often it was found.
type count = mapreduce.Pair[[]byte, int64]

// words returns the plan of README's program, which counts words as byte slices.
func words(in mapreduce.Source, out mapreduce.Destination) (*mapreduce.Plan, error) {
	job := mapreduce.Job[[]byte, []byte, int64, count]{
		Map: func(line []byte, emit func([]byte, int64)) error {
			for word := range mapreduce.Fields(line) {
				emit(word, 1)
			}
			return nil
		},
		Sum: true,
	}
	return job.Bind(mapreduce.Lines(in), mapreduce.Text[count](out))
}

// stringWords is like words, with strings in place of byte slices.
func stringWords(in mapreduce.Source, out mapreduce.Destination) (*mapreduce.Plan, error) {
	type count = mapreduce.Pair[string, int64]
	job := mapreduce.Job[string, string, int64, count]{
		Map: func(line string, emit func(string, int64)) error {
			for word := range mapreduce.FieldStrings(line) {
				emit(word, 1)
			}
			return nil
		},
		Sum: true,
	}
	return job.Bind(mapreduce.LineStrings(in), mapreduce.Text[count](out))
}

// term is a word and its first letter; tally is a word's number of occurrences and their bytes.
type (
	term struct {
		Initial byte
		Word    []byte
	}
	tally struct{ Count, Bytes int64 }
)

// structWords is like words, with structs as keys and values.
func structWords(in mapreduce.Source, out mapreduce.Destination) (*mapreduce.Plan, error) {
	job := mapreduce.Job[[]byte, term, tally, count]{
		Map: func(line []byte, emit func(term, tally)) error {
			for word := range mapreduce.Fields(line) {
				emit(term{word[0], word}, tally{1, int64(len(word))})
			}
			return nil
		},
		Combine: func(a, b tally) tally { return tally{a.Count + b.Count, a.Bytes + b.Bytes} },
		Reduce: func(t term, tallies iter.Seq[tally], emit func(count)) error {
			var n int64
			for x := range tallies {
				n += x.Count
			}
			emit(mapreduce.MakePair(t.Word, n))
			return nil
		},
	}
	return job.Bind(mapreduce.Lines(in), mapreduce.Text[count](out))
}

// wordCount is like words, with the simplest map: a loop over the bytes of a line.
func wordCount(in mapreduce.Source, out mapreduce.Destination) (*mapreduce.Plan, error) {
	job := mapreduce.Job[[]byte, []byte, int64, count]{
		Name: "byte loop",
		Map: func(line []byte, emit func([]byte, int64)) error {
			for i := 0; i < len(line); {
				for i < len(line) && blank(line[i]) {
					i++
				}
				start := i
				for i < len(line) && !blank(line[i]) {
					i++
				}
				if i > start {
					emit(line[start:i], 1)
				}
			}
			return nil
		},
		Sum: true,
		Reduce: func(word []byte, counts iter.Seq[int64], emit func(count)) error {
			var n int64
			for c := range counts {
				n += c
			}
			emit(mapreduce.MakePair(word, n))
			return nil
		},
	}
	return job.Bind(mapreduce.Lines(in), mapreduce.Text[count](out))
}

// blank reports whether c is ASCII white space.
func blank(c byte) bool { return c == ' ' || c-'\t' < 5 }

// grep returns the plan of a job that searches line by line for bench.Literal.
func grep(in mapreduce.Source, out mapreduce.Destination) (*mapreduce.Plan, error) {
	literal := []byte(bench.Literal)
	job := mapreduce.MapOnly[[]byte, []byte]{
		Name: "line by line",
		Map: func(line []byte, emit func([]byte)) error {
			if bytes.Contains(line, literal) {
				emit(line)
			}
			return nil
		},
	}
	return job.Bind(mapreduce.Lines(in), mapreduce.Text[[]byte](out))
}
