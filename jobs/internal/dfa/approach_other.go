//go:build !amd64

package dfa

// approach returns how many bytes of s to skip: after them a match may begin, or fewer than
// prefixBytes remain.
func (p *prefix) approach(s []byte) int { return p.approachPortable(s) }
