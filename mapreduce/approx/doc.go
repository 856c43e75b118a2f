// Package approx has jobs whose answers are estimates with a known error, for which they hold a few
// kilobytes where an exact answer needs every value:
//
//	job := approx.CountDistinct(14, page, user) // the visitors of each page, to about 0.8 %
//	plan, err := job.Bind(visits, out)
//
// The exact counterpart is [mapreduce.CountDistinct]. The package is apart from mapreduce so that only
// those who use it have the library that it is made of.
package approx
