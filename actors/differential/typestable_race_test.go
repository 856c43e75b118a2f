//go:build race

package differential

// typesTable returns few pairs of types: more do not change what goroutines share, and the compiler
// takes a second for each.
func typesTable() []types {
	return []types{of(byteKeys(), intValues[int64]("int64")), of(strs(), summaries()), of(strs(), byteValues()), passing(strs(), stringValues())}
}

// racing makes TestMatrix do less: the race detector makes everything ten times slower.
const racing = true
