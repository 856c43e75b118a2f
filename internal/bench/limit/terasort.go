package limit

import (
	"encoding/binary"
	"fmt"
)

// TeraSort's records: a key of 10 bytes and 90 bytes of payload.
const (
	teraRecord = 100
	teraKey    = 10
)

// TeraSort sorts data's records of 100 bytes by their first 10, with equal keys in input order, and
// writes them to part files in dir (none if dir is empty). It returns the number of records, at
// most 2³²-1. data must consist of whole records.
func TeraSort(data []byte, goroutines, parts int, dir string) (records int, err error) {
	if len(data)%teraRecord != 0 {
		return 0,
			fmt.Errorf("limit: %d bytes are not a whole number of %d-byte records", len(data),
				teraRecord)
	}
	records = len(data) / teraRecord
	sorted := sortItems(teraSource(data), goroutines)
	defer sorted.free()
	return records,
		writeParts(dir, records, parts, goroutines, func(buf []byte, from, to int) []byte {
			// The copy waits for memory, nothing else: each record is somewhere else.
			for _, it := range sorted.of[from:to] {
				at := int(it.ref) * teraRecord
				buf = append(buf, data[at:at+teraRecord]...)
			}
			return buf
		})
}

// teraSource gives records to the sort; a ref is a record's number.
type teraSource []byte

const teraBlock = 2048 // records

func (s teraSource) blocks() int { return (len(s)/teraRecord + teraBlock - 1) / teraBlock }

func (s teraSource) items(block int, buf []item) []item {
	for i := block * teraBlock; i < min((block+1)*teraBlock, len(s)/teraRecord); i++ {
		buf = append(buf, item{binary.BigEndian.Uint64(s[i*teraRecord:]), uint64(i)})
	}
	return buf
}

func (s teraSource) deeper(ref uint64, depth int) (prefix uint64, rest int) {
	at := int(ref) * teraRecord
	return deeperIn(s[at:at+teraKey], depth)
}
