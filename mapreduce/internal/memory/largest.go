package memory

import (
	"errors"
	"fmt"
)

// ErrRecordTooLarge is wrapped by errors about records that are not to be held in memory.
var ErrRecordTooLarge = errors.New("record too large")

// LeastLargest is what [Budget.Largest] is at least, in bytes.
const LeastLargest = 16 << 20

const mostLargest = 1 << 30

// Largest is the most bytes of one record that an attempt holds in memory: a quarter of the
// root's limit, but 16 MiB in any case, and never more than 1 GiB.
func (b *Budget) Largest() int64 {
	limit := b.Limit()
	if limit == 0 {
		return mostLargest
	}
	return min(max(limit/4, LeastLargest), mostLargest)
}

// WhyLargest says in words where a bound of what is held comes from.
func (b *Budget) WhyLargest(bound int64) string {
	if bound == b.Limit()/4 {
		return "a quarter of the memory budget"
	}
	return "the most that is held in memory"
}

// CheckHeld refuses something of n bytes, which what names, that is larger than the bound.
func (b *Budget) CheckHeld(what string, n, bound int64) error {
	if n <= bound {
		return nil
	}
	return fmt.Errorf("%w: %s of %d bytes is longer than %d bytes, %s", ErrRecordTooLarge, what, n, bound,
		b.WhyLargest(bound))
}
