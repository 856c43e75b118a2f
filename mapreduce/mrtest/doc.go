// Package mrtest tests MapReduce jobs as a cluster would run them.
//
// A job that is right in a first test may still depend on what it must not: on where its input is
// split, on bytes that it may use only during a call, on there being only one attempt. [Check] runs
// a job many times over a small input - in one goroutine and on a live cluster, with splits of one
// byte up to whole files, with several numbers of reduces, with next to no memory, with attempts
// that fail and are tried again - and says at which record the first two outputs differ:
//
//	func TestWordCount(t *testing.T) {
//		text := mapreduce.Bytes("rhyme", []byte("tarry a while\nsaid slow\nlet us tarry\n"))
//		counts := mrtest.Check(t, WordCount(), mapreduce.Lines(text))
//		require.Contains(t, counts, mapreduce.MakePair("tarry", int64(2)))
//	}
//
// Most of the runs are watched by [mapreduce.Plan.Debug], which names the place of a misuse. What
// only shows in large inputs, in time, or in what a job does beside its output - files, tables of
// another system - is not found. Data races are for go test -race, which suits Check.
//
// Reading order: check.go, runs.go, difference.go.
package mrtest
