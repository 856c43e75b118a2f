package parquet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	pq "github.com/parquet-go/parquet-go"

	"github.com/tarry-mr/tarry/mapreduce"
)

// Read returns the rows of Parquet files as values of T, a struct whose fields are columns as in
// parquet-go. Each row group is one map. Maps may keep rows: Read does not reuse their memory.
//
// If a file lacks a column of T, or has it with another type, the error names file and column. Read
// widens integers and floats with fewer bits than the field, and truncates nothing. A null is a nil
// pointer or, for other fields, the zero value. Read skips columns without a field in T.
//
// Files must support reads at any offset: on a disk, in a dfs or in memory, not a stream.
func Read[T any](sources ...mapreduce.Source) mapreduce.Input[T] {
	return mapreduce.Formatted(rowGroups[T]{}, sources...)
}

// rowGroups is the file format of [Read]. It splits a file into its row groups, one map for each.
type rowGroups[T any] struct{}

// Parts implements mapreduce.Format.
func (rowGroups[T]) Parts(_ context.Context, file mapreduce.FormatFile) (begins []int64, err error) {
	groups, err := groupsOf[T](file)
	for _, g := range groups {
		begins = append(begins, g.begin)
	}
	return begins, err
}

// Read implements mapreduce.Format.
func (rowGroups[T]) Read(_ context.Context, file mapreduce.FormatFile, from, to int64) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		groups, err := groupsOf[T](file)
		if err != nil {
			yield(*new(T), err)
			return
		}
		for _, g := range groups {
			if from <= g.begin && g.begin < to && !g.read(yield) {
				return
			}
		}
	}
}

// group is a row group.
type group[T any] struct {
	pq.RowGroup
	begin int64 // offset of its first byte in the file
}

// groupsOf returns the non-empty row groups of a file, in file order.
func groupsOf[T any](file mapreduce.FormatFile) ([]group[T], error) {
	f, err := pq.OpenFile(file, file.Size(), pq.SkipPageIndex(true), pq.SkipBloomFilters(true))
	if err != nil {
		return nil, err
	}
	if err := checkColumns[T](f.Schema()); err != nil {
		return nil, mapreduce.Permanent(err)
	}
	var list []group[T]
	for i, g := range f.RowGroups() {
		if g.NumRows() == 0 {
			continue
		}
		begin := int64(-1)
		for _, c := range f.Metadata().RowGroups[i].Columns {
			if c.FilePath != "" {
				return nil, mapreduce.Permanent(fmt.Errorf("its rows are in another file, %s", c.FilePath))
			}
			at := c.MetaData.DataPageOffset
			if d := c.MetaData.DictionaryPageOffset; d > 0 {
				at = min(at, d)
			}
			if begin < 0 || at < begin {
				begin = at
			}
		}
		list = append(list, group[T]{g, begin})
	}
	slices.SortFunc(list, func(a, b group[T]) int { return cmp.Compare(a.begin, b.begin) })
	return list, nil
}

// readRows is the number of rows that one call of the library decodes.
const readRows = 64

// read calls yield with each row of the group; it returns false once yield does.
func (g group[T]) read(yield func(T, error) bool) bool {
	r := pq.NewGenericRowGroupReader[T](g.RowGroup)
	defer func() { _ = r.Close() }() // only read
	rows := make([]T, readRows)
	for {
		n, err := r.Read(rows)
		for i := range rows[:n] {
			if !yield(rows[i], nil) {
				return false
			}
		}
		if errors.Is(err, io.EOF) {
			return true
		}
		if err == nil && n == 0 {
			err = io.ErrNoProgress
		}
		if err != nil {
			yield(*new(T), err)
			return false
		}
		clear(rows) // the next rows must not overwrite what yielded rows point to
	}
}
