package jobs

import (
	"fmt"
	"hash/fnv"
	"iter"
	"math"
	"time"

	"github.com/tarry-mr/tarry/mapreduce"
)

// ScanOptions say which lines Scan keeps.
type ScanOptions struct {
	// Percent is how many lines of a hundred are kept, from 0 to 100. GridMix's webdataScan keeps 0.5.
	Percent float64
	// Seed selects which.
	Seed uint64
}

// Scan keeps a part of all lines, whole and in the order of the input. A line is kept or not by its
// bytes and the seed: equal lines go the same way, and the blocks do not matter. Its input is Lines. A
// percentage that cannot be is an error.
func Scan(o ScanOptions) (mapreduce.MapOnly[[]byte, Line], error) {
	if !(o.Percent >= 0 && o.Percent <= 100) { // nor NaN
		return mapreduce.MapOnly[[]byte, Line]{}, fmt.Errorf("jobs: %v %%: want 0 to 100", o.Percent)
	}
	below := uint64(o.Percent / 100 * (1 << 53))
	return mapreduce.MapOnly[[]byte, Line]{
		Name: "scan",
		MapTask: func(*mapreduce.Task) (mapreduce.Filter[[]byte, Line], error) {
			sum := fnv.New64a()
			return mapreduce.Filter[[]byte, Line]{Map: func(line []byte, emit func(Line)) error {
				sum.Reset()
				_, _ = sum.Write(line) // never fails
				if mixed(sum.Sum64()^o.Seed*0x9E3779B97F4A7C15)>>11 < below {
					emit(Line{First: line})
				}
				return nil
			}}, nil
		},
	}, nil
}

// mixed spreads what differs in some bits over all of them (the end of splitmix64).
func mixed(z uint64) uint64 {
	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9
	z = (z ^ (z >> 27)) * 0x94D049BB133111EB
	return z ^ (z >> 31)
}

// Sleep does nothing for a while, to see what a scheduler does: each map sleeps as long as its lines
// say, a duration such as 1.5s each, then each reduce for the time reduce. It writes the time slept
// by all maps, in seconds. Its input is NLines. A line that is no duration of at least 0 is an error;
// a task that is killed wakes up.
func Sleep(reduce time.Duration) mapreduce.Job[[]byte, string, int64, mapreduce.Pair[string, float64]] {
	return mapreduce.Job[[]byte, string, int64, mapreduce.Pair[string, float64]]{
		Name: "sleep",
		MapTask: func(t *mapreduce.Task) (mapreduce.Mapper[[]byte, string, int64], error) {
			return mapreduce.Mapper[[]byte, string, int64]{Map: func(line []byte, emit func(string, int64)) error {
				d, err := time.ParseDuration(string(line[:min(len(line), longestNumber)]))
				if err != nil || d < 0 {
					return mapreduce.Bad(fmt.Errorf("%s is no duration, such as 1.5s", cut(line)))
				}
				emit("slept", int64(d))
				return nap(t, d)
			}}, nil
		},
		Sum: true,
		ReduceTask: func(t *mapreduce.Task) (mapreduce.Reducer[string, int64, mapreduce.Pair[string, float64]], error) {
			return mapreduce.Reducer[string, int64, mapreduce.Pair[string, float64]]{
				Reduce: func(what string, times iter.Seq[int64], emit func(mapreduce.Pair[string, float64])) error {
					var all time.Duration
					for d := range times {
						if all > math.MaxInt64-time.Duration(d) {
							return mapreduce.Permanent(fmt.Errorf("more than %v in all", time.Duration(math.MaxInt64)))
						}
						all += time.Duration(d)
					}
					emit(mapreduce.MakePair(what, all.Seconds()))
					return nil
				},
				Close: func(func(mapreduce.Pair[string, float64])) error { return nap(t, reduce) },
			}, nil
		},
	}
}

// nap waits, at most until the attempt is killed. It says now and then that the attempt is alive.
func nap(t *mapreduce.Task, d time.Duration) error {
	const sign = 30 * time.Second // well below any task timeout
	for d > 0 {
		timer := time.NewTimer(min(d, sign))
		select {
		case <-timer.C:
			d -= min(d, sign)
			t.Progress()
		case <-t.Context().Done():
			timer.Stop()
			return t.Context().Err()
		}
	}
	return nil
}
