package mapreduce

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"

	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/kept"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// KeyedDataset is a [Dataset] whose parts are partitioned and sorted by key, as reduces without
// Partition, TotalOrder and Descending write them: the default hash partition, keys in ascending
// order. Two of them with the same number of parts can be grouped part by part; see [Grouped]. Make
// it with [NewKeyedDataset].
type KeyedDataset[K, T any] struct {
	Dataset[T]
	key   func(rec T) K
	codec codec.Typed[K]
}

// NewKeyedDataset returns an empty KeyedDataset for a job to fill. key returns a record's key; it
// runs in many attempts concurrently. If a record is written to the wrong part or out of order, its
// attempt and the job fail.
func NewKeyedDataset[K, T any](o kept.Options, key func(rec T) K) *KeyedDataset[K, T] {
	form, err := kept.FormOf(reflect.TypeFor[T]())
	codec, errK := codec.Key[K](false)
	if key == nil {
		errK = errors.New("records are to be kept by a key, and there is no key function")
	}
	k := &KeyedDataset[K, T]{Dataset: Dataset[T]{form: form, wrong: errors.Join(err, errK)}, key: key, codec: codec}
	k.Store = kept.New(o, form, k.orderOf)
	return k
}

// Feed returns a feed of the records, each under its key.
func (k *KeyedDataset[K, T]) Feed() Feed[K, T] {
	f := Keyed(k.Input(), k.key)
	f.keyed = k
	return f
}

// orderOf returns a function that checks that the runs of a part have its keys, in order.
func (k *KeyedDataset[K, T]) orderOf(p output.Part) func(run []byte) error {
	if codec.IntegerWidth(k.codec.Type) > 0 && k.form.Size > 0 {
		return k.numberOrderOf(p)
	}
	encode := k.codec.Encoder()
	var last, now []byte
	return func(run []byte) error {
		return kept.Each(&k.form, run, func(rec T, _ []byte) error {
			key := k.key(rec)
			now = encode(now[:0], key)
			if to := segment.PartitionOf(now, p.Tasks); to != p.Index {
				return misplaced(p, key, to)
			}
			if bytes.Compare(now, last) < 0 {
				return outOfOrder(key)
			}
			last, now = now, last
			return nil
		})
	}
}

// numberOrderOf is a faster orderOf for integer keys, if records are stored as in memory.
func (k *KeyedDataset[K, T]) numberOrderOf(p output.Part) func(run []byte) error {
	width, flip, last := codec.IntegerWidth(k.codec.Type), codec.IntegerFlip(k.codec.Type), uint64(0)
	return func(run []byte) error {
		for _, rec := range memory.Cast[T](run) {
			key := k.key(rec)
			x := codec.BitsOf(&key) ^ flip
			if to := segment.PartitionOfNumber(x, width, p.Tasks); to != p.Index {
				return misplaced(p, key, to)
			}
			if x < last {
				return outOfOrder(key)
			}
			last = x
		}
		return nil
	}
}

// misplaced returns the error for a record in the wrong part.
func misplaced[K any](p output.Part, key K, to int) error {
	return Permanent(fmt.Errorf("mapreduce: a record with key %s is written to part %d of %d, where it is kept by key it belongs "+
		"into part %d: keep what reduces without a Partition of their own make, under the key that they reduce, "+
		"or what a job without reduces makes of such parts whole (Aligned)", fault.ValueText(key), p.Index, p.Tasks, to))
}

// outOfOrder returns the error for a record whose key is below that of the record before it.
func outOfOrder[K any](key K) error {
	return Permanent(fmt.Errorf("mapreduce: a record with key %s comes after one with a larger key, and is kept by key: "+
		"a part must be in the order of its keys", fault.ValueText(key)))
}
