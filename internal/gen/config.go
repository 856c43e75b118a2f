package gen

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// Kind is a kind of input.
type Kind string

// The kinds of input.
const (
	Text    Kind = "text"    // words of a Zipf vocabulary, in lines of about 73 bytes
	Tera    Kind = "tera"    // TeraSort records of 100 bytes: a printable ASCII key of 10, and a line feed at the end
	Log     Kind = "log"     // web server log in Apache's combined format
	Numbers Kind = "numbers" // one non-negative decimal integer per line
	Pairs   Kind = "pairs"   // key, tab, decimal number; keys follow a Zipf distribution
	Lines   Kind = "lines"   // random printable lines of 0 to 100 characters

	// The tables of Hive's benchmark follow.
	Documents Kind = "documents" // records of 100 bytes: a key of 10, and after it SearchPattern in one of 10,000
	Rankings  Kind = "rankings"  // rows of 64 bytes: address|rank|seconds
	Visits    Kind = "visits"    // client|address|day|revenue|program|country|language|word|seconds
)

// Kinds lists all kinds in the order of help texts.
func Kinds() []Kind {
	return []Kind{Text, Tera, Log, Numbers, Pairs, Lines, Documents, Rankings, Visits}
}

// recordBytes is the size of a TeraSort record.
const recordBytes = 100

// The defaults of Config.
const (
	defaultWords = 500_000
	DefaultSkew  = 1.05
)

// defaultPages is the default number of pages of Visits.
const defaultPages = 10_000

// maxWords is the maximum of Config.Words, whose tables take about 60 bytes per word.
const maxWords = 50_000_000

// ErrConfig is wrapped by every error for an invalid Config.
var ErrConfig = errors.New("gen: bad configuration")

// Config describes the input to generate. Kind must be set.
type Config struct {
	// Kind is the kind of input.
	Kind Kind
	// Bytes is the size of the output, at least 0. Tera, Documents and Rankings round it down to
	// whole records. Visits need at least 320 bytes, and round Bytes down to whole megabytes (10⁶)
	// if the remainder is below 320.
	Bytes int64
	// Seed selects one of the outputs of this configuration. Every value is valid.
	Seed uint64
	// Words is the size of the vocabulary of Text, the number of keys of Pairs or the number of
	// pages of Visits; 0 means 500,000 for Text, 1000 for Pairs and 10,000 for Visits. The maximum
	// is 50 million.
	Words int
	// Skew is the exponent s of the Zipf distribution: the word of rank k has weight 1/k^s. 0 means
	// DefaultSkew; for a uniform distribution use a tiny value such as 1e-9. The range is 0 to 20.
	Skew float64
	// Progress, if not nil, is called regularly with the number of bytes written so far, from the
	// goroutine that called Write.
	Progress func(bytes int64)
}

// Validate returns all mistakes in c; each wraps ErrConfig.
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
	if least := c.least(); c.Bytes > 0 && c.Bytes < least {
		fail("size %d is less than one record of %d bytes", c.Bytes, least)
	}
	if c.Words < 0 || c.Words > maxWords {
		fail("%d words; from 1 to %d are possible", c.Words, maxWords)
	}
	if math.IsNaN(c.Skew) || c.Skew < 0 || c.Skew > 20 {
		fail("skew %v; from 0 to 20 is possible", c.Skew)
	}
	return errors.Join(errs...)
}

// size returns the number of bytes that Write writes: Bytes, rounded down if the end would not be a
// whole record.
func (c Config) size() int64 {
	switch k := c.Kind; {
	case k == Tera || k == Documents || k == Rankings:
		return c.Bytes - c.Bytes%c.least()
	case k == Visits && c.Bytes%pieceBytes < visitBytes:
		return c.Bytes - c.Bytes%pieceBytes
	}
	return c.Bytes
}

// least returns the size of the smallest non-empty output.
func (c Config) least() int64 {
	if c.Kind == Tera || c.Kind == Documents {
		return recordBytes
	}
	if c.Kind == Rankings {
		return rankingBytes
	}
	if c.Kind == Visits {
		return visitBytes
	}
	return 1
}

// words returns Words or its default.
func (c Config) words() int {
	switch {
	case c.Words > 0:
		return c.Words
	case c.Kind == Pairs:
		return 1000
	case c.Kind == Visits:
		return defaultPages
	default:
		return defaultWords
	}
}

// skew returns Skew or its default.
func (c Config) skew() float64 {
	if c.Skew > 0 {
		return c.Skew
	}
	return DefaultSkew
}

// fill appends piece number piece of the output to buf: exactly n bytes of whole lines, from the
// random numbers of r. Several goroutines call it at once, each with its own r.
type fill func(buf []byte, n int, piece int64, r *rng) []byte

// filler returns the constructor of the kind's fill, or nil for an unknown kind. The constructor
// creates what all pieces share, such as a vocabulary.
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
	case Documents:
		return newDocuments
	case Rankings:
		return newRankings
	case Visits:
		return newVisits
	default:
		return nil
	}
}
