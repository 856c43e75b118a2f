package actors

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// fails makes the first attempts of some tasks fail, by error or by panic, at one of their records.
func (j *randomJob[K, V]) fails(id mapreduce.AttemptID, record int) error {
	if j.order == "total" && id.Kind == cluster.MapKind { // a total order's sample has no retries
		return nil
	}
	return failsAt(j.failures, id, record)
}

// failsAt fails, by error or panic, in attempts and at records that the seed selects. 0 selects
// none.
func failsAt(seed uint64, id mapreduce.AttemptID, record int) error {
	if seed == 0 {
		return nil
	}
	r := rand.New(rand.NewPCG(seed, uint64(id.Kind)<<32|uint64(id.Index)))
	if id.Try >= r.IntN(3) || record < 1+r.IntN(20) {
		return nil
	}
	if r.IntN(2) == 0 {
		panic("a panic to be tried again")
	}
	return errors.New("an error to be tried again")
}

// randomOf returns the engine's job for j, without its Reduce.
func randomOf[K, V, O any](j *randomJob[K, V]) mapreduce.Job[[]byte, K, V, O] {
	job := mapreduce.Job[[]byte, K, V, O]{Name: "random", Reducers: j.reduces, Descending: j.descending, TotalOrder: j.order == "total"}
	if len(j.keys.fields) > 1 {
		job.GroupFields = j.group
	}
	job.MapTask = func(t *mapreduce.Task) (mapreduce.Mapper[[]byte, K, V], error) {
		n := 0
		return mapreduce.Mapper[[]byte, K, V]{Map: func(in []byte, emit func(K, V)) error {
			record, err := strconv.Atoi(string(in))
			if err != nil {
				return err
			}
			for _, e := range j.records[record] {
				emit(e.key, e.value)
			}
			n++
			return j.fails(t.ID(), n)
		}}, nil
	}
	switch j.combine {
	case "combine":
		job.Combine = j.values.fold
	case "sum":
		job.Sum = true
	}
	if j.order == "custom" {
		job.Partition = j.partition
	}
	return job
}

// grouping returns a Reduce that writes each key with all its values in one line.
func (j *randomJob[K, V]) grouping(t *mapreduce.Task) (mapreduce.Reducer[K, V, string], error) {
	n := 0
	return mapreduce.Reducer[K, V, string]{Reduce: func(k K, values iter.Seq[V], emit func(string)) error {
		name := j.keys.show(k)
		var shown []string
		var all V
		for v := range values {
			if shown = append(shown, j.values.show(v)); len(shown) == 1 {
				all = v
			} else {
				all = j.values.fold(all, v) // changes its first argument
			}
			if n++; n > 1 {
				if err := j.fails(t.ID(), n); err != nil {
					return err
				}
			}
		}
		emit(name + ": " + strings.Join(shown, ", "))
		return nil
	}}, nil
}

// in returns the input of the job. Its records are the indexes of j.records, as decimal text.
func (j *randomJob[K, V]) in() mapreduce.Input[[]byte] {
	var lines, fixed []byte
	var list [][]byte
	for i := range j.records {
		list = append(list, strconv.AppendInt(nil, int64(i), 10))
		lines = fmt.Appendln(lines, i)
		fixed = fmt.Appendf(fixed, "%05d", i)
	}
	switch j.input {
	case "lines":
		half := bytes.LastIndexByte(lines[:len(lines)/2], '\n') + 1
		return mapreduce.Lines(mapreduce.Bytes("a", lines[:half]), mapreduce.Bytes("b", lines[half:]))
	case "fixed":
		return mapreduce.FixedSize(5, mapreduce.Bytes("fixed", fixed))
	case "seq":
		return mapreduce.Seq(slices.Values(list))
	default:
		return mapreduce.Slice(list)
	}
}

// reducing returns a plan of the job with Reduce that writes to the directory.
func (j *randomJob[K, V]) reducing(dir string) (*mapreduce.Plan, error) {
	job := randomOf[K, V, string](j)
	job.ReduceTask = j.grouping
	return job.Bind(j.in(), mapreduce.Text[string](mapreduce.Dir(dir)))
}

