package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
	"github.com/tarry-mr/tarry/mapreduce/internal/task"
)

// partitioner returns the function that chooses the reduce of an encoded key, for one attempt.
func (b *Job) partitioner(reduces int) func(key []byte) int {
	switch {
	case reduces == 1:
		return func([]byte) int { return 0 }
	case b.Partitions:
		partition := b.partition()
		return func(key []byte) int {
			p := partition(key, reduces)
			if p < 0 || p >= reduces {
				fault.Throw(fault.Permanent(fmt.Errorf("mapreduce: Partition returned %d of %d reduces", p, reduces)))
			}
			if b.prefix != nil {
				if other := b.groups.place(b.groupOf(key), p); other != p {
					fault.Throw(b.divided(key, other, p))
				}
			}
			return p
		}
	case b.Ordered:
		return b.ranges.find
	case b.prefix != nil:
		return func(key []byte) int { return segment.PartitionOf(key[:b.prefix(key)], reduces) }
	default:
		return func(key []byte) int { return segment.PartitionOf(key, reduces) }
	}
}

// partition returns the user's Partition as a function of encoded keys, for one goroutine.
func (b *Job) partition() func(key []byte, reduces int) int {
	read, key := b.key.Reader(), memory.New(b.keyType)
	return func(encoded []byte, reduces int) int {
		if err := read(encoded, key); err != nil {
			fault.Throw(err)
		}
		return b.Typed.Partition(key, reduces)
	}
}

const (
	sampleSplits = 64       // places at which an input is sampled
	sampleBytes  = 64 << 10 // maximum of input bytes per place
	sampleKeys   = 256      // maximum of keys per place
	sampleCalls  = 1024     // maximum of Map calls per place
	streamHead   = 4 << 20  // bytes of a stream that are sampled
)

// errSampled ends the reading of a sample that has enough records.
var errSampled = errors.New("mapreduce: enough records sampled")

// Prepare chooses the ranges of a total order, unless another process has.
func (b *Job) Prepare(ctx context.Context, p *cluster.Bound) (err error) {
	if b.Ordered && p.Reduces > 1 && p.Ranges == nil {
		p.Ranges, err = b.sampledRanges(ctx, p)
	}
	b.ranges = newKeyRanges(p.Ranges)
	return err
}

// sampledRanges maps records at places spread evenly over the input and takes the quantiles of
// their keys. It samples only the beginning of a stream.
func (b *Job) sampledRanges(ctx context.Context, p *cluster.Bound) ([][]byte, error) {
	s := &sampler{job: b, ctx: ctx, p: p}
	for _, split := range samplePlaces(p) {
		if err := s.sample(p.Sources[split.Source], split); err != nil {
			return nil, err
		}
	}
	for i, src := range p.Sources {
		if src.Data != nil || input.Packed(src) {
			continue
		}
		head, all, err := input.Peek(src, streamHead)
		if err != nil {
			return nil, err
		}
		p.Sources[i] = all
		if err := s.sample(head, cluster.Split{Source: i, Length: head.Size()}); err != nil {
			return nil, err
		}
	}
	return b.quantiles(s.keys, p.Reduces), nil
}

// quantiles returns the starts of ranges that divide keys, after sorting, into equal parts.
func (b *Job) quantiles(keys [][]byte, reduces int) [][]byte {
	slices.SortFunc(keys, bytes.Compare)
	bounds := [][]byte{}
	for i := 1; i < reduces && len(keys) > 0; i++ {
		bound := keys[i*len(keys)/reduces]
		if b.prefix != nil { // a group must not be split
			bound = bound[:b.prefix(bound)]
		}
		bounds = append(bounds, bound)
	}
	return bounds
}

// sampler gathers keys of the map output of some records, to compute the ranges of a total order.
type sampler struct {
	job  *Job
	ctx  context.Context
	p    *cluster.Bound
	keys [][]byte
}

// sample adds the keys of the first records of a split.
func (s *sampler) sample(src input.Source, split cluster.Split) error {
	t := &task.Task{Ctx: s.ctx, Reduces: s.p.Reduces}
	key := s.job.key.Bytes()
	emit := s.job.Typed.EmitToPointers(func(k, _ memory.Pointer) { s.keys = append(s.keys, bytes.Clone(s.cut(key(k)))) })
	start := func() (MapCode, error) { return s.job.Typed.StartMap(t, emit) }
	maxKeys, calls := len(s.keys)+sampleKeys, 0
	err := Alone(t, src, split, start, func(mapRecord func() error) error {
		if calls++; len(s.keys) >= maxKeys || calls > sampleCalls {
			return errSampled
		}
		return mapRecord()
	})
	if errors.Is(err, errSampled) {
		return nil
	}
	return err
}

// maxBoundBytes is the maximum length of the bound of a range. A prefix serves as well as a key of
// megabytes, of which a sample would hold thousands.
const maxBoundBytes = 4 << 10

func (s *sampler) cut(key []byte) []byte {
	if s.job.prefix != nil {
		return key // to find its group
	}
	return key[:min(len(key), maxBoundBytes)]
}

// samplePlaces returns the splits to sample, at even distances and at most half as long, so Map
// runs twice on at most half of the records, except for tiny inputs.
func samplePlaces(p *cluster.Bound) []cluster.Split {
	var list []cluster.Split
	step := max(p.InputBytes()/sampleSplits, 1)
	next := int64(0)
	base := int64(0)
	for i, s := range p.Sources {
		if s.Data == nil {
			continue
		}
		end := base + s.Size()
		for ; next < end; next += step {
			if !s.Splittable() || p.Inputs[i].Whole {
				list = append(list, cluster.Split{Source: i, Length: s.Size()})
				next += (end - 1 - next) / step * step // the last place in the file
				continue
			}
			off := next - base
			length := min(sampleBytes, max(step/2, 1), s.Size()-off)
			if p.Inputs[i].Parted {
				length = s.Size() - off // the first part that begins there may be far
			}
			list = append(list, cluster.Split{Source: i, Offset: off, Length: length})
		}
		base = end
	}
	return list
}
