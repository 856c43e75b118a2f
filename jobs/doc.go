// Package jobs is a library of ready-made jobs: word count, sorting, searching, and small ones to
// learn from.
//
// Each constructor returns a [mapreduce.Job] or [mapreduce.MapOnly]. Bind it to an input of the
// kind that its comment names and to an output:
//
//	src, err := mapreduce.Files("book.txt")
//	...
//	plan, err := jobs.WordCount().Bind(mapreduce.Chunks(src...), mapreduce.Text[jobs.Count](mapreduce.Dir("counts")))
//
// A plan runs on a cluster of package actors, or in this goroutine with [mapreduce.RunLocal].
//
// The package uses only the public interface of package mapreduce, so users can write such jobs
// too. Read wordcount.go first, then mean.go (values of several fields), index.go (the name of the
// input file), top.go (a map with state), sort.go (total order), grep.go (a job without reduces),
// greplines.go (numbering lines across splits), series.go (secondary sort), columns.go, scan.go,
// teravalidate.go and hive.go (the queries of Hive's benchmark, with a hand-written join).
// Iterative computations are functions that take a [Runner] for their jobs: rounds.go, graph.go,
// pagerank.go, components.go, kmeans.go.
package jobs
