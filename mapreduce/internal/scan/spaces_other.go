//go:build !amd64

package scan

const loadsBeyond = false

func spaces(p *[block]byte) uint64 { return plainSpaces(p) }
