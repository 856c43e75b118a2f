package limit

import "bytes"

// SortLines sorts the lines of data by their bytes, as LC_ALL=C sort does, and writes them, each
// ended by a newline, to part files in dir (none when dir is empty). It returns the number of
// lines, at most 2³²-1.
func SortLines(data []byte, goroutines, parts int, dir string) (lines int, err error) {
	src := lineSource(data)
	sorted := sortItems(src, goroutines)
	defer sorted.free()
	return len(sorted.of),
		writeParts(dir, len(sorted.of), parts, goroutines, func(buf []byte, from, to int) []byte {
			for _, it := range sorted.of[from:to] {
				buf = append(append(buf, src.line(it.ref)...), '\n')
			}
			return buf
		})
}

// lineSource passes lines to the sort. A ref contains a line's offset, shifted left, and its
// length. If the length does not fit into its bits, the line end is searched again when needed.
type lineSource []byte

const (
	lineBlock   = 128 << 10 // bytes in which a block's lines start
	lengthBits  = 24
	longestLine = 1<<lengthBits - 1
)

func (s lineSource) blocks() int { return (len(s) + lineBlock - 1) / lineBlock }

func (s lineSource) items(block int, buf []item) []item {
	from, to := lineStart(s, block*lineBlock), lineStart(s, min((block+1)*lineBlock, len(s)))
	for from < to {
		n := bytes.IndexByte(s[from:], '\n')
		if n < 0 {
			n = len(s) - from
		}
		ref := uint64(from)<<lengthBits | uint64(min(n, longestLine))
		buf = append(buf, item{prefix8(s[from : from+n]), ref})
		from += n + 1
	}
	return buf
}

func (s lineSource) line(ref uint64) []byte {
	from, n := int(ref>>lengthBits), int(ref&longestLine)
	if n == longestLine {
		if n = bytes.IndexByte(s[from:], '\n'); n < 0 {
			n = len(s) - from
		}
	}
	return s[from : from+n]
}

func (s lineSource) deeper(ref uint64, depth int) (prefix uint64, rest int) {
	return deeperIn(s.line(ref), depth)
}

// lineStart returns the first offset from at on where a line starts, or the end of data.
func lineStart(data []byte, at int) int {
	if at == 0 || at >= len(data) || data[at-1] == '\n' {
		return min(at, len(data))
	}
	n := bytes.IndexByte(data[at:], '\n')
	if n < 0 {
		return len(data)
	}
	return at + n + 1
}
