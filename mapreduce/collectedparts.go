package mapreduce

import (
	"fmt"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
)

// Records returns the records of a job that has succeeded, part by part; before that it is an error
// that wraps ErrNotCollected. Byte slices in them lie in the memory of c.
func (c *Collected[O]) Records() ([]O, error) {
	parts, err := c.Parts()
	return slices.Concat(parts...), err
}

// Parts returns the records of each reduce, or of each map of a job without reduces, in the order of
// their numbers; a part may be empty. Errors are those of Records.
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
			n := int(part[0])<<24 | int(part[1])<<16 | int(part[2])<<8 | int(part[3])
			o, err := dec(part[4 : 4+n])
			if err != nil {
				return nil, fmt.Errorf("mapreduce: reading collected output: %w", err)
			}
			lists[i] = append(lists[i], o)
			part = part[4+n:]
		}
	}
	return lists, nil
}
