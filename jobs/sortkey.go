package jobs

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ErrSortKey is wrapped by errors about invalid sort keys.
var ErrSortKey = errors.New("jobs: bad sort key")

// SortKey is the part of a line by which it is sorted, as in `sort -k F.C,G.D`. The zero value is
// invalid: Field must be set.
type SortKey struct {
	// Field is the field in which the key begins, from 1; if a line has fewer fields, its key is
	// empty.
	Field int
	// Char is the byte of that field at which the key begins, from 1; 0 means 1.
	Char int
	// EndField is the field in which the key ends, from 1; 0 means the end of the line.
	EndField int
	// EndChar is the last byte of that field in the key; 0 means the end of the field.
	EndChar int
	// Numeric compares the key as a number; see SortBy.
	Numeric bool
	// Reverse sorts in descending order by this key.
	Reverse bool
	// Fold treats lower-case ASCII letters as upper-case; with Numeric it has no effect.
	Fold bool
	// SkipBlanks makes Char count from the first byte that is not a space or tab; SkipEndBlanks
	// does so for EndChar.
	SkipBlanks, SkipEndBlanks bool
}

// ParseSortKey parses a key as `sort -k` does: F[.C][OPTIONS][,G[.D][OPTIONS]], with the options n
// (Numeric), f (Fold), r (Reverse) and b (SkipBlanks, or SkipEndBlanks after the comma). Errors
// wrap ErrSortKey.
func ParseSortKey(text string) (SortKey, error) {
	var k SortKey
	begin, end, two := strings.Cut(text, ",")
	err := k.parse(begin, &k.Field, &k.Char, &k.SkipBlanks)
	if err == nil && strings.Contains(begin, ".") && k.Char == 0 {
		err = errors.New("characters count from 1")
	}
	if err == nil && two {
		err = k.parse(end, &k.EndField, &k.EndChar, &k.SkipEndBlanks)
	}
	if err != nil {
		return SortKey{}, fmt.Errorf("%w %s: %w", ErrSortKey, cut([]byte(text)), err)
	}
	return k, nil
}

// parse parses F.C and the options after it: the part of a key before or after the comma.
func (k *SortKey) parse(text string, field, char *int, blanks *bool) error {
	options := strings.TrimLeft(text, "0123456789.")
	number, rest, dot := strings.Cut(text[:len(text)-len(options)], ".")
	var err error
	if *field, err = count(number); err != nil {
		return err
	}
	if *field == 0 {
		return errors.New("fields count from 1")
	}
	if dot {
		if *char, err = count(rest); err != nil {
			return err
		}
	}
	for _, o := range options {
		switch o {
		case 'n':
			k.Numeric = true
		case 'f':
			k.Fold = true
		case 'r':
			k.Reverse = true
		case 'b':
			*blanks = true
		default:
			return fmt.Errorf("no option is called %q: n, f, r and b are", o)
		}
	}
	return nil
}

// count parses the number of a field or character; one beyond the range becomes math.MaxInt.
func count(digits string) (int, error) {
	n, err := strconv.Atoi(digits)
	if errors.Is(err, strconv.ErrRange) {
		return math.MaxInt, nil
	}
	if err != nil {
		return 0, fmt.Errorf("%q is no number of a field or character", digits)
	}
	return n, nil
}

// check returns an error for an invalid key.
func (k SortKey) check() error {
	switch {
	case k.Field < 1 || k.Char < 0 || k.EndField < 0 || k.EndChar < 0:
		return fmt.Errorf("%w %+v: fields count from 1, and nothing is negative", ErrSortKey, k)
	case k.EndField == 0 && (k.EndChar > 0 || k.SkipEndBlanks):
		return fmt.Errorf("%w %+v: it ends with the line, not in a field", ErrSortKey, k)
	}
	return nil
}

// sortKeys encodes the keys of lines as bytes that compare in the order of the keys.
type sortKeys struct {
	keys      []SortKey
	separator byte
	downward  bool // encodings compare in descending order of the keys
	unique    bool // only the first line of each key is written
	stable    bool // the bytes of lines with equal keys do not matter
}

// sortKeys returns the keys of o. Keys without options of their own get those of o.
func (o SortByOptions) sortKeys() (sortKeys, error) {
	list := sortKeys{separator: o.Separator, downward: o.Reverse, unique: o.Unique, stable: o.Stable || o.Unique}
	for _, k := range o.Keys {
		if err := k.check(); err != nil {
			return list, err
		}
		if !k.Numeric && !k.Fold && !k.Reverse && !k.SkipBlanks && !k.SkipEndBlanks {
			k.Numeric, k.Fold, k.Reverse, k.SkipBlanks = o.Numeric, o.Fold, o.Reverse, o.SkipBlanks
			k.SkipEndBlanks = o.SkipBlanks && k.EndField > 0
		}
		list.keys = append(list.keys, k)
	}
	if len(o.Keys) == 0 {
		whole := SortKey{Field: 1, Numeric: o.Numeric, Fold: o.Fold, Reverse: o.Reverse, SkipBlanks: o.SkipBlanks}
		list.keys = append(list.keys, whole)
	}
	return list, nil
}

