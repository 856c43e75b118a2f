package workload

import (
	"bytes"
	"io"
	"math"
	"time"
)

// taskTimes accumulates the task times of a trace.
type taskTimes struct {
	n            int
	sum, squares float64 // of seconds
	negative     bool    // one of them is negative
}

// add adds n tasks of the same duration.
func (t *taskTimes) add(took millis, n int) {
	s := took.span().Seconds()
	t.n += n
	t.sum += float64(n) * s
	t.squares += float64(n) * float64(s*s)
	t.negative = t.negative || took < 0
}

// cost returns a Cost whose lognormal task times have the mean and deviation of the added ones.
func (t *taskTimes) cost() Cost {
	c := Cost{Setup: -1, CPU: -1}
	if mean := t.sum / float64(max(t.n, 1)); mean > 0 {
		c.Time = time.Duration(math.Round(mean*1e3)) * time.Millisecond
		c.Spread = math.Sqrt(math.Log(max(1, t.squares/float64(t.n)/float64(mean*mean))))
	}
	return c
}

// lineCounter is a Reader that counts lines, so that errors can name the line of a byte read.
type lineCounter struct {
	io.Reader
	read   int64   // bytes
	breaks []int64 // ends of lines after the last lookup
	line   int     // line of the last lookup, from 0
}

func (l *lineCounter) Read(p []byte) (n int, err error) {
	n, err = l.Reader.Read(p)
	for i := 0; i < n; i++ {
		next := bytes.IndexByte(p[i:n], '\n')
		if next < 0 {
			break
		}
		i += next
		l.breaks = append(l.breaks, l.read+int64(i))
	}
	l.read += int64(n)
	return n, err
}

// at returns the line, from 1, of a byte; offsets must not decrease.
func (l *lineCounter) at(offset int64) int {
	for len(l.breaks) > 0 && l.breaks[0] < offset {
		l.breaks = l.breaks[1:]
		l.line++
	}
	return l.line + 1
}
