package run

import (
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/combine"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// pass writes all pairs of a stream, for a job without Reduce. Its records are Pairs of key and
// value.
func (r *Groups) pass(next func() ([]byte, bool, error)) error {
	b := r.job
	pair, read := memory.New(b.Out.Record), b.key.Reader()
	second := pair.Add(b.Out.Record.Field(1).Offset)
	_, fold := b.Typed.Combine()
	move := []combine.Hit{{First: true}}
	r.w.Gate.Open()
	for {
		key, ok, err := next()
		if !ok || err != nil {
			return err
		}
		if err := read(key, pair); err != nil {
			return err
		}
		fold(second, r.Value, move)
		r.w.Write(pair)
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
func (r *Groups) passNumbers(m *combine.Merge) (joined int64, done bool, err error) {
	record := r.job.Out.Record
	keys, pairs := make([]uint64, numberBatch), memory.NewArray(record, numberBatch)
	size, values := record.Size(), pairs.Add(record.Field(1).Offset) // gaps stay zero: only fields are set
	width, flip := int(r.job.keyType.Size()), codec.IntegerFlip(r.job.keyType)
	r.w.Gate.Open()
	defer func() { r.c.Add(counter.ReduceInputRecords, joined) }()
	for {
		n, ok := m.Numbers(keys, values, size)
		if !ok || n == 0 {
			return joined, ok, m.Err()
		}
		for i, x := range keys[:n] {
			codec.SetBitsAt(pairs.Index(i, size), width, x^flip)
		}
		if r.w.Image > 0 {
			r.w.WriteImages(n, pairs.Memory(uintptr(n)*size))
		} else {
			for i := range n {
				r.w.Write(pairs.Index(i, size))
			}
		}
		joined += int64(n)
		if err := r.alive.Now(); err != nil {
			return joined, true, err
		}
		if err := r.w.Err(); err != nil {
			return joined, true, err
		}
	}
}