// appendTo appends the encoded keys of a line. No encoding of a key is a prefix of another, so they
// can be concatenated, and inverted for descending order.
func (k sortKeys) appendTo(dst, line []byte) []byte {
	for _, key := range k.keys {
		from := len(dst)
		text := key.of(line, k.separator)
		if key.Numeric {
			dst = appendNumber(dst, text)
		} else {
			dst = appendText(dst, text)
			if key.Fold {
				fold(dst[from:])
			}
		}
		if key.Reverse != k.downward {
			invert(dst[from:])
		}
	}
	return dst
}

// of returns the part of a line that is the key.
func (k SortKey) of(line []byte, separator byte) []byte {
	begin, end := place(line, k.Field, max(k.Char-1, 0), k.SkipBlanks, separator), len(line)
	switch {
	case k.EndChar > 0:
		end = place(line, k.EndField, k.EndChar, k.SkipEndBlanks, separator)
	case k.EndField > 0:
		end = skipFields(line, k.EndField-1, separator)
		end += fieldLength(line[end:], separator)
	}
	return line[begin:max(begin, end)]
}

// place returns the offset after the first n bytes of a field, but for blanks if they are skipped.
func place(line []byte, field, n int, skipBlanks bool, separator byte) int {
	at := skipFields(line, field-1, separator)
	if skipBlanks {
		at += blanks(line[at:])
	}
	return at + min(n, len(line)-at)
}

// skipFields returns the offset of the field after the first n, or len(line).
func skipFields(line []byte, n int, separator byte) int {
	at := 0
	for ; n > 0 && at < len(line); n-- {
		at += fieldLength(line[at:], separator)
		if separator != 0 && at < len(line) {
			at++
		}
	}
	return at
}

// fieldLength returns the length of the field at the start of rest, without its separator.
func fieldLength(rest []byte, separator byte) int {
	if separator != 0 {
		if n := bytes.IndexByte(rest, separator); n >= 0 {
			return n
		}
		return len(rest)
	}
	n := blanks(rest)
	for n < len(rest) && rest[n] != ' ' && rest[n] != '\t' {
		n++
	}
	return n
}

// blanks returns the number of leading spaces and tabs.
func blanks(text []byte) int {
	n := 0
	for n < len(text) && (text[n] == ' ' || text[n] == '\t') {
		n++
	}
	return n
}

// appendText appends an encoded text: a zero byte becomes 0, 255, and 0, 0 marks the end.
func appendText(dst, text []byte) []byte {
	for {
		zero := bytes.IndexByte(text, 0)
		if zero < 0 {
			dst = append(dst, text...)
			return append(dst, 0, 0)
		}
		dst = append(append(dst, text[:zero]...), 0, 255)
		text = text[zero+1:]
	}
}

// The first byte of an encoded number.
const (
	belowZero = 1
	zero      = 2
	aboveZero = 3
)

// appendNumber appends the encoded number at the start of text.
func appendNumber(dst, text []byte) []byte {
	text = text[blanks(text):]
	negative := len(text) > 0 && text[0] == '-'
	if negative {
		text = text[1:]
	}
	whole, rest := digits(text)
	var part []byte
	if len(rest) > 0 && rest[0] == '.' {
		part, _ = digits(rest[1:])
	}
	return appendParts(dst, negative, whole, part)
}

// appendParts appends an encoded number, given the digits before and after its point: its sign, the
// number of digits before the point, all digits without leading and trailing zeros, and a zero
// byte. For negative numbers everything after the sign is inverted.
func appendParts(dst []byte, negative bool, whole, part []byte) []byte {
	whole, part = bytes.TrimLeft(whole, "0"), bytes.TrimRight(part, "0")
	if len(whole)+len(part) == 0 {
		return append(dst, zero)
	}
	if negative {
		dst = append(dst, belowZero)
	} else {
		dst = append(dst, aboveZero)
	}
	from := len(dst)
	if len(whole) < 255 {
		dst = append(dst, byte(len(whole)))
	} else {
		dst = binary.BigEndian.AppendUint64(append(dst, 255), uint64(len(whole)))
	}
	dst = append(append(append(dst, whole...), part...), 0)
	if negative {
		invert(dst[from:])
	}
	return dst
}

// digits splits text after its leading decimal digits.
func digits(text []byte) (before, after []byte) {
	n := 0
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return text[:n], text[n:]
}

// fold turns lower-case ASCII letters into upper-case.
func fold(b []byte) {
	for i, c := range b {
		if c >= 'a' && c <= 'z' {
			b[i] = c - ('a' - 'A')
		}
	}
}

func invert(b []byte) {
	for i := range b {
		b[i] = ^b[i]
	}
}