// passing returns a plan of the job without Reduce that writes pairs to the directory.
func (j *randomJob[K, V]) passing(dir string) (*mapreduce.Plan, error) {
	type pair = mapreduce.Pair[K, V]
	j.identity = true
	return randomOf[K, V, pair](j).Bind(j.in(), mapreduce.Encoded(mapreduce.Dir(dir), func(dst []byte, p pair) ([]byte, error) {
		return fmt.Appendln(dst, j.line(p.First, []string{j.values.show(p.Second)})), nil
	}))
}

// copyOf returns a deep copy of a value, for a fold that may change its arguments.
func (j *randomJob[K, V]) copyOf(v V) V {
	switch v := any(v).(type) {
	case counts:
		return any(counts{slices.Clone(v.Tags), slices.Clone(v.N), set{slices.Clone(v.Set.members)}}).(V)
	case set:
		return any(set{slices.Clone(v.members)}).(V)
	default:
		return v.(V)
	}
}

// trial and passing return trials of jobs with these types, with and without a Reduce.
func trial[K, V any](keys keyKind[K], values valueKind[V]) randomTrial {
	return func(t *testing.T, seed uint64, r *rand.Rand) {
		j := drawJob(r, keys, values)
		runRandom(t, seed, r, j, j.reducing)
	}
}

func passing[K, V any](keys keyKind[K], values valueKind[V]) randomTrial {
	return func(t *testing.T, seed uint64, r *rand.Rand) {
		j := drawJob(r, keys, values)
		runRandom(t, seed, r, j, j.passing)
	}
}

func (j *randomJob[K, V]) parts() int { return j.reduces }
func (j *randomJob[K, V]) size() int  { return len(j.records) }
func (j *randomJob[K, V]) calm()      { j.failures = 0 }

// randomTask is a job of a random trial.
type randomTask interface {
	fmt.Stringer
	parts() int
	size() int // in records
	calm()     // makes all attempts succeed
	check(t *testing.T, got [][]string, desc string)
}

// runRandom runs a job on a random cluster, or one in eight by RunLocal, and checks its output.
func runRandom(t *testing.T, seed uint64, r *rand.Rand, j randomTask, bind func(dir string) (*mapreduce.Plan, error)) {
	cfg := randomConfig(r)
	cfg.BlockSize = max(cfg.BlockSize, int64(j.size()/20)) // fewer maps than records
	local, kill := r.IntN(8) == 0, cfg.Nodes > 1 && r.IntN(4) == 0
	if local {
		j.calm()
	}
	desc := fmt.Sprintf("rerun with: TARRY_SEED=%d go test -run TestRandomJobs ./actors\n%v\n%+v", seed, j, cfg)
	out := filepath.Join(t.TempDir(), "out")
	p, err := bind(out)
	require.NoError(t, err, desc)
	if local {
		_, err := mapreduce.RunLocal(context.Background(), p, mapreduce.LocalOptions{})
		require.NoError(t, err, desc)
	} else {
		bubble(t, cfg, func(t *testing.T, c *Cluster) {
			h := c.submit(t, p, SubmitOptions{})
			if kill {
				require.NoError(t, c.KillNode(c.names()[r.IntN(cfg.Nodes)]))
			}
			_, err := h.Wait(context.Background())
			require.NoError(t, err, desc)
			c.requireNothingHeld(t)
		})
	}
	j.check(t, readParts(t, out, j.parts()), desc)
}

func readParts(t *testing.T, dir string, reduces int) [][]string {
	parts := make([][]string, reduces)
	for i := range parts {
		b, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("part-r-%05d", i)))
		require.NoError(t, err)
		for line := range bytes.Lines(b) {
			parts[i] = append(parts[i], string(bytes.TrimSuffix(line, []byte("\n"))))
		}
	}
	return parts
}
