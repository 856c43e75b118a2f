package jobs

import (
	"fmt"
	"hash/fnv"
	"iter"
	"math"
	"time"

	"github.com/tarry-mr/tarry/mapreduce"
)

// ScanOptions select the lines that Scan keeps.
type ScanOptions struct {
	// Percent is the percentage of lines to keep, 0 to 100. GridMix's webdataScan keeps 0.5.
	Percent float64
	// Seed changes which lines are kept.
	Seed uint64
}

// Scan keeps a fraction of all lines, whole and in input order. The decision depends only on a
// line's bytes and the seed: equal lines are treated alike, whatever the blocks. Its input is
// Lines. An invalid percentage is an error.
func Scan(o ScanOptions) (mapreduce.MapOnly[[]byte, Line], error) {
	if !(o.Percent >= 0 && o.Percent <= 100) { // also rejects NaN
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

// mixed returns a hash of z: each bit depends on all bits of z (the end of splitmix64).
func mixed(z uint64) uint64 {
	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9
	z = (z ^ (z >> 27)) * 0x94D049BB133111EB
	return z ^ (z >> 31)
}

// Sleep does nothing for a while, to observe a scheduler. Each map sleeps for the sum of the
// durations in its lines, such as 1.5s, and then each reduce for the given time. It writes the
// total time slept by maps, in seconds. Its input is NLines. A line that is not a duration of at
// least 0 is an error. A killed task wakes up.
func Sleep(reduce time.Duration) mapreduce.Job[[]byte, string, int64, mapreduce.Pair[string, float64]] {
	return mapreduce.Job[[]byte, string, int64, mapreduce.Pair[string, float64]]{
		Name: "sleep",
		MapTask: func(t *mapreduce.Task) (mapreduce.Mapper[[]byte, string, int64], error) {
			return mapreduce.Mapper[[]byte, string, int64]{Map: func(line []byte, emit func(string, int64)) error {
				d, err := time.ParseDuration(string(line[:min(len(line), longestNumber)]))
				if err != nil || d < 0 {
					return mapreduce.BadRecord(fmt.Errorf("%s is no duration, such as 1.5s", cut(line)))
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

// nap waits for d, or until the attempt is killed, and regularly reports progress.
func nap(t *mapreduce.Task, d time.Duration) error {
	const sign = 30 * time.Second // well below any task timeout
	for d > 0 {
		select {
		case <-time.After(min(d, sign)):
			d -= sign
			t.Progress()
		case <-t.Context().Done():
			return t.Context().Err()
		}
	}
	return nil
}
