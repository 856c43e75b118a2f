// Package parquet reads and writes Parquet files in jobs with github.com/parquet-go/parquet-go:
//
//	type visit struct {
//		User string    `parquet:"user"`
//		Ms   int64     `parquet:"ms"`
//		At   time.Time `parquet:"at,timestamp(microsecond)"`
//	}
//
//	files, err := mapreduce.Files("visits/*.parquet")
//	plan, err := job.Bind(parquet.Read[visit](files...), parquet.Write[total](mapreduce.Dir("totals")))
//
// Each row group is one map. The fields of a struct are columns; a file may have further ones.
//
// Read supports uncompressed pages, Snappy, gzip, Brotli and Zstandard; LZ4 is an error. Other
// programs can read what Write writes (tested: PyArrow 26, DuckDB 2.0).
//
// Only programs that import this package link that library.
//
// Reading order: read.go, columns.go, write.go.
package parquet
