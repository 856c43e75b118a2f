package jobs

import (
	"fmt"
	"strconv"

	"github.com/tarry-mr/tarry/mapreduce"
)

// longestNumber is the most bytes that are looked at as a number; 20 would do but for zeros in
// front.
const longestNumber = 1 << 10

// number reads a decimal integer of a record. Its error shows neither the whole text nor the whole
// of what names it: a record may have gigabytes. It is Permanent.
func number(name, text []byte) (int64, error) {
	if len(text) <= longestNumber {
		n, err := strconv.ParseInt(string(text), 10, 64)
		if err == nil {
			return n, nil
		}
	}
	return 0, mapreduce.Permanent(fmt.Errorf("key %s: %s is no integer of 64 bits", cut(name), cut(text)))
}

// cut quotes a text, of a long one the beginning and how long it is.
func cut(text []byte) string {
	const most = 60
	if len(text) <= most {
		return strconv.Quote(string(text))
	}
	return fmt.Sprintf("%s… (%d bytes)", strconv.Quote(string(text[:most])), len(text))
}
