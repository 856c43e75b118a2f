// Package mrtest tests MapReduce jobs under the conditions of a cluster.
//
// A job that passes a simple test may still depend on things that vary: the splits of its input,
// bytes that are valid only during a call, or the number of attempts. [Check] runs a job many times
// over a small input: in one goroutine and on a live cluster, with splits of one byte up to whole
// files, several numbers of reduces, hardly any memory, and attempts that fail and are retried. It
// reports the first record at which two outputs differ:
//
//	func TestWordCount(t *testing.T) {
//		text := mapreduce.Bytes("rhyme", []byte("tarry a while\nsaid slow\nlet us tarry\n"))
//		counts := mrtest.Check(t, WordCount(), mapreduce.Lines(text))
//		require.Contains(t, counts, mapreduce.MakePair("tarry", int64(2)))
//	}
//
// Most runs use [mapreduce.Plan.Debug], which names the place of a misuse. Check does not find
// problems that need large inputs or much time, or effects outside of the output, such as files or
// database tables. Run it with go test -race to find data races.
//
// Reading order: check.go, runs.go, difference.go.
package mrtest
