package jobs

import "github.com/tarry-mr/tarry/mapreduce"

// The layout of a TeraSort record, in bytes.
const (
	TeraRecordBytes = 100
	TeraKeyBytes    = 10
)

// TeraSort sorts records of 100 bytes by their first 10; records with equal keys stay in input
// order. Its input is FixedSize(TeraRecordBytes), its output Raw.
func TeraSort() mapreduce.Job[[]byte, []byte, []byte, mapreduce.Pair[[]byte, []byte]] {
	return mapreduce.Job[[]byte, []byte, []byte, mapreduce.Pair[[]byte, []byte]]{
		Name: "terasort",
		Map: func(record []byte, emit func([]byte, []byte)) error {
			emit(record[:TeraKeyBytes], record[TeraKeyBytes:])
			return nil
		},
		TotalOrder: true,
	}
}
