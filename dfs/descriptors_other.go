//go:build !unix

package dfs

func descriptorLimit() uint64 { return 0 }
