package jobs

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"iter"

	"github.com/tarry-mr/tarry/mapreduce"
)

// TeraSummary is what TeraValidate finds in a run of records. Its keys are those of the first and the
// last record, empty if there is none.
type TeraSummary struct {
	Records    int64
	Checksum   uint64 // the sum of the records' CRC-32 (IEEE): that of the input is that of the output
	Unordered  int64  // records whose key is smaller than that of the one before
	Duplicates int64  // records whose key is that of the one before
	First      []byte
	Last       []byte
}

// add takes one more record.
func (s *TeraSummary) add(record []byte) {
	s.follow(TeraSummary{
		Records: 1, Checksum: uint64(crc32.ChecksumIEEE(record)),
		First: record[:TeraKeyBytes], Last: record[:TeraKeyBytes],
	})
}

// follow adds the summary of the records behind those of s. The keys are copied.
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

// TeraFact is a word and a number of what TeraValidate found.
type TeraFact = mapreduce.Pair[string, string]

// TeraValidate looks whether TeraSort's records are in order, within and across files in the order of
// the input, and writes four lines: records, checksum (of 64 bits, hexadecimal, the sum of all records'
// CRC-32), duplicates and unordered. With anyOrder, for records that are still to be sorted, unordered
// ones are counted; otherwise they are an error. Its input is FixedSize(TeraRecordBytes).
func TeraValidate(anyOrder bool) mapreduce.Job[[]byte, int64, TeraSummary, TeraFact] {
	type mapper = mapreduce.Mapper[[]byte, int64, TeraSummary]
	return mapreduce.Job[[]byte, int64, TeraSummary, TeraFact]{
		Name: "teravalidate",
		MapTask: func(t *mapreduce.Task) (mapper, error) {
			var found TeraSummary
			return mapper{
				Map: func(record []byte, _ func(int64, TeraSummary)) error {
					found.add(record)
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
