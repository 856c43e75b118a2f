package index

// Bits has a bit for each index, 0 until set; the lowest is that of the first word's lowest bit.
// Widen must have made room.
type Bits []uint64

// Has tells whether a bit is set.
func (b Bits) Has(i int32) bool { return b[i>>6]&(1<<(i&63)) != 0 }

// Set sets a bit.
func (b Bits) Set(i int32) { b[i>>6] |= 1 << (i & 63) }

// Clear clears a bit.
func (b Bits) Clear(i int32) { b[i>>6] &^= 1 << (i & 63) }

// Put sets or clears a bit.
func (b Bits) Put(i int32, on bool) {
	if on {
		b.Set(i)
	} else {
		b.Clear(i)
	}
}

// Widen makes room for a bit.
func (b *Bits) Widen(i int32) {
	if need := int(i)/64 + 1 - len(*b); need > 0 {
		*b = append(*b, make(Bits, need)...)
	}
}
