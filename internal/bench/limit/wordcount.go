package limit

import (
	"bytes"
	"strconv"
)

// WordCount counts the words of data, which ASCII white space separates, with the given number of
// goroutines, and writes lines of word, tab and count, sorted by the words' bytes, to part files in
// dir (none when dir is empty). It returns the number of words, and of distinct ones.
func WordCount(
	data []byte, goroutines, parts int, dir string,
) (words uint64, distinct int, err error) {
	t := countWords(data, goroutines)
	defer t.entries.free()
	for i := range t.entries.of {
		words += t.entries.of[i].count
	}
	sorted := sortItems(tableSource{t}, goroutines)
	defer sorted.free()
	err = writeParts(dir, t.used, parts, goroutines, func(buf []byte, from, to int) []byte {
		for _, it := range sorted.of[from:to] {
			e := &t.entries.of[it.ref]
			buf = append(append(buf, t.word(e)...), '\t')
			buf = append(strconv.AppendUint(buf, e.count, 10), '\n')
		}
		return buf
	})
	return words, t.used, err
}

// countWords counts the words of data in a table per goroutine, and returns the tables joined.
func countWords(data []byte, goroutines int) *table {
	const chunk = 1 << 20
	counters := make([]*counter, goroutines)
	for g := range counters {
		counters[g] = &counter{table: &table{
			entries: newVector[entry](1 << firstTableBits), shift: 64 - firstTableBits,
		}}
	}
	// The last words could be loaded past the end of data: a padded copy holds those that start
	// there.
	bulk := max(0, len(data)-loadSlack)
	chunks(bulk, chunk, goroutines, func(g, from, to int) { counters[g].count(data, from, to) })
	start := max(0, bulk-1) // with the byte before, which tells whether a word starts at bulk
	tail := make([]byte, 0, len(data)-start+loadSlack+1)
	if bulk == 0 {
		tail = append(tail, ' ') // so that words start at 1 in both cases
	}
	tail = append(tail, data[start:]...)
	padded := append(tail, bytes.Repeat([]byte{' '}, loadSlack)...)
	counters[0].count(padded, 1, len(tail))
	t := counters[0].table
	for _, c := range counters[1:] {
		t.merge(c.table)
		c.table.entries.free()
	}
	return t
}

// tableSource passes the words of a table to the sort; a ref is a slot.
type tableSource struct{ *table }

const slotBlock = 1 << 13

func (s tableSource) blocks() int { return (len(s.entries.of) + slotBlock - 1) / slotBlock }

func (s tableSource) items(block int, buf []item) []item {
	for i := block * slotBlock; i < min((block+1)*slotBlock, len(s.entries.of)); i++ {
		if e := &s.entries.of[i]; e.count != 0 {
			buf = append(buf, item{prefix8(s.word(e)), uint64(i)})
		}
	}
	return buf
}

func (s tableSource) deeper(ref uint64, depth int) (prefix uint64, rest int) {
	return deeperIn(s.word(&s.entries.of[ref]), depth)
}

// deeperIn does the work of source.deeper for a key in one slice.
func deeperIn(key []byte, depth int) (prefix uint64, rest int) {
	rest = len(key) - depth
	if rest > 0 {
		prefix = prefix8(key[depth:])
	}
	return prefix, rest
}
