package read

import (
	"fmt"

	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// Frames is an Input of records that each follow their length, a varint.
func Frames(s *Reader, yield func([][]byte) error) error {
	one := Singly(yield)
	return s.Runs(frames{}, func(run []byte) error {
		at := s.At
		for rest := run; len(rest) > 0; {
			rec, n := codec.Frame(rest)
			s.At = at + int64(len(run)-len(rest))
			if n == 0 {
				return fault.Permanent(fmt.Errorf("%s: at byte %d: %w: it ends within a record", s.Source.Name(), s.At, fault.ErrCorruptInput))
			}
			rest = rest[n:]
			s.EnterRecord(rec)
			if err := one(rec); err != nil {
				return err
			}
		}
		return nil
	})
}

// frames is the Ends of records that each follow their length, a varint.
type frames struct{}

func (frames) Last(b []byte) int {
	at := 0
	for {
		_, n := codec.Frame(b[at:])
		if n == 0 {
			return at
		}
		at += n
	}
}

func (frames) First(b []byte) int {
	_, n := codec.Frame(b)
	return n
}
