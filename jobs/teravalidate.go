package jobs

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"iter"

	"github.com/tarry-mr/tarry/mapreduce"
)

// TeraSummary is what TeraValidate finds in consecutive records. First and Last are the keys of the
// first and last one, nil if there are none.
type TeraSummary struct {
	Records    int64
	Checksum   uint64 // sum of the records' CRC-32 (IEEE); equal for input and output
	Unordered  int64  // records with a smaller key than the one before
	Duplicates int64  // records with the same key as the one before
	First      []byte
	Last       []byte
}

// follow extends s by o, the summary of the records after those of s. It copies the keys.
func (s *TeraSummary) follow(o TeraSummary) {
	if o.Records == 0 {
		return
	}
	if s.Records == 0 {
		s.First = bytes.Clone(o.First)
	} else {
		switch c := bytes.Compare(s.Last, o.First); {
		case c > 0:
			s.Unordered++
		case c == 0:
			s.Duplicates++
		}
	}
	s.Records += o.Records
	s.Checksum += o.Checksum
	s.Unordered += o.Unordered
	s.Duplicates += o.Duplicates
	s.Last = append(s.Last[:0], o.Last...)
}

// TeraFact is a line of TeraValidate's output: a name, such as records, and its value.
type TeraFact = mapreduce.Pair[string, string]

// TeraValidate checks that TeraSort's records are in order, within files and across them in input
// order. It writes four lines: records, checksum (64 bits in hexadecimal: the sum of all records'
// CRC-32), duplicates and unordered. Unordered records are an error unless anyOrder is set, for
// unsorted records. Its input is FixedSize(TeraRecordBytes).
func TeraValidate(anyOrder bool) mapreduce.Job[[]byte, int64, TeraSummary, TeraFact] {
	type mapper = mapreduce.Mapper[[]byte, int64, TeraSummary]
	return mapreduce.Job[[]byte, int64, TeraSummary, TeraFact]{
		Name: "teravalidate",
		MapTask: func(t *mapreduce.Task) (mapper, error) {
			var found TeraSummary
			return mapper{
				Map: func(record []byte, _ func(int64, TeraSummary)) error {
					key := record[:TeraKeyBytes]
					found.follow(TeraSummary{Records: 1, Checksum: uint64(crc32.ChecksumIEEE(record)), First: key, Last: key})
					return nil
				},
				Close: func(emit func(int64, TeraSummary)) error {
					emit(int64(t.ID().Index), found)
					return nil
				},
			}, nil
		},
		ReduceTask: func(*mapreduce.Task) (mapreduce.Reducer[int64, TeraSummary, TeraFact], error) {
			var all TeraSummary
			return mapreduce.Reducer[int64, TeraSummary, TeraFact]{
				Reduce: func(_ int64, list iter.Seq[TeraSummary], _ func(TeraFact)) error {
					for s := range list {
						all.follow(s)
					}
					return nil
				},
				Close: func(emit func(TeraFact)) error {
					if all.Unordered > 0 && !anyOrder {
						return mapreduce.Permanent(fmt.Errorf("%d of %d records are smaller than the one before them",
							all.Unordered, all.Records))
					}
					emit(mapreduce.MakePair("records", fmt.Sprint(all.Records)))
					emit(mapreduce.MakePair("checksum", fmt.Sprintf("%016x", all.Checksum)))
					emit(mapreduce.MakePair("duplicates", fmt.Sprint(all.Duplicates)))
					emit(mapreduce.MakePair("unordered", fmt.Sprint(all.Unordered)))
					return nil
				},
			}, nil
		},
		Reducers: 1,
	}
}
