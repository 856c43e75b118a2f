// Package jobs is a library of ready jobs: word count, sorting, searching, and some small ones to
// learn from.
//
// Each constructor returns a [mapreduce.Job] or [mapreduce.MapOnly], to be bound to an input of the
// kind that its comment names and to an output:
//
//	src, err := mapreduce.Files("book.txt")
//	...
//	plan, err := jobs.WordCount().Bind(mapreduce.Chunks(src...), mapreduce.Text[jobs.Count](mapreduce.Dir("counts")))
//
// A plan runs on a cluster of package actors, or by [mapreduce.RunLocal] in this goroutine.
//
// Nothing in this package is privileged: each job is what a user of package mapreduce could write.
// wordcount.go is the one to read first, then mean.go (values of several parts), index.go (the name
// of the input file), top.go (a map with state of its own), sort.go (total order), grep.go (a job
// without reduces), greplines.go (what a map cannot know of the splits before its own), series.go
// (values that the engine sorts), columns.go, scan.go, teravalidate.go, hive.go (the queries of Hive's
// benchmark, a join by hand). Computations of several rounds, each a job, are functions that are given
// what runs a plan: rounds.go, graph.go, pagerank.go, components.go, kmeans.go.
package jobs
