package memory

import (
	"errors"
	"fmt"
)

// ErrRecordTooLarge is wrapped by errors for records that are too large to hold in memory.
var ErrRecordTooLarge = errors.New("record too large")

// LeastLargest is the minimum of [Budget.Largest]: attempts hold records of 16 MiB at any budget.
const LeastLargest = 16 << 20

const maxLargest = 1 << 30

// Largest returns the maximum bytes of one record that an attempt holds in memory: a quarter of the
// root's limit, at least 16 MiB and at most 1 GiB.
func (b *Budget) Largest() int64 {
	limit := b.Limit()
	if limit == 0 {
		return maxLargest
	}
	return min(max(limit/4, LeastLargest), maxLargest)
}

// WhyLargest returns the reason for a limit of bound bytes, for error messages.
func (b *Budget) WhyLargest(bound int64) string {
	if bound == b.Limit()/4 {
		return "a quarter of the memory budget"
	}
	return "the most that is held in memory"
}

// CheckHeld returns an error (ErrRecordTooLarge) if n exceeds bound; what names the thing of n
// bytes.
func (b *Budget) CheckHeld(what string, n, bound int64) error {
	if n <= bound {
		return nil
	}
	return fmt.Errorf("%w: %s of %d bytes is longer than %d bytes, %s", ErrRecordTooLarge, what, n, bound,
		b.WhyLargest(bound))
}
