package mapreduce

import (
	"bytes"
	"slices"
	"sync"

	"github.com/tarry-mr/tarry/mapreduce/internal/input"
	"github.com/tarry-mr/tarry/mapreduce/internal/read"
	"github.com/tarry-mr/tarry/mapreduce/internal/scan"
)

// csvEnds finds where records of a CSV file end: at line feeds outside of quotes. A byte is within
// quotes if an odd number of quotes precedes it: a doubled quote in a quoted field counts twice,
// and a quote in any other field is an error. Quotes in comment lines do not count. So the
// beginning of a record depends on the whole file before it, and a pass over the file counts its
// quotes; see marks.
type csvEnds struct {
	comment string // beginning of a comment line; empty: no comments
	lines   int64  // line feeds before the split, set by start
}

// csvState is the state of a scan at an offset of a CSV file.
type csvState struct {
	at      int64
	lines   int64 // line feeds before it
	quoted  bool  // within quotes
	begun   bool  // within a line
	comment bool  // within a comment line
}

// record reports whether a record may begin at st.
func (st *csvState) record() bool { return !st.begun && !st.quoted }

// line moves st over the first line of b, or over all of b if it has no line feed, and returns the
// length of the move. At the beginning of a line b must be long enough to recognize a comment.
func (c *csvEnds) line(st *csvState, b []byte) int {
	n := bytes.IndexByte(b, '\n') + 1
	ends := n > 0
	if !ends {
		n = len(b)
	}
	if st.record() && c.comment != "" {
		st.comment = bytes.HasPrefix(bytes.TrimPrefix(b, []byte(byteOrderMark)), []byte(c.comment))
	}
	if !st.comment && bytes.Count(b[:n], []byte{'"'})%2 == 1 {
		st.quoted = !st.quoted
	}
	st.at += int64(n)
	if st.begun = !ends; ends {
		st.lines++
		st.comment = false
	}
	return n
}

// pass moves st over all of b, which may contain many lines.
func (c *csvEnds) pass(st *csvState, b []byte) {
	if c.comment == "" && len(b) > 0 {
		st.quoted = st.quoted != (bytes.Count(b, []byte{'"'})%2 == 1)
		st.lines += int64(bytes.Count(b, []byte{'\n'}))
		st.begun = b[len(b)-1] != '\n'
		st.at += int64(len(b))
		return
	}
	for len(b) > 0 {
		b = b[c.line(st, b):]
	}
}

func (c *csvEnds) Last(b []byte) int {
	if bytes.IndexByte(b, '"') < 0 {
		return scan.LastIndexByte(b, '\n') + 1
	}
	var st csvState
	end := 0
	for at := 0; at < len(b); {
		at += c.line(&st, b[at:])
		if st.record() {
			end = at
		}
	}
	return end
}

func (c *csvEnds) First(b []byte, _ int) int {
	var st csvState
	for at := 0; at < len(b); {
		at += c.line(&st, b[at:])
		if st.record() {
			return at
		}
	}
	return 0
}

// Resume implements read.Ends: a search with more data begins at 0, as quotes depend on all bytes.
func (c *csvEnds) Resume(int) int { return 0 }

// Start returns the offset of the first record at or after off, as package read asks.
func (c *csvEnds) Start(s *read.Reader, off, end int64) (int64, error) {
	if off == 0 {
		return 0, nil
	}
	st, err := input.Memo(s.Source).(*marks).before(s, c, off)
	for err == nil && st.at < end {
		err = c.window(s, st.at, int64(s.Crossing), func(lines []byte) {
			for len(lines) > 0 && (st.at < off || !st.record()) {
				lines = lines[c.line(&st, lines):]
			}
		})
		if st.at >= off && st.record() {
			break
		}
	}
	c.lines = st.lines
	return max(st.at, off), err
}

// window calls fn with about n bytes of the source: whole lines, or a part of a longer line.
func (c *csvEnds) window(s *read.Reader, at, n int64, fn func(b []byte)) error {
	n = min(max(n, int64(len(byteOrderMark+c.comment))), s.Source.Data.Size()-at)
	return s.Look(at, n, func(b []byte) error {
		if used := scan.LastIndexByte(b, '\n') + 1; used > 0 {
			b = b[:used]
		}
		fn(b)
		return s.Tick(0)
	})
}

// markEvery is the distance of marks in bytes; longer lines increase it.
const markEvery = 1 << 20

// marks are the states at some offsets of a CSV file, shared by the attempts of a plan. An attempt
// that needs a later state continues the pass over the file.
type marks struct {
	mu   sync.Mutex
	list []csvState
}

// before returns the last mark before off, which is at least 1.
func (m *marks) before(s *read.Reader, c *csvEnds, off int64) (csvState, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.list) == 0 {
		m.list = []csvState{{}}
	}
	every := min(markEvery, int64(s.Run))
	for st := m.list[len(m.list)-1]; st.at+every < off; m.list = append(m.list, st) {
		if err := c.window(s, st.at, every, func(b []byte) { c.pass(&st, b) }); err != nil {
			return st, err
		}
	}
	i, _ := slices.BinarySearchFunc(m.list, off, func(st csvState, off int64) int {
		if st.at < off {
			return -1
		}
		return 1
	})
	return m.list[i-1], nil
}
