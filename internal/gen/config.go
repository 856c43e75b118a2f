package gen

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Kind is a kind of input.
type Kind string

// The kinds of input.
const (
	Text    Kind = "text"    // words of a Zipf vocabulary, in lines of about 73 bytes
	Tera    Kind = "tera"    // TeraSort records of 100 bytes: a printable ASCII key of 10 bytes first, a line feed last
	Log     Kind = "log"     // web server log in Apache's combined format
	Numbers Kind = "numbers" // one non-negative decimal integer per line
	Pairs   Kind = "pairs"   // key, tab, decimal number; keys follow a Zipf distribution
	Lines   Kind = "lines"   // random printable lines of 0 to 100 characters

	// The tables of Hive's benchmark follow.
	Documents Kind = "documents" // records of 100 bytes: a key of 10 bytes, then text; one in 10,000 has SearchPattern
	Rankings  Kind = "rankings"  // rows of 64 bytes: page address|rank|seconds
	Visits    Kind = "visits"    // client|address|day|revenue|program|country|language|word|seconds
)

// kinds has the properties of each kind, in the order of help texts.
var kinds = []struct {
	name   Kind
	new    func(Config) fill // returns the generator of pieces; Words and Skew are set
	record int64             // size of the smallest non-empty output
	whole  bool              // whether all records have that size, so that Bytes is rounded down to whole ones
	words  int               // default of Config.Words
}{
	{Text, newText, 1, false, 500_000},
	{Tera, newTera, recordBytes, true, 0},
	{Log, newLog, 1, false, 0},
	{Numbers, newNumbers, 1, false, 0},
	{Pairs, newPairs, 1, false, 1000},
	{Lines, newLines, 1, false, 0},
	{Documents, newDocuments, recordBytes, true, 0},
	{Rankings, newRankings, rankingBytes, true, 0},
	{Visits, newVisits, visitBytes, false, 10_000},
}

// Kinds lists all kinds in the order of help texts.
func Kinds() (names []Kind) {
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// recordBytes is the size of a TeraSort record.
const recordBytes = 100

// DefaultSkew is the default of Config.Skew.
const DefaultSkew = 1.05

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
	at := c.kind()
	if at < 0 {
		fail("unknown kind %.40q; there are %s", c.Kind, strings.ReplaceAll(strings.Trim(fmt.Sprint(Kinds()), "[]"), " ", ", "))
	}
	if c.Bytes < 0 {
		fail("size %d is negative", c.Bytes)
	}
	if at >= 0 && c.Bytes > 0 && c.Bytes < kinds[at].record {
		fail("size %d is less than one record of %d bytes", c.Bytes, kinds[at].record)
	}
	if c.Words < 0 || c.Words > maxWords {
		fail("%d words; from 1 to %d are possible", c.Words, maxWords)
	}
	if math.IsNaN(c.Skew) || c.Skew < 0 || c.Skew > 20 {
		fail("skew %v; from 0 to 20 is possible", c.Skew)
	}
	return errors.Join(errs...)
}

// kind returns the index of c.Kind in kinds; -1 if c.Kind is unknown.
func (c Config) kind() int { return slices.Index(Kinds(), c.Kind) }

// size returns the number of bytes that Write writes: c.Bytes, or less if it rounds down so that no
// record is cut.
func (c Config) size() int64 {
	switch k := kinds[c.kind()]; {
	case k.whole:
		return c.Bytes - c.Bytes%k.record
	case c.Kind == Visits && c.Bytes%pieceBytes < visitBytes:
		return c.Bytes - c.Bytes%pieceBytes
	}
	return c.Bytes
}

// fill appends a piece of the output, exactly n bytes of whole lines with random numbers from r, to
// buf. Goroutines may call it at once for different pieces, each with its own r.
type fill func(buf []byte, n int, piece int64, r *rng) []byte
