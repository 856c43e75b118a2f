// Package csvfile reads CSV files whose splits may begin anywhere, even within quotes. ends.go
// finds where records begin; file.go reads those of a split by encoding/csv; rows.go decodes them
// into structs.
package csvfile
