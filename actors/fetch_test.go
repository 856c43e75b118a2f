package actors

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/scheduling"
)

// aReduce returns a reduce attempt of a job with these maps, and a list of the messages it sends.
func aReduce(maps int) (*attempt, *[]any) {
	told := new([]any)
	r := &run{shuffle: newShuffle(maps), splits: make([]cluster.Split, maps)}
	a := &attempt{env: &env{start: time.Now()}, run: r, tell: func(m any) { *told = append(*told, m) }}
	a.id.Task.Kind = scheduling.Reduce
	return a, told
}

func anOutput(try int32) mapOutput { return mapOutput{out: new(cluster.MapOutput), try: try} }

// A reduce retries a failed fetch after 1, 2, 4, 8 and then every 10 seconds. From the third
// failure on it reports the output as unreachable.
func TestFetchesBackOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, told := aReduce(2)
		f := newFetcher(a, 2)
		a.run.shuffle.publish(1, anOutput(3))
		_, _, wait := f.dueRetry()
		require.Zero(t, wait, "nothing is late")
		for i, want := range []time.Duration{1, 2, 4, 8, 10, 10, 10} {
			want *= time.Second
			f.failed(1, 3)
			require.Len(t, f.retries, 1)
			require.Len(t, *told, max(0, i-1), "reports")
			o, _, wait := f.dueRetry()
			require.Nil(t, o.out)
			require.Equal(t, want, wait)
			time.Sleep(want - 1)
			o, _, wait = f.dueRetry()
			require.Nil(t, o.out)
			require.Equal(t, time.Duration(1), wait)
			time.Sleep(time.Nanosecond)
			o, m, wait := f.dueRetry()
			require.NotNil(t, o.out)
			require.EqualValues(t, 1, m)
			require.Zero(t, wait)
		}
		require.Equal(t, scheduling.LostOutput{Map: 1, Try: 3, Unreachable: true}, (*told)[0].(*fetchFailed).lost)
	})
}

// A reduce with several failed fetches retries the one that is due first. It drops fetches of
// outputs that it has received, or that were recomputed or lost meanwhile.
func TestEarliestDueOutputIsNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, _ := aReduce(4)
		f := newFetcher(a, 4)
		for m := range int32(4) {
			a.run.shuffle.publish(m, anOutput(0))
			f.failed(m, 0)
			time.Sleep(100 * time.Millisecond)
		}
		_, _, wait := f.dueRetry()
		require.Equal(t, 600*time.Millisecond, wait)
		f.isFetched[0] = true
		_, _, wait = f.dueRetry()
		require.Equal(t, 700*time.Millisecond, wait)
		a.run.shuffle.withdraw(1)
		_, _, wait = f.dueRetry()
		require.Equal(t, 800*time.Millisecond, wait)
		a.run.shuffle.publish(2, anOutput(1))
		_, _, wait = f.dueRetry()
		require.Equal(t, 900*time.Millisecond, wait)
		require.Len(t, f.retries, 1)
		f.failed(2, 1)
		_, _, wait = f.dueRetry()
		require.Equal(t, 900*time.Millisecond, wait, "another attempt's output begins at a second")
		time.Sleep(time.Minute)
		o, m, _ := f.dueRetry()
		require.NotNil(t, o.out)
		require.EqualValues(t, 3, m, "the first of those that are due")
	})
}

// A reader of the shuffle gets each published output once, in the order of publication, and is
// woken for new ones. A plain list is the model.
func TestShuffleReportsEachOutput(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const maps = 4
		s := newShuffle(maps)
		known := [maps]int32{-1, -1, -1, -1} // by map, the attempt whose output exists
		var made []int32
		pos, tries := 0, int32(0)
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			m := rapid.Int32Range(0, maps-1).Draw(t, "map")
			switch rapid.IntRange(0, 2).Draw(t, "step") {
			case 0:
				_, at, news := s.after(pos)
				tries++
				s.publish(m, anOutput(tries))
				if news != nil {
					require.Equal(t, pos, min(at, pos))
					require.True(t, isClosed(news), "nobody is woken")
				}
				known[m] = tries
				made = append(made, m)
			case 1:
				if known[m] >= 0 {
					require.Equal(t, known[m], s.withdraw(m).try)
					known[m] = -1
				}
				require.Nil(t, s.output(m).out)
			default:
				at, next, news := s.after(pos)
				for pos < len(made) && known[made[pos]] < 0 {
					pos++
				}
				if pos == len(made) {
					require.NotNil(t, news)
					require.False(t, isClosed(news), "woken for nothing")
				} else {
					require.Nil(t, news)
					require.Equal(t, made[pos], at)
					require.Equal(t, known[at], s.output(at).try)
					pos++
				}
				require.Equal(t, pos, next)
			}
		}
	})
}

