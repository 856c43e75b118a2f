package mapreduce

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/combine"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
	"github.com/tarry-mr/tarry/mapreduce/internal/read"
	"github.com/tarry-mr/tarry/mapreduce/internal/run"
)

// broadcastJoin joins an input with a small feed without a shuffle.
type broadcastJoin[I, K, B, O any] struct {
	in    Input[I]
	key   func(rec I) K
	small Feed[K, B]
	each  func(rec I, matches []B, emit func(O)) error
}

// BroadcastJoin joins an input with a small feed without a shuffle: every map reads the whole small
// feed from memory. It calls each once per record of the input, with the values that the small feed
// has for the record's key, in their order. The list is empty if it has none: each decides whether
// the join is an inner or a left one. All maps share the matches: do not change them. The output is
// in the order of the input.
//
// Plan.Prepare reads the small feed once. Its encoded keys and values (at most 1 GiB) and a table
// of 50 to 200 bytes per key stay in memory, in addition to the memory budget.
func BroadcastJoin[I, K, B, O any](
	in Input[I], key func(rec I) K, small Feed[K, B], each func(rec I, matches []B, emit func(O)) error,
) Joined[O] {
	return Joined[O]{bind: broadcastJoin[I, K, B, O]{in, key, small, each}.bind}
}

const _ = uint(combine.LookupBatchSize - read.BatchRecords) // a batch of records is looked up at once

// maxBroadcast limits the encoded keys and values of a small feed, in bytes.
const maxBroadcast = 1 << 30

func (j broadcastJoin[I, K, B, O]) bind(o Joined[O], out Output[O]) (*Plan, error) {
	name := cmp.Or(o.Name, "broadcast join")
	s := &broadcast[K, B]{feed: j.small, maxBytes: maxBroadcast}
	var errs []error
	if j.each == nil {
		errs = append(errs, errors.New("the join has no function"))
	} else {
		errs = append(errs, run.CheckInOut(j.in.untyped(), out.form))
	}
	if o.Reducers != 0 {
		errs = append(errs, errors.New("a broadcast join has no reduces: leave Reducers out"))
	}
	if len(j.small.sources) == 0 {
		errs = append(errs, fmt.Errorf("small feed: %w", input.ErrNoSources))
	} else if err := (run.Input{Sources: j.small.sources, Plans: j.small.plans}).Check(); err != nil {
		errs = append(errs, fmt.Errorf("small feed: %w", err))
	}
	var errK, errB error
	s.key, errK = codec.Key[K](false)
	if s.value, errB = codec.Value[B](); errB != nil {
		errB = fmt.Errorf("small feed: %w", errB)
	}
	if err := errors.Join(append(errs, errK, errB)...); err != nil {
		return nil, run.Located(name, err)
	}
	maps := MapOnly[I, O]{MapTask: func(t *Task) (Filter[I, O], error) {
		encode, lookups := s.key.Encoder(), combine.NewLookupBatch(&s.matches)
		var at []byte
		add := func(rec I) {
			at = encode(at[:0], j.key(rec))
			lookups.Add(at)
		}
		var found [][]B // the matches of some records
		next := 0       // index in found
		return Filter[I, O]{
			Map: func(rec I, emit func(O)) error {
				if next == len(found) { // lookup was not called
					add(rec)
					found, next = lookups.Find(), 0
				}
				next++
				return j.each(rec, found[next-1], emit)
			},
			lookup: func(list []I) {
				for i, rec := range list {
					t.of.Reader.Now = t.of.Reader.Batch + i
					add(rec)
				}
				found, next = lookups.Find(), 0
			},
		}, nil
	}}
	spec := cluster.Spec{Name: name, Types: fmt.Sprintf("%T", j), MapOnly: true, To: out.form.Dest, Beside: j.small.sources}
	bound := newBoundMapOnly(maps, j.in, out)
	bound.Load = s.load
	return run.NewPlan(j.in.untyped(), spec, bound)
}
