// Package tenjobs has ten jobs with different key and value types. A test counts how many functions
// each job adds to a program.
package tenjobs

import (
	"iter"

	"github.com/tarry-mr/tarry/mapreduce"
)

type (
	point  struct{ X, Y int }
	sum    struct{ Of, Squares float64 }
	edge   struct{ From, To int32 }
	span   struct{ From, To int64 }
	author struct {
		Name string
		Born int
	}
)

// lines returns the input of each of the jobs, which is empty.
func lines() mapreduce.Input[[]byte] { return mapreduce.Lines(mapreduce.Bytes("lines", nil)) }

// Plans returns the plans of the ten jobs.
func Plans() (plans []*mapreduce.Plan, err error) {
	for _, bind := range []func() (*mapreduce.Plan, error){
		words, readings, points, lists, codes, edges, spans, texts, flags, authors,
	} {
		p, err := bind()
		if err != nil {
			return nil, err
		}
		plans = append(plans, p)
	}
	return plans, nil
}

func words() (*mapreduce.Plan, error) {
	return mapreduce.Job[[]byte, string, int, mapreduce.Pair[string, int]]{
		Map: func(line []byte, emit func(string, int)) error {
			emit(string(line), len(line))
			return nil
		},
		Combine: func(a, b int) int { return a + b },
		Reduce: func(k string, values iter.Seq[int], emit func(mapreduce.Pair[string, int])) error {
			for v := range values {
				emit(mapreduce.MakePair(k, v))
			}
			return nil
		},
	}.Bind(lines(), mapreduce.Text[mapreduce.Pair[string, int]](mapreduce.Dir("out")))
}

func readings() (*mapreduce.Plan, error) {
	return mapreduce.Job[[]byte, int64, float64, mapreduce.Pair[int64, float64]]{
		Map: func(line []byte, emit func(int64, float64)) error {
			emit(int64(len(line)), 0.5)
			return nil
		},
		Combine: func(a, b float64) float64 { return max(a, b) },
		Reduce: func(k int64, values iter.Seq[float64], emit func(mapreduce.Pair[int64, float64])) error {
			for v := range values {
				emit(mapreduce.MakePair(k, v))
			}
			return nil
		},
	}.Bind(lines(), mapreduce.Text[mapreduce.Pair[int64, float64]](mapreduce.Dir("out")))
}

func points() (*mapreduce.Plan, error) {
	return mapreduce.Job[[]byte, point, sum, mapreduce.Pair[point, sum]]{
		Map: func(line []byte, emit func(point, sum)) error {
			emit(point{X: len(line)}, sum{Of: 1})
			return nil
		},
		Combine: func(a, b sum) sum { return sum{a.Of + b.Of, a.Squares + b.Squares} },
		Reduce: func(k point, values iter.Seq[sum], emit func(mapreduce.Pair[point, sum])) error {
			for v := range values {
				emit(mapreduce.MakePair(k, v))
			}
			return nil
		},
	}.Bind(lines(), mapreduce.Text[mapreduce.Pair[point, sum]](mapreduce.Dir("out")))
}

func lists() (*mapreduce.Plan, error) {
	return mapreduce.Job[[]byte, string, []string, mapreduce.Pair[string, []string]]{
		Map: func(line []byte, emit func(string, []string)) error {
			emit(string(line), []string{string(line)})
			return nil
		},
		Combine: func(a, b []string) []string { return append(a, b...) },
		Reduce: func(k string, values iter.Seq[[]string], emit func(mapreduce.Pair[string, []string])) error {
			for v := range values {
				emit(mapreduce.MakePair(k, v))
			}
			return nil
		},
	}.Bind(lines(), mapreduce.Text[mapreduce.Pair[string, []string]](mapreduce.Dir("out")))
}

