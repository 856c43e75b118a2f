// Package approx has jobs that estimate their results with a known error. They hold a few kilobytes
// per key where an exact job needs every value:
//
//	job := approx.CountDistinct(14, page, user) // the visitors of each page, to about 0.8 %
//	plan, err := job.Bind(visits, out)
//
// The exact counterpart is [mapreduce.CountDistinct]. The package is separate from mapreduce so
// that only its users depend on its HyperLogLog library.
package approx
