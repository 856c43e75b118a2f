package jobs

import (
	"bytes"
	"fmt"
	"iter"

	"github.com/tarry-mr/tarry/mapreduce"
)

// At is a key and the number, such as a time, that orders the records of that key.
type At = mapreduce.Pair[[]byte, int64]

// Placed is a key, one of its numbers, and the number's rank among them, from 1.
type Placed struct {
	Key    []byte
	Number int64
	Place  int64
}

// SecondarySort writes for each key its numbers in ascending order, each with its rank, from 1. The
// engine sorts the numbers, so no reduce holds the numbers of a key in memory. Its input is
// KeyValueLines of key and decimal integer; other values are errors.
func SecondarySort() mapreduce.Job[mapreduce.Pair[[]byte, []byte], At, int64, Placed] {
	return mapreduce.Job[mapreduce.Pair[[]byte, []byte], At, int64, Placed]{
		Name: "secondarysort",
		Map: func(line mapreduce.Pair[[]byte, []byte], emit func(At, int64)) error {
			n, err := number(line.First, withoutCR(line.Second))
			if err == nil {
				emit(mapreduce.MakePair(line.First, n), n)
			}
			return err
		},
		Reduce: func(key At, numbers iter.Seq[int64], emit func(Placed)) error {
			place := int64(0)
			for n := range numbers {
				place++
				emit(Placed{Key: key.First, Number: n, Place: place})
			}
			return nil
		},
		GroupFields: 1,
	}
}

// Averaged is a key, a time, and the mean of the key's last numbers up to that time.
type Averaged struct {
	Key  []byte
	Time int64
	Mean float64
}

// timed is a time and the number that a record has for it.
type timed = mapreduce.Pair[int64, Sum]

// MovingAverage writes for each key and time the mean of the last window numbers, including the
// current one; at the beginning of a key, of those so far. Numbers with equal times stay in input
// order. Its input is Lines of key, tab, time, tab, number: a time is a decimal integer, a number
// as Mean reads it. Sums are exact, so no error accumulates. window is at least 1.
func MovingAverage(window int) (mapreduce.Job[[]byte, At, timed, Averaged], error) {
	if window < 1 {
		return mapreduce.Job[[]byte, At, timed, Averaged]{}, fmt.Errorf("jobs: a window of %d: want at least 1", window)
	}
	return mapreduce.Job[[]byte, At, timed, Averaged]{
		Name: "movingaverage",
		Map: func(line []byte, emit func(At, timed)) error {
			key, rest, _ := bytes.Cut(withoutCR(line), []byte{'\t'})
			time, text, _ := bytes.Cut(rest, []byte{'\t'})
			at, err := number(key, time)
			if err != nil {
				return err
			}
			n, err := decimal(key, text)
			if err == nil {
				emit(mapreduce.MakePair(key, at), mapreduce.MakePair(at, n))
			}
			return err
		},
		Reduce: func(key At, numbers iter.Seq[timed], emit func(Averaged)) error {
			var sum Sum
			var last []Sum // the window's numbers; a ring buffer once it is full
			oldest := 0
			for n := range numbers {
				sum = sum.plus(n.Second)
				if len(last) < window {
					last = append(last, n.Second)
				} else {
					sum = sum.minus(last[oldest])
					last[oldest] = n.Second
					oldest = (oldest + 1) % window
				}
				emit(Averaged{Key: key.First, Time: n.First, Mean: sum.mean()})
			}
			return nil
		},
		GroupFields: 1,
	}, nil
}

// minus subtracts numbers from a sum.
func (s Sum) minus(o Sum) Sum {
	o = o.negative()
	o.Count = -o.Count
	return s.plus(o)
}

// Neighbors are a node and the nodes that its edges lead to, separated by commas.
type Neighbors struct {
	Node []byte
	To   []byte
}

// Adjacency makes the adjacency list of a graph from its edges: for each node with outgoing edges,
// the distinct nodes that they lead to, in byte order. Its input is KeyValueLines of two nodes: an
// edge from the first to the second. In the list commas, percent signs and control characters are
// written as in a URL, as in Index. A reduce holds the list of one node in memory.
func Adjacency() mapreduce.Job[entry[[]byte], entry[[]byte], mapreduce.None, Neighbors] {
	return mapreduce.Job[entry[[]byte], entry[[]byte], mapreduce.None, Neighbors]{
		Name: "adjacency",
		Map: func(edge entry[[]byte], emit func(entry[[]byte], mapreduce.None)) error {
			emit(mapreduce.MakePair(edge.First, withoutCR(edge.Second)), mapreduce.None{})
			return nil
		},
		Combine: once,
		ReduceTask: lists(listed, func(node []byte, _ int64, to []byte) Neighbors {
			return Neighbors{Node: node, To: to}
		}),
		GroupFields: 1,
	}
}
