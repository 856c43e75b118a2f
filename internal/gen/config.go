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

	// The tables of Hive's benchmark.
	Documents Kind = "documents" // records of 100 bytes: 10 of key, one in 10,000 with SearchPattern behind it
	Rankings  Kind = "rankings"  // rows of 64 bytes: address|rank|seconds
	Visits    Kind = "visits"    // client|address|day|revenue|program|country|language|word|seconds
)

// Kinds lists all kinds in the order in which help texts name them.
func Kinds() []Kind {
	return []Kind{Text, Tera, Log, Numbers, Pairs, Lines, Documents, Rankings, Visits}
}

// recordBytes is the size of a TeraSort record.
const recordBytes = 100

// The vocabulary and the skew that Config means by zero.
const (
	defaultWords = 500_000
	DefaultSkew  = 1.05
)

// defaultPages is how many pages Visits are of.
const defaultPages = 10_000

// maxWords bounds the vocabulary: its tables take some 60 bytes a word.
const maxWords = 50_000_000

// ErrConfig is wrapped by every error about a Config that cannot be used.
var ErrConfig = errors.New("gen: bad configuration")

// Config says what to generate. The zero value is not useful: Kind must be set.
type Config struct {
	// Kind is what to generate.
	Kind Kind
	// Bytes is the size of the output, at least 0. Tera, Documents and Rankings round it down to whole
	// records; Visits take at least 320 bytes, and leave as many out behind a whole number of megabytes.
	Bytes int64
	// Seed selects the output among all outputs of this configuration. Every value is good.
	Seed uint64
	// Words is the size of the vocabulary of Text, the number of keys of Pairs and of the pages of
	// Visits; 0 means defaultWords for Text, 1000 for Pairs and 10,000 for Visits. At most 50 million.
	Words int
	// Skew is the exponent s of the Zipf distribution: the word of rank k has weight 1/k^s. 0 means
	// DefaultSkew; a uniform distribution is had by a tiny value such as 1e-9. Neither negative nor
	// NaN nor above 20.
	Skew float64
	// Progress, if not nil, is called now and then with the number of bytes that are written, from the
	// goroutine that Write was called in.
	Progress func(bytes int64)
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

// size is the number of bytes that Write makes of c: Bytes, less the rest that fills no whole
// record of a piece.
func (c Config) size() int64 {
	switch k := c.Kind; {
	case k == Tera || k == Documents || k == Rankings:
		return c.Bytes - c.Bytes%c.least()
	case k == Visits && c.Bytes%pieceBytes < visitBytes:
		return c.Bytes - c.Bytes%pieceBytes
	}
	return c.Bytes
}

// least is the size of the smallest output that is not empty.
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

// words is Words with its default filled in.
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
