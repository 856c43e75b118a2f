//go:build !amd64

package teddy

// approach returns how many bytes of s to skip: after them a pattern may begin, or fewer than
// Bytes remain.
func (t *Table) approach(s []byte) int { return t.approachPortable(s) }
