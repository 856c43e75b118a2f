package mapreduce

import (
	"context"
	"errors"
	"fmt"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/combine"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
	"github.com/tarry-mr/tarry/mapreduce/internal/read"
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
	hold := smallHold[K, B]{broadcast: b, encodeKey: b.key.Encoder(), encode: b.value.Encoder(), decode: b.value.Decoder()}
	b.matches = combine.Lookup[B]{}
	for i, src := range sources {
		t := &Task{ctx: ctx, name: src.Name(), counters: new(counter.Set)}
		r := &read.Reader{Ctx: ctx, Windows: read.UsualWindows(), Source: src, Split: cluster.Split{Source: i, Length: src.Size()}}
		t.reader = r
		records := int64(0)
		err := b.feed.read(r, func(batch []TaggedRecord[K, B]) (int, error) {
			return read.EachOne(r, batch, func(fed TaggedRecord[K, B]) error {
				records++
				return read.MapError(fed.apply(fed.index, t, hold.add))
			})
		})
		if err := r.LocateError(err, records); err != nil {
			return fmt.Errorf("small feed: %w", err)
		}
	}
	return nil
}

// smallHold adds the pairs that the small feed's map emits to the table.
type smallHold[K, B any] struct {
	*broadcast[K, B]
	encodeKey func([]byte, K) []byte
	encode    func([]byte, B) []byte
	decode    func([]byte) (B, error)
	heldBytes int64
	key       []byte
	piece     []byte // memory of encoded values
}

// smallPiece is the size of a piece of encoded values, in bytes.
const smallPiece = 64 << 10

// add stores copies of k and v, because the feed may reuse their memory.
func (h *smallHold[K, B]) add(k K, v B) {
	if cap(h.piece)-len(h.piece) < smallPiece/16 {
		h.piece = make([]byte, 0, smallPiece)
	}
	start := len(h.piece)
	h.key, h.piece = h.encodeKey(h.key[:0], k), h.encode(h.piece, v)
	if h.heldBytes += int64(len(h.key) + len(h.piece) - start); h.heldBytes > h.maxBytes {
		fault.Throw(Permanent(fmt.Errorf("%w: the small feed of a broadcast join has more than %d bytes of keys and "+
			"values, which every map needs in memory: use Join", ErrRecordTooLarge, h.maxBytes)))
	}
	value, err := h.decode(h.piece[start:len(h.piece):len(h.piece)])
	if err != nil {
		fault.Throw(err)
	}
	h.matches.Add(h.key, value)
}
