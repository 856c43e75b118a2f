package mapreduce

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// partitioner returns the function that tells the reduce of an encoded key, for
// one attempt.
func (b *boundJob[I, K, V, O]) partitioner(reduces int) func(key []byte) int {
	switch {
	case reduces == 1:
		return func([]byte) int { return 0 }
	case b.job.Partition != nil:
		decode := b.key.decoder()
		return func(key []byte) int {
			k, err := decode(key)
			if err != nil {
				panic(marshalError{err})
			}
			p := b.job.Partition(k, reduces)
			if p < 0 || p >= reduces {
				panic(marshalError{fmt.Errorf("mapreduce: Partition returned %d of %d reduces", p, reduces)})
			}
			return p
		}
	case b.job.TotalOrder:
		return b.ranges.find
	case b.prefix != nil:
		return func(key []byte) int { return segment.PartitionOf(key[:b.prefix(key)], reduces) }
	default:
		return func(key []byte) int { return segment.PartitionOf(key, reduces) }
	}
}

// rangeOf returns the ranges of a total order, nil if there is none.
func (b *boundJob[I, K, V, O]) rangeOf(reduces int) *keyRanges {
	if !b.job.TotalOrder || reduces == 1 {
		return nil
	}
	return b.ranges
}

const (
	sampleSplits = 64      // at so many places in all
	sampleBytes  = 1 << 16 // so many input bytes a place
	sampleKeys   = 1 << 16 // at most so many keys
)

// prepare chooses the ranges of a total order: it maps records at places spread
// evenly over the input, sorts their keys and takes the quantiles.
func (b *boundJob[I, K, V, O]) prepare(ctx context.Context, p *Plan) error {
	b.ranges = newKeyRanges(nil)
	if !b.job.TotalOrder || p.reduces < 2 {
		return nil
	}
	var keys [][]byte
	encode := b.key.encoder()
	emit := func(k K, _ V) { keys = append(keys, encode(nil, k)) }
	for _, split := range samplePlaces(p) {
		if len(keys) >= sampleKeys {
			break
		}
		t := &Task{ctx: ctx, reduces: p.reduces, name: p.sources[split.Source].name, counters: new(Counters)}
		m, err := b.mapper(t)
		if err != nil {
			return err
		}
		mapRecord := record(m, emit, nil)
		left := len(keys) + sampleKeys/sampleSplits
		r := &splitReader{ctx: ctx, windows: usualWindows(), source: p.sources[split.Source], split: split}
		err = b.in.read(r, func(rec I) error {
			if len(keys) >= left {
				return errSampled
			}
			return mapRecord(rec)
		})
		if err != nil && err != errSampled { //nolint:errorlint // our own value, never wrapped
			return err
		}
	}
	slices.SortFunc(keys, bytes.Compare)
	var bounds [][]byte
	for i := 1; i < p.reduces && len(keys) > 0; i++ {
		bound := keys[i*len(keys)/p.reduces]
		if b.prefix != nil { // a group must not be split
			bound = bound[:b.prefix(bound)]
		}
		bounds = append(bounds, bound)
	}
	b.ranges = newKeyRanges(bounds)
	return nil
}

// samplePlaces returns splits at which to sample.
func samplePlaces(p *Plan) []Split {
	var list []Split
	total := p.InputBytes()
	if total == 0 {
		return nil
	}
	step := max(total/sampleSplits, 1)
	next := int64(0)
	base := int64(0)
	for i, s := range p.sources {
		if s.Data == nil {
			continue
		}
		for ; next < base+s.Size(); next += step {
			if !s.Splittable() || p.input.whole {
				list = append(list, Split{Source: i, Length: s.Size()})
				next = max(next, base+s.Size())
				break
			}
			off := next - base
			list = append(list, Split{Source: i, Offset: off, Length: min(sampleBytes, s.Size()-off)})
		}
		base += s.Size()
	}
	return list
}
