//go:build !amd64

package teddy

// approach returns how many bytes of s to skip: after them a pattern may begin, or fewer than
// Bytes remain.
func (t *Table) approach(s []byte) int { return t.approachPortable(s) }

// find returns the first of the places positions of s with both bytes, or places.
func (p *Pair) find(s []byte, places int) int { return p.findPortable(s, places) }
