//go:build !amd64

package dfa

// approach is how many bytes of s may be passed over: a match may begin behind them, or fewer than
// prefixBytes are left.
func (p *prefix) approach(s []byte) int { return p.approachPortable(s) }
