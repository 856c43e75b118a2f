package own

import (
	"context"
	"errors"
	"io"
	"iter"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/calls"
	"github.com/tarry-mr/tarry/scheduling/simulator"
)

// liveCluster returns the validation's live cluster, with an emulated network.
func liveCluster(p scheduling.Policy, seed uint64) actors.Config {
	return actors.Config{
		Nodes: validationNodes, Racks: validationRacks, MapSlots: validationMapSlots,
		ReduceSlots: 1, BlockSize: validationBlock,
		Policy: p, HeartbeatInterval: validationHeartbeat, Seed: seed,
		Network: actors.NetworkConfig{
			NodeLink: validationLink, Oversubscription: validationOver,
		},
		Calls: func(*calls.Call) {},
	}
}

// runLive runs the jobs on a live cluster. cfg.Calls gets the calls of its Core.
func runLive(ctx context.Context, jobs []validationJob, cfg actors.Config) (o *liveRun, err error) {
	o = &liveRun{}
	next := cfg.Calls
	cfg.Calls = func(c *calls.Call) {
		if c.Op == calls.Submit {
			places := c.Submit.Places
			o.places = append(o.places, scheduling.Places{
				Offsets: slices.Clone(places.Offsets), Nodes: slices.Clone(places.Nodes),
			})
		}
		next(c)
	}
	cluster, err := actors.Start(cfg)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, cluster.Close()) }()
	began := time.Now()
	var handles []*actors.JobHandle
	for _, j := range jobs {
		if err := sleep(ctx, j.Submit-time.Since(began)); err != nil {
			return nil, err
		}
		plan, err := j.plan()
		if err != nil {
			return nil, err
		}
		h, err := cluster.Submit(ctx, plan, actors.SubmitOptions{User: j.User})
		if err != nil {
			return nil, err
		}
		handles = append(handles, h)
	}
	for _, h := range handles {
		r, err := h.Wait(ctx)
		if err != nil {
			return nil, err
		}
		o.add(r)
	}
	return o, nil
}

// add adds a live job's sojourn time, localities and shuffled bytes to the run.
func (o *liveRun) add(r actors.Result) {
	maps := func(name string) int { return int(r.Counters.Named(counter.GroupJob, name+" map tasks")) }
	bytes := func(name string) int64 { return r.Counters.Named("CoGRS", name+" shuffle bytes") }
	j := simulator.JobResult{
		Ended: r.Elapsed, Done: true,
		Maps: simulator.MapPlaces{
			NodeLocal: maps("Data-local"), RackLocal: maps("Rack-local"), OffRack: maps("Other local"),
		},
		Shuffle: simulator.ShuffleBytes{
			NodeLocal: bytes("Node-local"), RackLocal: bytes("Rack-local"), OffRack: bytes("Off-rack"),
		},
	}
	o.Jobs = append(o.Jobs, j)
	o.Report.Maps.Add(j.Maps)
	o.Report.Shuffle.Add(j.Shuffle)
	n := float64(len(o.Jobs))
	o.Report.Sojourn.Mean += (r.Elapsed.Seconds() - o.Report.Sojourn.Mean) / n
}

// plan makes a job whose maps sleep and emit the same bytes to each partition, and whose reduces
// sleep.
func (j validationJob) plan() (*mapreduce.Plan, error) {
	in := mapreduce.FixedSize(validationBlock,
		mapreduce.Bytes(j.Name, make([]byte, j.InputBytes)))
	out := mapreduce.Text[[]byte](mapreduce.Writer(j.Name, io.Discard))
	if j.Reduces == 0 {
		return mapreduce.MapOnly[[]byte, []byte]{
			Name: j.Name, MapTask: func(t *mapreduce.Task) (mapreduce.Filter[[]byte, []byte], error) {
				return mapreduce.Filter[[]byte, []byte]{Map: func([]byte, func([]byte)) error {
					return sleep(t.Context(), j.time(t, j.Map))
				}}, nil
			},
		}.Bind(in, out)
	}
	value := make([]byte, validationOutput/j.Reduces)
	return mapreduce.Job[[]byte, int64, []byte, []byte]{
		Name: j.Name, Reducers: j.Reduces,
		Partition: func(key int64, reduces int) int { return int(key) % reduces },
		MapTask: func(t *mapreduce.Task) (mapreduce.Mapper[[]byte, int64, []byte], error) {
			return mapreduce.Mapper[[]byte, int64, []byte]{
				Map: func(_ []byte, emit func(int64, []byte)) error {
					for p := range j.Reduces {
						emit(int64(p), value)
					}
					return sleep(t.Context(), j.time(t, j.Map))
				},
			}, nil
		},
		ReduceTask: func(t *mapreduce.Task) (mapreduce.Reducer[int64, []byte, []byte], error) {
			return mapreduce.Reducer[int64, []byte, []byte]{
				Reduce: func(int64, iter.Seq[[]byte], func([]byte)) error {
					return sleep(t.Context(), j.time(t, j.Reduce))
				},
			}, nil
		},
	}.Bind(in, out)
}

// sleep sleeps for d, or until ctx is done.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(max(d, 0))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// onFakeClock runs f for each number below n, several at a time, on a fake clock: time advances as
// soon as all goroutines of f wait. A live cluster then takes only its computing time and is never
// late. Only package synctest has such a clock, and only for tests, so each f runs as a separate
// test. ctx ends onFakeClock between two runs, because a run cannot wait for channels of another
// clock.
func onFakeClock(ctx context.Context, n int, f func(ctx context.Context, i int) error) error {
	testing.Init()
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		all.Go(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			var err error
			synctest.Test(new(testing.T), func(t *testing.T) {
				err = f(t.Context(), i)
				synctest.Wait()
				time.Sleep(time.Second) // the actor library's throttle of dead letters
				synctest.Wait()
			})
			return err
		})
	}
	return all.Wait()
}
