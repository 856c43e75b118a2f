// Package mapreduce is the user's typed API and the work inside a task: jobs, inputs, outputs,
// codecs, counters, map and reduce attempts.
//
// A job is a value with functions. Bind ties it to an input and an output and erases its types;
// what comes back, a [Plan], is what a cluster runs. [RunLocal] runs a plan in this goroutine,
// without a cluster:
//
//	job := mapreduce.Job[[]byte, string, int64, mapreduce.Pair[string, int64]]{
//		Name: "wordcount",
//		Map: func(line []byte, emit func(string, int64)) error {
//			for w := range strings.FieldsSeq(string(line)) {
//				emit(w, 1)
//			}
//			return nil
//		},
//		Sum: true,
//		Reduce: func(word string, counts iter.Seq[int64], emit func(mapreduce.Pair[string, int64])) error {
//			var n int64
//			for c := range counts {
//				n += c
//			}
//			emit(mapreduce.MakePair(word, n))
//			return nil
//		},
//	}
//	src, err := mapreduce.Files("book.txt")
//	...
//	plan, err := job.Bind(mapreduce.Lines(src...), mapreduce.Text[mapreduce.Pair[string, int64]](mapreduce.Dir("counts")))
//	...
//	counters, err := mapreduce.RunLocal(ctx, plan, mapreduce.LocalOptions{})
//
// The package decides nothing about where or when an attempt runs; that is package actors and
// package scheduling. It reads no clock and no global random source: the same plan over the same
// bytes writes the same bytes.
//
// [Plan.Debug] has a run watch the user's functions for what would be wrong in silence;
// package mrtest tests jobs with it.
//
// Reading order: job.go, bind.go, input.go, output.go, local.go (the plain engine), maptask.go,
// reducetask.go and reducegroups.go (the fast one); for formats decoded.go, format.go, csv.go and
// csvends.go, for other inputs units.go, for other outputs typed.go, routed.go and parts.go;
// feed.go, join.go, broadcast.go and operators.go are made of these; for outputs that stay in
// memory kept.go, keptinput.go, keptkeys.go and keptjoin.go.
//
// Beside it stand cluster (plans and attempts, for those who run them) and the rooms in internal:
// codec (how keys become bytes), input (where it comes from), output (where it lies), segment (what
// maps leave, sorted), combine (values of a key made one), kept (what stays in memory), memory
// (budgets and pools), fault (errors of the user's code).
package mapreduce
