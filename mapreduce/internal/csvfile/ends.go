package csvfile

import (
	"bytes"
	"sort"
	"sync"

	"github.com/tarry-mr/tarry/mapreduce/internal/input"
	"github.com/tarry-mr/tarry/mapreduce/internal/read"
	"github.com/tarry-mr/tarry/mapreduce/internal/scan"
)

// ends finds where records of a CSV file end: at line feeds outside of quotes. A byte is within
// quotes if an odd number of quotes precedes it: a doubled quote in a quoted field counts twice,
// and a quote in any other field is an error. So the beginning of a record depends on the whole
// file before it, and a pass over the file counts its quotes; see marks.
type ends struct {
	lines int64 // line feeds before the split, set by Start
}

// state is the state of a scan at an offset of a CSV file.
type state struct {
	at     int64
	lines  int64 // line feeds before it
	quoted bool  // within quotes
	begun  bool  // within a line
}

// record reports whether a record may begin at st.
func (st *state) record() bool { return !st.begun && !st.quoted }

// pass moves st over all of b, which is not empty.
func (st *state) pass(b []byte) {
	st.quoted = st.quoted != oddQuotes(b)
	st.lines += int64(bytes.Count(b, []byte{'\n'}))
	st.begun = b[len(b)-1] != '\n'
	st.at += int64(len(b))
}

// line moves st over the first line of b, or over all of b if it has no line feed, and returns the
// rest.
func (st *state) line(b []byte) []byte {
	n := bytes.IndexByte(b, '\n') + 1
	if n == 0 {
		n = len(b)
	}
	st.pass(b[:n])
	return b[n:]
}

func oddQuotes(b []byte) bool { return bytes.Count(b, []byte{'"'})%2 == 1 }

func (c *ends) Last(b []byte) int {
	end := scan.LastIndexByte(b, '\n') + 1
	for quoted := oddQuotes(b[:end]); quoted; {
		line := scan.LastIndexByte(b[:end-1], '\n') + 1
		quoted, end = !oddQuotes(b[line:end]), line
	}
	return end
}

func (c *ends) First(b []byte) int {
	var st state
	for len(b) > 0 {
		if b = st.line(b); st.record() {
			return int(st.at)
		}
	}
	return 0
}

// Start returns the offset of the first record at or after off, as package read asks.
func (c *ends) Start(s *read.Reader, off, end int64) (int64, error) {
	if off == 0 {
		return 0, nil
	}
	st, err := marksOf(s.Source).before(s, off)
	for err == nil && st.at < end {
		err = lookLines(s, st.at, int64(s.Crossing), func(lines []byte) {
			for len(lines) > 0 && (st.at < off || !st.record()) {
				lines = st.line(lines)
			}
		})
		if st.at >= off && st.record() {
			break
		}
	}
	c.lines = st.lines
	return max(st.at, off), err
}

// lookLines calls fn with about n bytes of the source: whole lines, or a part of a longer line.
func lookLines(s *read.Reader, at, n int64, fn func(b []byte)) error {
	return s.Look(at, min(n, s.Source.Data.Size()-at), func(b []byte) error {
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
	list []state
}

func marksOf(s input.Source) *marks {
	return input.Shared(s, func() any { return new(marks) }).(*marks)
}

// before returns the last mark before off, which is at least 1.
func (m *marks) before(s *read.Reader, off int64) (state, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.list) == 0 {
		m.list = []state{{}}
	}
	every := min(markEvery, int64(s.Run))
	for st := m.list[len(m.list)-1]; st.at+every < off; m.list = append(m.list, st) {
		if err := lookLines(s, st.at, every, st.pass); err != nil {
			return st, err
		}
	}
	i := sort.Search(len(m.list), func(i int) bool { return m.list[i].at >= off })
	return m.list[i-1], nil
}
