package actors

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/scheduling"
)

// binding returns a plan that reads text and writes to out.
type binding func(text string, out *bytes.Buffer) (*mapreduce.Plan, error)

// metamorphicJobs returns jobs of every shape, by name: with and without combiner, values in order,
// total order, map-only, whole input.
func metamorphicJobs() map[string]binding {
	lines := func(text string) mapreduce.Input[[]byte] {
		return mapreduce.Lines(mapreduce.Bytes("a", []byte(text)), mapreduce.Bytes("b", []byte(text[:len(text)/3])))
	}
	return map[string]binding{
		"wordcount": func(text string, out *bytes.Buffer) (*mapreduce.Plan, error) {
			return counting(3).Bind(lines(text), mapreduce.Text[pair](mapreduce.Writer("out", out)))
		},
		"count without combiner": func(text string, out *bytes.Buffer) (*mapreduce.Plan, error) {
			job := counting(2)
			job.Sum = false
			return job.Bind(lines(text), mapreduce.Text[pair](mapreduce.Writer("out", out)))
		},
		"values in order": func(text string, out *bytes.Buffer) (*mapreduce.Plan, error) {
			job := mapreduce.Job[[]byte, int, string, string]{
				Map: func(line []byte, emit func(int, string)) error { emit(len(line)%7, string(line)); return nil },
				Reduce: func(k int, vs iter.Seq[string], emit func(string)) error {
					for v := range vs {
						emit(fmt.Sprint(k, v))
					}
					return nil
				},
				Reducers: 3,
			}
			return job.Bind(lines(text), mapreduce.Text[string](mapreduce.Writer("out", out)))
		},
		"sort": func(text string, out *bytes.Buffer) (*mapreduce.Plan, error) {
			job := mapreduce.Job[[]byte, []byte, mapreduce.None, mapreduce.Pair[[]byte, mapreduce.None]]{
				Map: func(line []byte, emit func([]byte, mapreduce.None)) error {
					emit(line, mapreduce.None{})
					return nil
				},
				TotalOrder: true, Reducers: 4,
			}
			return job.Bind(lines(text), mapreduce.Text[mapreduce.Pair[[]byte, mapreduce.None]](mapreduce.Writer("out", out)))
		},
		"map only": func(text string, out *bytes.Buffer) (*mapreduce.Plan, error) {
			job := mapreduce.MapOnly[[]byte, string]{Map: func(line []byte, emit func(string)) error {
				if strings.Contains(string(line), "w7") {
					emit(string(line))
				}
				return nil
			}}
			return job.Bind(lines(text), mapreduce.Text[string](mapreduce.Writer("out", out)))
		},
	}
}

// On clusters of random shape, with random losses of messages and of a node, every job writes what
// RunLocal writes.
func TestSameBytesEverywhere(t *testing.T) {
	runs := 10
	if testing.Short() {
		runs = 5
	}
	for name, bind := range metamorphicJobs() {
		for seed := range uint64(runs) {
			rng := rand.New(rand.NewPCG(seed, 11))
			text := prose(seed, rng.IntN(120))
			if rng.IntN(3) == 0 {
				text = strings.TrimSuffix(text, "\n")
			}
			var want, got bytes.Buffer
			p, err := bind(text, &want)
			require.NoError(t, err)
			_, err = mapreduce.RunLocal(context.Background(), p, mapreduce.LocalOptions{})
			require.NoError(t, err)

			cfg := randomConfig(rng)
			desc := fmt.Sprintf("%s, seed %d: %+v", name, seed, cfg)
			victim := -1
			if cfg.Nodes > 1 && rng.IntN(3) == 0 {
				victim = rng.IntN(cfg.Nodes)
			}
			bubble(t, cfg, func(t *testing.T, c *Cluster) {
				p, err := bind(text, &got)
				require.NoError(t, err)
				h := c.submit(t, p, SubmitOptions{})
				if victim >= 0 {
					require.NoError(t, c.KillNode(c.names()[victim]))
				}
				_, err = h.Wait(context.Background())
				require.NoError(t, err, desc)
				c.requireNothingHeld(t)
			})
			require.Equal(t, want.String(), got.String(), desc)
		}
	}
}

// randomConfig draws the configuration of a cluster. One in four loses a fifth of its messages.
func randomConfig(rng *rand.Rand) Config {
	pick := func(list ...int) int { return list[rng.IntN(len(list))] }
	presets := scheduling.Presets()
	cfg := Config{
		Nodes: pick(1, 2, 5, 9), MapSlots: pick(1, 2, 4), ReduceSlots: pick(1, 2),
		Parallelism: pick(0, 0, 1, 2), BlockSize: int64(pick(1, 13, 200, 100_000)),
		Scheduler: presets[rng.IntN(len(presets))], ReducePlacement: []string{"any", "cogrs", "larts"}[rng.IntN(3)],
		Memory: int64(pick(0, 0, 1<<20)), Seed: rng.Uint64(),
	}
	cfg.Racks = 1 + rng.IntN(cfg.Nodes)
	cfg.Replication = 1 + rng.IntN(min(3, cfg.Nodes))
	if rng.IntN(4) == 0 {
		drops := rand.New(rand.NewPCG(rng.Uint64(), 1))
		lock := make(chan struct{}, 1)
		cfg.deliver = losing(func(any) bool {
			lock <- struct{}{}
			defer func() { <-lock }()
			return drops.IntN(5) == 0
		})
	}
	return cfg
}
