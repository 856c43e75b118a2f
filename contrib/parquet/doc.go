// Package parquet reads and writes Parquet files in jobs, by way of github.com/parquet-go/parquet-go:
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
// Each row group is one map. A struct has the columns of its fields, of which a file may have more.
//
// Read are pages without compression, of Snappy, gzip, Brotli and Zstandard; those of LZ4 are an error.
// What Write writes other programs read (tried: PyArrow 26, DuckDB 2.0).
//
// It is a module of its own, so that only those who use it have that library.
//
// Reading order: read.go, columns.go, write.go.
package parquet
