package workload

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/internal/textfile"
)

// Coflow is the shuffle of one job in a coflow trace: the racks of its maps, and the bytes that
// each of its reduces fetched. The trace merges all maps of a rack, and all reduces of a rack.
type Coflow struct {
	ID      int
	Arrival time.Duration
	Maps    []int32 // the rack of each map
	Reduces []int32 // the rack in which each reduce ran
	Bytes   []int64 // bytes that each reduce fetched
}

// Total returns the bytes of the shuffle.
func (c *Coflow) Total() (sum int64) {
	for _, b := range c.Bytes {
		sum += b
	}
	return sum
}

// Limits of a coflow trace.
const (
	maxRacks     = 100_000
	maxMegabytes = 1e9 // of one reduce, so that bytes are exact as floating-point numbers
	megabyte     = 1e6 // the trace does not define it; assumed to be 10^6 bytes
)

// ReadCoflows reads a trace of the coflow benchmark [Chowdhury15], such as FB2010-1Hr-150-0.txt:
// "racks coflows" in the first line, then in each line "id arrivalMs maps rack… reduces
// rack:megabytes…", separated by spaces, racks from 0. name is used in messages. It also returns
// the number of racks. Errors wrap ErrFormat. They report invalid text, missing or surplus columns,
// negative or huge numbers, decreasing times, and a wrong number of coflows in the first line.
func ReadCoflows(r io.Reader, name string) (list []Coflow, racks int, err error) {
	lines, want := textfile.NewLines(r, 16<<20), -1
	for lines.Next() {
		p := coflowLine{words: strings.Fields(lines.Text), racks: racks}
		if want < 0 {
			if racks, want, err = p.head(); err != nil {
				return nil, 0, refuse(name, lines.N, "%v", err)
			}
			continue
		}
		c, err := p.coflow()
		if err != nil {
			return nil, 0, refuse(name, lines.N, "%v", err)
		}
		if len(list) > 0 && c.Arrival < list[len(list)-1].Arrival {
			return nil, 0, refuse(name, lines.N, "time goes back from %v to %v", list[len(list)-1].Arrival, c.Arrival)
		}
		if list = append(list, c); len(list) > want {
			return nil, 0, refuse(name, lines.N, "more than the %d coflows of the first line", want)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, 0, refuse(name, lines.N, "%v", err)
	}
	if len(list) == 0 || len(list) < want {
		return nil, 0, refuse(name, max(lines.N, 1), "%d coflows, the first line says %d", len(list), max(want, 0))
	}
	return list, racks, nil
}

// coflowLine parses the words of a line one by one.
type coflowLine struct {
	words []string
	racks int
}

// number parses the next word as an integer from 0 to top; what names it in errors.
func (p *coflowLine) number(what string, top int64) (int64, error) {
	if len(p.words) == 0 {
		return 0, fmt.Errorf("the line ends before the %s", what)
	}
	word := p.words[0]
	p.words = p.words[1:]
	return wholeNumber(what, word, top)
}

// end returns an error if the line has more words.
func (p *coflowLine) end() error {
	if len(p.words) > 0 {
		return fmt.Errorf("%d more columns than announced, the first is %.40q", len(p.words), p.words[0])
	}
	return nil
}

// head parses the first line: the number of racks and the number of coflows.
func (p *coflowLine) head() (racks, coflows int, err error) {
	r, err1 := p.number("number of racks", maxRacks)
	c, err2 := p.number("number of coflows", maxJobs)
	if err := errors.Join(err1, err2, p.end()); err != nil {
		return 0, 0, err
	}
	if r == 0 {
		return 0, 0, errors.New("no racks")
	}
	return int(r), int(c), nil
}

// coflow parses a line after the first: one coflow.
func (p *coflowLine) coflow() (c Coflow, err error) {
	id, err1 := p.number("id", math.MaxInt32)
	at, err2 := p.number("arrival time", maxSeconds*1000)
	maps, err3 := p.number("number of maps", int64(len(p.words)-1))
	if err := errors.Join(err1, err2, err3); err != nil {
		return c, err
	}
	c.ID, c.Arrival = int(id), time.Duration(at)*time.Millisecond
	for range maps {
		rack, err := p.number("rack of a map", int64(p.racks-1))
		if err != nil {
			return c, err
		}
		c.Maps = append(c.Maps, int32(rack))
	}
	reduces, err := p.number("number of reduces", int64(len(p.words)-1))
	if err != nil {
		return c, err
	}
	if maps == 0 || reduces == 0 {
		return c, fmt.Errorf("%d maps and %d reduces, want at least one of each", maps, reduces)
	}
	total := int64(0)
	for range reduces {
		rack, size, err := p.reduce()
		if err != nil {
			return c, err
		}
		c.Reduces, c.Bytes = append(c.Reduces, rack), append(c.Bytes, size)
		if total += size; total > MaxBytes {
			return c, fmt.Errorf("more than %d bytes in one shuffle", MaxBytes)
		}
	}
	return c, p.end()
}

// reduce parses the next word, "rack:megabytes"; size is in bytes.
func (p *coflowLine) reduce() (rack int32, size int64, err error) {
	if len(p.words) == 0 {
		return 0, 0, errors.New("the line ends before the rack of a reduce")
	}
	word := p.words[0]
	place, text, found := strings.Cut(word, ":")
	if !found {
		return 0, 0, fmt.Errorf("reduce %.40q is not rack:megabytes", word)
	}
	p.words[0] = place
	r, err := p.number("rack of a reduce", int64(p.racks-1))
	if err != nil {
		return 0, 0, err
	}
	mb, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil:
		return 0, 0, fmt.Errorf("megabytes %.40q of a reduce are not a number", text)
	case !(mb >= 0 && mb <= maxMegabytes):
		return 0, 0, fmt.Errorf("megabytes %v of a reduce are not between 0 and %g", mb, maxMegabytes)
	}
	return int32(r), int64(math.Round(mb * megabyte)), nil
}
