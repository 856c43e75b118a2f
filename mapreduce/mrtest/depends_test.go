package mrtest

import (
	"iter"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// mapTask replaces the Map of a word count by a MapTask: start returns a map for each attempt.
func mapTask(j *counts, start func(t *mapreduce.Task) mapreduce.Mapper[[]byte, string, int64]) {
	j.Map = nil
	j.MapTask = func(t *mapreduce.Task) (mapreduce.Mapper[[]byte, string, int64], error) { return start(t), nil }
}

// Check reports a map whose output depends on the splits, as it numbers its records.
func TestDependsOnSplit(t *testing.T) {
	wrong(t, func(j *counts) {
		mapTask(j, func(*mapreduce.Task) mapreduce.Mapper[[]byte, string, int64] {
			n := int64(0)
			return mapreduce.Mapper[[]byte, string, int64]{Map: func(_ []byte, emit func(string, int64)) error {
				n++
				emit("number", n)
				return nil
			}}
		})
	}, "in RunLocal with 1 reduce and splits of 1 byte, watched: part 0, record 0 is {\"number\" 23}",
		"depends on where the input is split")
}

// Check reports a map whose output depends on the number of reduces.
func TestDependsOnReduces(t *testing.T) {
	perReduce := func(j *counts) {
		mapTask(j, func(task *mapreduce.Task) mapreduce.Mapper[[]byte, string, int64] {
			return mapreduce.Mapper[[]byte, string, int64]{Map: func(_ []byte, emit func(string, int64)) error {
				emit("reduces", int64(task.Reduces()))
				return nil
			}}
		})
	}
	wrong(t, perReduce, "with 2 reduces, watched: ", `{"reduces" 46}`, "depends on the number of reduces")
	job := wordCount()
	perReduce(&job)
	require.Equal(t, int64(23), CheckWith(t, Options{PerReduce: true}, job, rhyme())[0].Second)
	job.Reducers = 3
	require.Equal(t, int64(69), Check(t, job, rhyme())[0].Second)
}

// Check reports a map, and a reduce, that emits more in its second attempt.
func TestDependsOnAttempt(t *testing.T) {
	texts := []string{"on a cluster whose attempts fail", "depends on which attempt"}
	wrong(t, func(j *counts) {
		mapTask(j, func(task *mapreduce.Task) mapreduce.Mapper[[]byte, string, int64] {
			return mapreduce.Mapper[[]byte, string, int64]{Map: func(_ []byte, emit func(string, int64)) error {
				emit("tries", int64(task.ID().Try))
				return nil
			}}
		})
	}, texts...)
	wrong(t, func(j *counts) {
		j.Reduce = nil
		j.ReduceTask = func(task *mapreduce.Task) (mapreduce.Reducer[string, int64, count], error) {
			return mapreduce.Reducer[string, int64, count]{
				Reduce: func(word string, _ iter.Seq[int64], emit func(count)) error {
					emit(mapreduce.MakePair(word, int64(task.ID().Try)))
					return nil
				},
			}, nil
		}
	}, texts...)
}

// Check reports a job whose output depends on state that an earlier run has left.
func TestDependsOnState(t *testing.T) {
	n := atomic.Int64{}
	wrong(t, func(j *counts) {
		j.Reduce = func(word string, _ iter.Seq[int64], emit func(count)) error {
			emit(mapreduce.MakePair(word, n.Add(1)))
			return nil
		}
	}, "in RunLocal with 1 reduce: part 0, record 0 is {\"a\" 39}, but {\"a\" 20} in RunLocal with 1 reduce",
		"more than its input")
}

// Check reports a map that omits lines that an earlier attempt has seen. This state belongs to one
// run, so only a repeated attempt reveals it.
func TestNotIdempotent(t *testing.T) {
	requireSays(t, func(t testing.TB) {
		CheckPlans(t, Options{}, func(out mapreduce.Output[count]) (*mapreduce.Plan, error) {
			var seen sync.Map
			job := wordCount()
			job.Map = func(line []byte, emit func(string, int64)) error {
				if _, known := seen.LoadOrStore(string(line), true); !known {
					emit(string(line), 1)
				}
				return nil
			}
			return job.Bind(rhyme(), out)
		})
	}, "on a cluster whose attempts fail", "a failed one has left behind")
}

// Sums of floats depend on their order, so Check passes them only with the option Within.
func TestWithin(t *testing.T) {
	job := mapreduce.Job[float64, string, float64, float64]{
		Map:     func(x float64, emit func(string, float64)) error { emit("sum", x); return nil },
		Combine: func(a, b float64) float64 { return a + b },
		Reduce: func(_ string, all iter.Seq[float64], emit func(float64)) error {
			for x := range all {
				emit(x)
			}
			return nil
		},
	}
	var list []float64
	for i := range 100 {
		list = append(list, float64(i)/10)
	}
	requireSays(t, func(t testing.TB) { Check(t, job, mapreduce.Slice(list)) }, "not associative")
	require.InEpsilon(t, 495, CheckWith(t, Options{Within: 1e-9}, job, mapreduce.Slice(list))[0], 1e-9)
}

// CheckWith reports invalid options, and inputs that cannot be read twice.
func TestOptions(t *testing.T) {
	for text, o := range map[string]Options{
		"Options.Within is 1: want 0 up to 1":               {Within: 1},
		"Options.Reduces is [0]: a job has at least 1":      {Reduces: []int{0}},
		"Options.Splits is [3 0]: a split has at least 1 b": {Splits: []int64{3, 0}},
	} {
		requireSays(t, func(t testing.TB) { CheckWith(t, o, wordCount(), rhyme()) }, text)
	}
	requireSays(t, func(t testing.TB) { Check(t, counts{}, rhyme()) }, "none of Map, MapTask")
	job := wordCount()
	plan, err := job.Bind(rhyme(), new(mapreduce.Collected[count]).Output())
	require.NoError(t, err)
	requireSays(t, func(t testing.TB) {
		CheckPlans(t, Options{}, func(mapreduce.Output[count]) (*mapreduce.Plan, error) { return plan, nil })
	}, "no records")
}

// The runs do what their names say: scarce ones spill, attempts of failing ones fail, and there are
// as many splits as planned.
func TestRunsAreWhatTheySay(t *testing.T) {
	var tries, maps atomic.Int64
	job := wordCount()
	job.Sum = false
	mapTask(&job, func(task *mapreduce.Task) mapreduce.Mapper[[]byte, string, int64] {
		maps.Add(1)
		if task.ID().Try > 0 {
			tries.Add(1)
		}
		return mapreduce.Mapper[[]byte, string, int64]{Map: wordCount().Map}
	})
	c := &check[count]{t: t, bind: func(out mapreduce.Output[count]) (*mapreduce.Plan, error) { return job.Bind(rhyme(), out) }}
	_, err := c.run(variant{reduces: 2})
	require.NoError(t, err)
	require.Equal(t, int64(2), maps.Swap(0))
	_, err = c.run(variant{reduces: 2, split: 1})
	require.NoError(t, err)
	require.Equal(t, c.size, maps.Swap(0))
	runs := c.onCluster(2)
	require.Len(t, runs, 3)
	for _, v := range runs {
		o, err := c.run(v)
		require.NoError(t, err)
		require.Len(t, o.parts, 2)
		require.Equal(t, v.scarce, o.counters.Get(counter.SpilledRecords) > 0, "%v", v)
		require.Equal(t, v.failing, tries.Swap(0) > 0, "%v", v)
		require.Greater(t, maps.Swap(0), int64(maxClusterSplits/2))
	}
}
