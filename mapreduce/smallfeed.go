package mapreduce

import (
	"context"
	"errors"
	"fmt"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/combine"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
	"github.com/tarry-mr/tarry/mapreduce/internal/run"
	"github.com/tarry-mr/tarry/mapreduce/internal/task"
)

// broadcast is the small feed of a broadcast join, which is in memory.
type broadcast[K, B any] struct {
	feed     Feed[K, B]
	key      codec.Typed[K]
	value    codec.Typed[B]
	maxBytes int64             // limit of encoded keys and values, in bytes
	matches  combine.Lookup[B] // by encoded key, set by load
}

// load reads the whole small feed and fills matches.
func (b *broadcast[K, B]) load(ctx context.Context) (err error) {
	sources, err := input.Own(b.feed.sources)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, input.CloseAll(sources)) }()
	defer input.Verify(&err, sources, true)
	b.matches = combine.Lookup[B]{}
	add := b.adder()
	for i, src := range sources {
		t := &task.Task{Ctx: ctx}
		start := func() (run.MapCode, error) { return b.feed.start(t, add, nil) }
		if err := run.Alone(t, src, cluster.Split{Source: i, Length: src.Size()}, start, nil); err != nil {
			return fmt.Errorf("small feed: %w", err)
		}
	}
	return nil
}

// smallPiece is the size of a piece of encoded values, in bytes.
const smallPiece = 64 << 10

// adder returns a function that adds copies of a pair to matches, because the feed may reuse its
// memory.
func (b *broadcast[K, B]) adder() func(k K, v B) {
	encodeKey, encode, decode := b.key.Encoder(), b.value.Encoder(), b.value.Decoder()
	var key, piece []byte // piece: memory of encoded values
	held := int64(0)
	return func(k K, v B) {
		if cap(piece)-len(piece) < smallPiece/16 {
			piece = make([]byte, 0, smallPiece)
		}
		start := len(piece)
		key, piece = encodeKey(key[:0], k), encode(piece, v)
		if held += int64(len(key) + len(piece) - start); held > b.maxBytes {
			fault.Throw(Permanent(fmt.Errorf("%w: the small feed of a broadcast join has more than %d bytes of keys and "+
				"values, which every map needs in memory: use Join", ErrRecordTooLarge, b.maxBytes)))
		}
		value, err := decode(piece[start:len(piece):len(piece)])
		if err != nil {
			fault.Throw(err)
		}
		b.matches.Add(key, value)
	}
}
