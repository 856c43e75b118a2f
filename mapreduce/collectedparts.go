package mapreduce

import (
	"fmt"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
)

// Records returns the records of the job, part by part. The error wraps ErrNotCollected if the job
// has not succeeded. Byte slices in the records share the memory of c.
func (c *Collected[O]) Records() ([]O, error) {
	parts, err := c.Parts()
	return slices.Concat(parts...), err
}

// Parts returns the records of each reduce, or of each map of a job without reduces, by task
// number; a part may be empty. It has the errors of Records.
func (c *Collected[O]) Parts() ([][]O, error) {
	v, err := codec.Value[O]()
	if err != nil {
		return nil, err
	}
	parts, whole := c.store.CommittedParts()
	if !whole {
		return nil, fmt.Errorf("mapreduce: %w", output.ErrNotCollected)
	}
	dec := v.Decoder()
	lists := make([][]O, len(parts))
	for i, part := range parts {
		for len(part) > 0 {
			rec, n := codec.Frame(part)
			o, err := dec(rec)
			if err != nil {
				return nil, fmt.Errorf("mapreduce: reading collected output: %w", err)
			}
			lists[i] = append(lists[i], o)
			part = part[n:]
		}
	}
	return lists, nil
}
