package limit

import (
	"cmp"
	"slices"
)

const (
	radixBits    = 8
	radixBuckets = 1 << radixBits
	insertionMax = 40 // below this many items insertion sort wins
)

// task is a run of items whose keys agree in their first depth bytes and in all prefix bits above
// shift+radixBits. A negative shift says that the prefixes are equal.
type task struct {
	items []item
	shift int
	depth int // key bytes before the prefix
}

// radixSorter sorts tasks by most-significant-byte radix; several goroutines may use it.
type radixSorter struct{ src source }

// sort sorts a task; scratch has room for its items.
func (s radixSorter) sort(t task, scratch []item) {
	if len(t.items) < 2 {
		return
	}
	if len(t.items) <= insertionMax && t.shift >= 0 {
		insertionSort(t.items)
		s.sortTies(t, scratch)
		return
	}
	if t.shift < 0 {
		s.sortDeeper(t, scratch)
		return
	}
	var ends [radixBuckets]uint32
	for i := range t.items {
		ends[uint8(t.items[i].prefix>>uint(t.shift))]++
	}
	below := task{items: t.items, shift: t.shift - radixBits, depth: t.depth}
	if ends[uint8(t.items[0].prefix>>uint(t.shift))] == uint32(len(t.items)) {
		s.sort(below, scratch) // one bucket: nothing to move
		return
	}
	sum := uint32(0)
	for b := range ends {
		ends[b], sum = sum, sum+ends[b]
	}
	for i := range t.items {
		b := uint8(t.items[i].prefix >> uint(t.shift))
		scratch[ends[b]] = t.items[i]
		ends[b]++ // the start of bucket b becomes its end
	}
	copy(t.items, scratch[:len(t.items)])
	start := uint32(0)
	for _, end := range ends {
		below.items = t.items[start:end]
		start = end
		s.sort(below, scratch)
	}
}

// sortTies finds the runs of equal prefixes in sorted items and sorts each by what follows.
func (s radixSorter) sortTies(t task, scratch []item) {
	for len(t.items) > 1 {
		n := 1
		for n < len(t.items) && t.items[n].prefix == t.items[0].prefix {
			n++
		}
		if n > 1 {
			s.sortDeeper(task{items: t.items[:n], depth: t.depth}, scratch)
		}
		t.items = t.items[n:]
	}
}

// sortDeeper sorts items of equal prefixes by the next eight key bytes. Keys that end with the
// prefix come first, the shorter before the longer: they differ only in zero bytes that look like
// padding.
func (s radixSorter) sortDeeper(t task, scratch []item) {
	const prefixBytes = 8
	ended := 0
	for depth := t.depth + prefixBytes; ; depth += prefixBytes {
		longer := scratch[:0]
		same := true
		for _, it := range t.items {
			prefix, rest := s.src.deeper(it.ref, depth)
			if rest > 0 {
				longer = append(longer, item{prefix, it.ref})
				same = same && prefix == longer[0].prefix
				continue
			}
			t.items[ended] = it
			ended++
		}
		if ended == 0 && same {
			continue // long equal beginnings cost a loop, not a call each
		}
		copy(t.items[ended:], longer)
		slices.SortStableFunc(t.items[:ended], func(a, b item) int {
			_, restA := s.src.deeper(a.ref, depth)
			_, restB := s.src.deeper(b.ref, depth)
			return cmp.Compare(restA, restB)
		})
		s.sort(task{items: t.items[ended:], shift: 64 - radixBits, depth: depth}, scratch)
		return
	}
}

// insertionSort sorts a few items by prefix, keeping the order of equal ones.
func insertionSort(items []item) {
	for i := 1; i < len(items); i++ {
		it, j := items[i], i
		for ; j > 0 && it.prefix < items[j-1].prefix; j-- {
			items[j] = items[j-1]
		}
		items[j] = it
	}
}