// On an emulated network a map reads the nearest live replica. Of several equally near nodes, each
// is chosen by some attempt.
func TestNearestReplicaIsRead(t *testing.T) {
	e := &env{byName: map[string]*place{}}
	for i := range 9 {
		p := &place{id: scheduling.NodeID(i), name: fmt.Sprint("n", i), rack: fmt.Sprint("r", i%3)}
		e.places, e.byName[p.name] = append(e.places, p), p
	}
	rapid.Check(t, func(t *rapid.T) {
		var hosts []string
		var best []string
		least := distances
		at := e.places[rapid.IntRange(0, 8).Draw(t, "at")]
		for _, p := range e.places {
			p.down.Store(rapid.Bool().Draw(t, "down"))
			if !rapid.Bool().Draw(t, "replica") {
				continue
			}
			hosts = append(hosts, p.name)
			if d := p.distance(at); !p.down.Load() && d <= least {
				if d < least {
					least, best = d, nil
				}
				best = append(best, p.name)
			}
		}
		hosts = append(hosts, "unknown")
		chosen := map[string]bool{}
		for i := range 60 {
			a := &attempt{env: e, at: at}
			a.id.Task.Index = int32(i)
			if p := a.nearest(hosts); p != nil {
				chosen[p.name] = true
			}
		}
		require.Len(t, chosen, len(best))
		for _, name := range best {
			require.True(t, chosen[name], name)
		}
	})
}

// fetches counts fetches of outputs by map and attempt. Its config makes chosen fetches fail.
type fetches map[[2]int32]int

func (f fetches) config(fail func(m, try int32, before int) bool) Config {
	return Config{BlockSize: 4, fetch: func(_ scheduling.AttemptID, m, try int32) error {
		before := f[[2]int32{m, try}]
		f[[2]int32{m, try}]++
		if fail(m, try, before) {
			return errFetch
		}
		return nil
	}}
}

// A reduce retries a fetch that fails twice. If an output cannot be fetched at all, its map reruns,
// and the reduce reads the new output. If those of four attempts cannot, the job fails.
func TestFailedFetches(t *testing.T) {
	for _, x := range []struct {
		fails func(m, try int32, before int) bool
		maps  int64
		want  fetches // the only reduce need not report a lost output twice
		error string
	}{
		{func(_, _ int32, before int) bool { return before < 2 }, 2, fetches{{0, 0}: 3, {1, 0}: 3}, ""},
		{func(m, try int32, _ int) bool { return m == 1 && try == 0 }, 3, fetches{{0, 0}: 1, {1, 0}: 3, {1, 1}: 1}, ""},
		{
			func(m, _ int32, _ int) bool { return m == 1 }, 5,
			fetches{{0, 0}: 1, {1, 0}: 3, {1, 1}: 3, {1, 2}: 3, {1, 3}: 3},
			"the output of job_0001_m_000001 could not be fetched: it was made 4 times",
		},
	} {
		f := fetches{}
		bubble(t, f.config(x.fails), func(t *testing.T, c *Cluster) {
			h, out := submitLines(t, c, counting(1), "a b\nc d\n")
			r, err := h.Wait(t.Context())
			maps, _ := launches(r)
			require.Equal(t, x.maps, maps)
			require.Equal(t, x.want, f)
			require.Zero(t, r.Counters.Named(counter.GroupJob, "Failed reduce tasks"))
			if x.maps == 2 {
				require.Equal(t, 3, int(r.Elapsed.Seconds()), "a second, then two")
			}
			if x.error != "" {
				require.ErrorIs(t, err, ErrJobFailed)
				require.ErrorContains(t, err, x.error)
				return
			}
			require.NoError(t, err)
			require.Equal(t, "a\t1\nb\t1\nc\t1\nd\t1\n", out.String())
			require.EqualValues(t, 4, r.Counters.Get(counter.MapOutputRecords))
		})
	}
}
