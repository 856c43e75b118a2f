package mapreduce

import (
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/combine"
)

// numberBatch is how many pairs a reduce without a function passes on at once.
const numberBatch = 512

// passNumbers is a tableMerge's numbers, for a job without Reduce.
func passNumbers[K, V, O any](r *reduceRun, m *combine.Merge[V], emit func(O)) (joined int64, done bool, err error) {
	keys, values, pairs := make([]uint64, numberBatch), make([]V, numberBatch), make([]Pair[K, V], numberBatch)
	list, flip := any(pairs).([]O), codec.IntegerFlip(r.bound.keyType) // gaps of pairs stay zero: only their fields are set
	r.w.gate.Open()
	defer func() { r.c.Add(counter.ReduceInputRecords, joined) }()
	for {
		n, ok := m.Numbers(keys, values)
		if !ok || n == 0 {
			return joined, ok, m.Err()
		}
		for i, x := range keys[:n] {
			codec.SetBits(&pairs[i].First, x^flip)
			pairs[i].Second = values[i]
		}
		if r.w.image > 0 {
			r.w.writeImages(n, imagesOf(list[:n]))
		} else {
			for _, o := range list[:n] {
				emit(o)
			}
		}
		joined += int64(n)
		if err := r.alive.Now(); err != nil {
			return joined, true, err
		}
		if err := r.w.err(); err != nil {
			return joined, true, err
		}
	}
}
