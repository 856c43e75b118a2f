package mapreduce

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
)

// Scanned yields the tokens that a [bufio.Scanner] with split finds in each file: bufio.ScanWords,
// bufio.ScanRunes, or a function of your own. It runs in many attempts at once, so that it must have no
// state. Each file is read by one map, from its beginning: a split function tells where a record ends,
// not where one begins. A token that is no part of its data may be kept.
//
// As of a Scanner, a nil token is none, bufio.ErrFinalToken ends the file after its token, and a hundred
// empty tokens without a step ahead are an error. An error of split ends the attempt; it is [Permanent]
// if split says so.
func Scanned(split bufio.SplitFunc, sources ...Source) Input[[]byte] {
	in := Input[[]byte]{sources: sources, plan: cluster.InputPlan{Whole: true}}
	if split == nil {
		in.plan.Wrong = errors.New("Scanned without a split function")
	}
	in.read = func(s *splitReader, yield func([]byte) error) (err error) {
		var stored atomic.Int64
		r, err := input.Open(s.source, &stored)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, r.Close()) }()
		c := &scanner{splitReader: s, split: split, yield: yield, buf: s.newBuffer(s.run)}
		defer func() { c.buf.free() }()
		return c.scan(r, &stored)
	}
	return in
}

// mostEmpty is how many empty tokens may come without a step ahead.
const mostEmpty = 100

// scanner cuts a file into tokens.
type scanner struct {
	*splitReader
	split bufio.SplitFunc
	yield func([]byte) error
	buf   streamBuffer
	held  int   // bytes in buf
	done  int64 // bytes of the file before them
	empty int   // tokens since the last step ahead
	eof   bool
	ended bool // by ErrFinalToken
}

func (c *scanner) scan(r io.Reader, stored *atomic.Int64) (err error) {
	for !c.eof && !c.ended {
		if c.held == len(c.buf.b) {
			if c.buf, err = c.larger(c.buf, c.done); err != nil {
				return err
			}
		}
		n, err := input.Fill(r, c.buf.b[c.held:])
		if c.eof = err == io.EOF; err != nil && !c.eof { //nolint:errorlint // a wrapped EOF is a damaged stream
			return err
		}
		c.held += n
		if err := c.tick(stored.Swap(0)); err != nil {
			return err
		}
		used, err := c.tokens(c.buf.b[:c.held:c.held])
		if err != nil {
			return err
		}
		c.held = copy(c.buf.b, c.buf.b[used:c.held])
		c.done += int64(used)
	}
	return nil
}

// tokens yields those that are whole in b, and returns how many bytes they take.
func (c *scanner) tokens(b []byte) (used int, err error) {
	for used < len(b) || c.eof {
		rest := b[used:len(b):len(b)]
		c.at = c.done + int64(used)
		step, token, err := c.split(rest, c.eof)
		switch {
		case errors.Is(err, bufio.ErrFinalToken):
			c.ended = true
		case err != nil:
			return used, fmt.Errorf("%s: at byte %d: split function: %w", c.source.Name(), c.at, err)
		case step < 0 || step > len(rest):
			return used, Permanent(fmt.Errorf("%s: at byte %d: the split function took %d bytes of %d",
				c.source.Name(), c.at, step, len(rest)))
		}
		if token != nil {
			if err := c.one(rest, token, step); err != nil {
				return used, err
			}
		}
		if c.ended || step == 0 && token == nil {
			break
		}
		used += step
	}
	return used, nil
}

// one yields a token.
func (c *scanner) one(rest, token []byte, step int) error {
	if c.empty++; step > 0 {
		c.empty = 0
	}
	if c.empty > mostEmpty {
		return Permanent(fmt.Errorf("%s: at byte %d: the split function gives empty tokens without a step ahead",
			c.source.Name(), c.at))
	}
	if at := uintptr(unsafe.Pointer(unsafe.SliceData(token))) - uintptr(unsafe.Pointer(unsafe.SliceData(rest))); at < uintptr(len(rest)) {
		c.at += int64(at)
	}
	token = slices.Clip(token)
	return c.whole(token, func() error {
		err := c.yield(token)
		if err != nil {
			err = c.refused(token, token, err)
		}
		return err
	})
}