func codes() (*mapreduce.Plan, error) {
	return mapreduce.Job[[]byte, uint32, int32, mapreduce.Pair[uint32, int32]]{
		Map: func(line []byte, emit func(uint32, int32)) error {
			emit(uint32(len(line)), 1)
			return nil
		},
		Combine: func(a, b int32) int32 { return a + b },
		Reduce: func(k uint32, values iter.Seq[int32], emit func(mapreduce.Pair[uint32, int32])) error {
			for v := range values {
				emit(mapreduce.MakePair(k, v))
			}
			return nil
		},
	}.Bind(lines(), mapreduce.Text[mapreduce.Pair[uint32, int32]](mapreduce.Dir("out")))
}

func edges() (*mapreduce.Plan, error) {
	return mapreduce.Job[[]byte, edge, float32, mapreduce.Pair[edge, float32]]{
		Map: func(line []byte, emit func(edge, float32)) error {
			emit(edge{From: 1}, 0.5)
			return nil
		},
		Combine: func(a, b float32) float32 { return a + b },
		Reduce: func(k edge, values iter.Seq[float32], emit func(mapreduce.Pair[edge, float32])) error {
			for v := range values {
				emit(mapreduce.MakePair(k, v))
			}
			return nil
		},
	}.Bind(lines(), mapreduce.Text[mapreduce.Pair[edge, float32]](mapreduce.Dir("out")))
}

func spans() (*mapreduce.Plan, error) {
	return mapreduce.Job[[]byte, [8]byte, span, mapreduce.Pair[[8]byte, span]]{
		Map: func(line []byte, emit func([8]byte, span)) error {
			emit([8]byte{}, span{To: 1})
			return nil
		},
		Combine: func(a, b span) span { return span{min(a.From, b.From), max(a.To, b.To)} },
		Reduce: func(k [8]byte, values iter.Seq[span], emit func(mapreduce.Pair[[8]byte, span])) error {
			for v := range values {
				emit(mapreduce.MakePair(k, v))
			}
			return nil
		},
	}.Bind(lines(), mapreduce.Text[mapreduce.Pair[[8]byte, span]](mapreduce.Dir("out")))
}

func texts() (*mapreduce.Plan, error) {
	return mapreduce.Job[[]byte, int16, []byte, mapreduce.Pair[int16, []byte]]{
		Map: func(line []byte, emit func(int16, []byte)) error {
			emit(int16(len(line)), line)
			return nil
		},
		Combine: func(a, b []byte) []byte { return append(a, b...) },
		Reduce: func(k int16, values iter.Seq[[]byte], emit func(mapreduce.Pair[int16, []byte])) error {
			for v := range values {
				emit(mapreduce.MakePair(k, v))
			}
			return nil
		},
	}.Bind(lines(), mapreduce.Text[mapreduce.Pair[int16, []byte]](mapreduce.Dir("out")))
}

func flags() (*mapreduce.Plan, error) {
	return mapreduce.Job[[]byte, bool, []int64, mapreduce.Pair[bool, []int64]]{
		Map: func(line []byte, emit func(bool, []int64)) error {
			emit(len(line) > 0, []int64{1})
			return nil
		},
		Combine: func(a, b []int64) []int64 { return append(a, b...) },
		Reduce: func(k bool, values iter.Seq[[]int64], emit func(mapreduce.Pair[bool, []int64])) error {
			for v := range values {
				emit(mapreduce.MakePair(k, v))
			}
			return nil
		},
	}.Bind(lines(), mapreduce.Text[mapreduce.Pair[bool, []int64]](mapreduce.Dir("out")))
}

func authors() (*mapreduce.Plan, error) {
	return mapreduce.Job[[]byte, author, uint64, mapreduce.Pair[author, uint64]]{
		Map: func(line []byte, emit func(author, uint64)) error {
			emit(author{Name: string(line)}, 1)
			return nil
		},
		Combine: func(a, b uint64) uint64 { return a + b },
		Reduce: func(k author, values iter.Seq[uint64], emit func(mapreduce.Pair[author, uint64])) error {
			for v := range values {
				emit(mapreduce.MakePair(k, v))
			}
			return nil
		},
	}.Bind(lines(), mapreduce.Text[mapreduce.Pair[author, uint64]](mapreduce.Dir("out")))
}
