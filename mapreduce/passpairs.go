package mapreduce

import (
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/combine"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// pass writes all pairs of a stream, for a job without Reduce. Its records are Pairs of key and
// value.
func (r *reduceRun) pass(next func() ([]byte, bool, error)) error {
	b := r.bound
	pair, read := memory.New(b.out.record), b.key.Reader()
	second := pair.Add(b.out.record.Field(1).Offset)
	_, fold := b.typed.Combine()
	move := []combine.Hit{{First: true}}
	r.w.gate.Open()
	for {
		key, ok, err := next()
		if !ok || err != nil {
			return err
		}
		if err := read(key, pair); err != nil {
			return err
		}
		fold(second, r.value, move)
		r.w.write(pair)
		r.c.Add(counter.ReduceInputRecords, 1)
		if err := r.checkStop(); err != nil {
			return err
		}
	}
}

// numberBatch is the number of pairs that passNumbers reads at once.
const numberBatch = 512

// passNumbers is a faster pass for integer keys. It returns the number of pairs written. If the
// merge does not support integers, done is false and nothing has been read.
func (r *reduceRun) passNumbers(m *combine.Merge) (joined int64, done bool, err error) {
	record := r.bound.out.record
	keys, pairs := make([]uint64, numberBatch), memory.NewArray(record, numberBatch)
	size, values := record.Size(), pairs.Add(record.Field(1).Offset) // gaps stay zero: only fields are set
	width, flip := int(r.bound.keyType.Size()), codec.IntegerFlip(r.bound.keyType)
	r.w.gate.Open()
	defer func() { r.c.Add(counter.ReduceInputRecords, joined) }()
	for {
		n, ok := m.Numbers(keys, values, size)
		if !ok || n == 0 {
			return joined, ok, m.Err()
		}
		for i, x := range keys[:n] {
			codec.SetBitsAt(pairs.Index(i, size), width, x^flip)
		}
		if r.w.image > 0 {
			r.w.writeImages(n, pairs.Memory(uintptr(n)*size))
		} else {
			for i := range n {
				r.w.write(pairs.Index(i, size))
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
