package parquet

import (
	pq "github.com/parquet-go/parquet-go"

	"github.com/tarry-mr/tarry/mapreduce"
)

// RowsPerGroup is the number of rows per row group of [Write], unless options set it. An attempt
// holds the rows of a group in memory, outside of the memory budget.
const RowsPerGroup = 122_880

// Write writes each part as a Parquet file, part-r-00000.parquet and so on, with a column for each
// field of T, a struct as in parquet-go. Pages are compressed with Snappy. options are those of
// parquet-go and override the defaults: compression, encodings, rows per group, names of sorted
// columns. `to` must not be Compressed, since readers need random access.
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

// Abort implements mapreduce.PartWriter. It undoes nothing: rows are only in memory and the part.
func (w *writer[T]) Abort() error { return nil }
