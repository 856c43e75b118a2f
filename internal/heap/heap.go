// Package heap keeps a slice in heap order: its first value comes before all others. Unlike
// container/heap it boxes no values. Each has four children, half the levels of a binary heap.
package heap

// Push adds a value to a heap and returns it; before reports whether a comes before b.
func Push[T any](h []T, v T, before func(a, b *T) bool) []T {
	h = append(h, v)
	for i := len(h) - 1; i > 0 && before(&h[i], &h[(i-1)/4]); i = (i - 1) / 4 {
		h[i], h[(i-1)/4] = h[(i-1)/4], h[i]
	}
	return h
}

// Pop removes the first value of a heap, which must not be empty, and returns the rest.
func Pop[T any](h []T, before func(a, b *T) bool) []T {
	last := len(h) - 1
	h[0] = h[last]
	Down(h[:last], before)
	return h[:last]
}

// Down restores the order after the first value has changed to one that comes later.
func Down[T any](h []T, before func(a, b *T) bool) {
	for i := 0; 4*i+1 < len(h); {
		least, end := 4*i+1, min(4*i+5, len(h))
		for c := least + 1; c < end; c++ {
			if before(&h[c], &h[least]) {
				least = c
			}
		}
		if !before(&h[least], &h[i]) {
			return
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}
