package index

// BitMatrix has a bit for each row and column, initially 0. The Core has a row per group of nodes
// and a column per job. A row is contiguous in memory, so that reading many of its columns is
// sequential.
type BitMatrix struct {
	stride int // words of a row
	words  []uint64
}

// Has reports whether a bit is set; Widen must have been called for the column.
func (m *BitMatrix) Has(row, column int32) bool {
	i := int(row)*m.stride + int(column>>6)
	return i < len(m.words) && m.words[i]&(1<<(column&63)) != 0
}

// Set sets a bit; Widen must have been called for the column.
func (m *BitMatrix) Set(row, column int32) {
	if need := (int(row)+1)*m.stride - len(m.words); need > 0 {
		m.words = append(m.words, make([]uint64, need)...)
	}
	m.words[int(row)*m.stride+int(column>>6)] |= 1 << (column & 63)
}

// Clear clears a bit; Widen must have been called for the column.
func (m *BitMatrix) Clear(row, column int32) {
	if i := int(row)*m.stride + int(column>>6); i < len(m.words) {
		m.words[i] &^= 1 << (column & 63)
	}
}

// Widen makes room for a column. Rows never shrink.
func (m *BitMatrix) Widen(column int32) {
	if int(column) < 64*m.stride {
		return
	}
	old, was := m.words, m.stride
	m.stride = max(2*was, int(column)/64+1)
	m.words = nil
	if was > 0 {
		m.words = make([]uint64, len(old)/was*m.stride)
		for r := range len(old) / was {
			copy(m.words[r*m.stride:], old[r*was:(r+1)*was])
		}
	}
}
