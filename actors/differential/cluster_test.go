package differential

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/mapreduce"
)

// long makes tests run for minutes: with more rows, cases and seeds.
var long = os.Getenv("LONG_TESTS") != ""

var clusters = map[string]actors.Config{
	"one slot":    {MapSlots: 1, ReduceSlots: 1},
	"one node":    {MapSlots: 4, ReduceSlots: 2},
	"racks":       {Nodes: 4, Racks: 2, MapSlots: 2, ReduceSlots: 2},
	"one at once": {Nodes: 5, MapSlots: 2, ReduceSlots: 1, Parallelism: 1},
	"chaos":       {Nodes: 5, Racks: 2, MapSlots: 2, Chaos: &actors.Chaos{Seed: 1}},
}

var memories = map[string]int64{"unlimited": 0, "64KiB": 64 << 10, "1MiB": 1 << 20, "16MiB": 16 << 20}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// onCluster calls f with a cluster and a virtual clock.
func onCluster(t *testing.T, cfg actors.Config, f func(t *testing.T, c *actors.Cluster)) {
	t.Helper()
	cfg.TaskTimeout, cfg.SpillDir = -1, t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		c, err := actors.Start(cfg)
		require.NoError(t, err)
		defer func() {
			require.NoError(t, c.Close())
			time.Sleep(time.Minute) // of the bubble's clock: late messages, and the actor library's throttle of dead letters
			synctest.Wait()
		}()
		f(t, c)
	})
}

// runPlan runs a plan to its end. If lost is set, it kills a node while the plan runs.
// Without a cluster it runs the plan in RunLocal.
func runPlan(c *actors.Cluster, p *mapreduce.Plan, lost bool) (actors.Result, error) {
	if c == nil {
		_, err := mapreduce.RunLocal(context.Background(), p, mapreduce.LocalOptions{})
		return actors.Result{}, err
	}
	h, err := c.Submit(context.Background(), p, actors.SubmitOptions{})
	if err != nil {
		return actors.Result{}, err
	}
	if lost {
		synctest.Wait()
		if err := c.KillNode(c.Nodes()[len(c.Nodes())-1]); err != nil {
			return actors.Result{}, err
		}
	}
	return h.Wait(context.Background())
}

// numbered returns an input whose records are the numbers from 0 to n-1, and its size in bytes.
func numbered(form string, n int) (mapreduce.Input[[]byte], int) {
	var text []byte
	var list [][]byte
	format := "%d\n"
	if form == "fixed" {
		format = "%05d"
	}
	for i := range n {
		list = append(list, fmt.Append(nil, i))
		text = fmt.Appendf(text, format, i)
	}
	half := len(text) / 2
	half = bytes.LastIndexByte(text[:half], '\n') + 1
	switch form {
	case "lines":
		return mapreduce.Lines(mapreduce.Bytes("a", text[:half]), mapreduce.Bytes("b", text[half:])), len(text)
	case "fixed":
		return mapreduce.FixedSize(5, mapreduce.Bytes("fixed", text)), len(text)
	case "stream":
		return mapreduce.Lines(mapreduce.Stream("-", bytes.NewReader(text))), len(text)
	case "seq":
		return mapreduce.Seq(slices.Values(list)), len(list)
	default:
		return mapreduce.Slice(list), len(list)
	}
}

// readParts returns the lines of each part of an output, of reduces or of maps.
func readParts(dir string) (parts [][]string, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "part-*"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		lines := strings.Split(string(b), "\n")
		parts = append(parts, lines[:len(lines)-1])
	}
	return parts, nil
}

// job has the functions of a trial, but not its type parameters.
type job struct {
	records int
	want    func() []wanted
	bind    func(in mapreduce.Input[[]byte], out mapreduce.Output[string]) (*mapreduce.Plan, error)
	pass    func(in mapreduce.Input[[]byte], to mapreduce.Destination) (*mapreduce.Plan, error)
}

// runJob runs a job on its own cluster and returns the first difference from the expected output.
func runJob(t *testing.T, cfg actors.Config, j job, p plan, input string) error {
	in, size := numbered(input, j.records)
	if p.trouble == "slow" {
		cfg.HeartbeatInterval = 5 * time.Second // spares work while hours of virtual time pass
	}
	if cfg.BlockSize > 0 {
		cfg.BlockSize = max(cfg.BlockSize, int64(size/30)) // at most about 30 maps
	}
	return runInput(t, cfg, j, p, in)
}

// runExact is like runJob, but keeps cfg.BlockSize: with a record's size, each record has a map.
func runExact(t *testing.T, cfg actors.Config, j job, p plan) error {
	in, _ := numbered("fixed", j.records)
	return runInput(t, cfg, j, p, in)
}

func runInput(t *testing.T, cfg actors.Config, j job, p plan, in mapreduce.Input[[]byte]) (wrong error) {
	run := func(t *testing.T, c *actors.Cluster) {
		parts, err := j.output(t, c, in, p)
		if wrong = err; err == nil {
			wrong = p.differs(j.want(), parts)
		}
	}
	if p.local {
		run(t, nil)
	} else {
		onCluster(t, cfg, run)
	}
	return wrong
}

// output runs the job and returns the lines of its parts.
func (j *job) output(t *testing.T, c *actors.Cluster, in mapreduce.Input[[]byte], p plan) ([][]string, error) {
	if p.reduceForm == "none" {
		dir := filepath.Join(t.TempDir(), "out")
		pl, err := j.pass(in, mapreduce.Dir(dir))
		if err == nil {
			_, err = runPlan(c, pl, p.trouble == "lost")
		}
		if err != nil {
			return nil, err
		}
		return readParts(dir)
	}
	var out mapreduce.Collected[string]
	pl, err := j.bind(in, out.Output())
	if err == nil {
		_, err = runPlan(c, pl, p.trouble == "lost")
	}
	if err != nil {
		return nil, err
	}
	return out.Parts()
}

func first[A, B any](a A, _ B) A { return a }
