package parquet

import (
	pq "github.com/parquet-go/parquet-go"

	"github.com/tarry-mr/tarry/mapreduce"
)

// RowsPerGroup is how many rows a row group has that [Write] writes, and so how many an attempt holds in
// memory, outside of the budget, unless an option says otherwise.
const RowsPerGroup = 122_880

// Write writes each part as a Parquet file, part-r-00000.parquet and so on, with a column for each field
// of T, a struct as parquet-go has it. Pages are compressed with Snappy. options are those of
// parquet-go and come after these defaults: other compressions, encodings, rows of a group, names of
// sorted columns. to is not to be Compressed; a file that is could not be read at any place.
func Write[T any](to mapreduce.Destination, options ...pq.WriterOption) mapreduce.Output[T] {
	options = append([]pq.WriterOption{pq.Compression(&pq.Snappy), pq.MaxRowsPerRowGroup(RowsPerGroup)}, options...)
	return mapreduce.Parts(to.Extension(".parquet"),
		func(_ *mapreduce.Task, file *mapreduce.PartFile) (mapreduce.PartWriter[T], error) {
			return &writer[T]{rows: pq.NewGenericWriter[T](file, options...)}, nil
		})
}

// writer writes one part.
type writer[T any] struct {
	rows *pq.GenericWriter[T]
	one  [1]T
}

// Write implements mapreduce.PartWriter.
func (w *writer[T]) Write(row T) error {
	w.one[0] = row
	_, err := w.rows.Write(w.one[:])
	return err
}

// Close implements mapreduce.PartWriter.
func (w *writer[T]) Close() error { return w.rows.Close() }

// Abort implements mapreduce.PartWriter. What was written lies in memory and in the part.
func (w *writer[T]) Abort() error { return nil }
