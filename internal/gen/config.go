package gen

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// Kind names a sort of input.
type Kind string

// The kinds of input.
const (
	Text    Kind = "text"    // words of a Zipf vocabulary in lines of about 73 bytes
	Tera    Kind = "tera"    // TeraSort records: 100 bytes, of which 10 are a printable ASCII key, the last a line feed
	Log     Kind = "log"     // web server log in Apache's combined format
	Numbers Kind = "numbers" // one non-negative decimal integer a line
	Pairs   Kind = "pairs"   // key, tab, decimal number; keys follow a Zipf distribution
	Lines   Kind = "lines"   // random printable lines of 0 to 100 characters
)

// Kinds lists all kinds in the order in which help texts name them.
func Kinds() []Kind { return []Kind{Text, Tera, Log, Numbers, Pairs, Lines} }

// recordBytes is the size of a TeraSort record.
const recordBytes = 100

// The vocabulary and the skew that Config means by zero.
const (
	defaultWords = 500_000
	DefaultSkew  = 1.05
)

// maxWords bounds the vocabulary: its tables take some 60 bytes a word.
const maxWords = 50_000_000

// ErrConfig is wrapped by every error about a Config that cannot be used.
var ErrConfig = errors.New("gen: bad configuration")

// Config says what to generate. The zero value is not useful: Kind must be set.
type Config struct {
	// Kind is what to generate.
	Kind Kind
	// Bytes is the size of the output, at least 0. Tera rounds it down to whole records.
	Bytes int64
	// Seed selects the output among all outputs of this configuration. Every value is good.
	Seed uint64
	// Words is the size of the vocabulary of Text and the number of keys of Pairs; 0 means
	// defaultWords for Text and 1000 for Pairs. At most 50 million.
	Words int
	// Skew is the exponent s of the Zipf distribution: the word of rank k has weight 1/k^s. 0 means
	// DefaultSkew; a uniform distribution is had by a tiny value such as 1e-9. Neither negative nor
	// NaN nor above 20.
	Skew float64
}

// Validate reports all that is wrong with c; each part wraps ErrConfig.
func (c Config) Validate() error {
	var errs []error
	fail := func(format string, a ...any) {
		errs = append(errs, fmt.Errorf("%w: %s", ErrConfig, fmt.Sprintf(format, a...)))
	}
	if c.filler() == nil {
		names := make([]string, 0, len(Kinds()))
		for _, k := range Kinds() {
			names = append(names, string(k))
		}
		fail("unknown kind %.40q; there are %s", c.Kind, strings.Join(names, ", "))
	}
	if c.Bytes < 0 {
		fail("size %d is negative", c.Bytes)
	}
	if c.Kind == Tera && c.Bytes > 0 && c.Bytes < recordBytes {
		fail("size %d is less than one record of %d bytes", c.Bytes, recordBytes)
	}
	if c.Words < 0 || c.Words > maxWords {
		fail("%d words; from 1 to %d are possible", c.Words, maxWords)
	}
	if math.IsNaN(c.Skew) || c.Skew < 0 || c.Skew > 20 {
		fail("skew %v; from 0 to 20 is possible", c.Skew)
	}
	return errors.Join(errs...)
}

// size is the number of bytes that Write makes of c: Bytes, less the rest that fills no whole
// record.
func (c Config) size() int64 {
	if c.Kind == Tera {
		return c.Bytes - c.Bytes%recordBytes
	}
	return c.Bytes
}

// words is Words with its default filled in.
func (c Config) words() int {
	switch {
	case c.Words > 0:
		return c.Words
	case c.Kind == Pairs:
		return 1000
	default:
		return defaultWords
	}
}

// skew is Skew with its default filled in.
func (c Config) skew() float64 {
	if c.Skew > 0 {
		return c.Skew
	}
	return DefaultSkew
}

// fill appends exactly n bytes of the piece with this number to buf, whole lines all of them. It is
// called from several goroutines at once, each with a random sequence of its own.
type fill func(buf []byte, n int, piece int64, r *rng) []byte

// filler gives the constructor of the kind's fill, or nil if there is no such kind. The constructor
// makes what all pieces share.
func (c Config) filler() func(Config) fill {
	switch c.Kind {
	case Text:
		return newText
	case Tera:
		return newTera
	case Log:
		return newLog
	case Numbers:
		return newNumbers
	case Pairs:
		return newPairs
	case Lines:
		return newLines
	default:
		return nil
	}
}
