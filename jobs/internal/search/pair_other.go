//go:build !amd64

package search

// find returns the first of the places positions of s with both bytes, or places.
func (p *pair) find(s []byte, places int) int { return p.findPortable(s, places) }
