package actors

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/state"
	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/dfs/stores"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/scheduling"
)

// TestChaos runs jobs on a live cluster in virtual time under a plan of faults drawn from a seed
// (chaosplan_test.go): nodes die, stop, return, are cordoned or cut off; messages are lost, late or
// doubled; user code fails or hangs; disks are full or damage data; jobs are killed; the JobTracker
// panics. Each output equals that of RunLocal, or its job failed for a cause in the plan. At the
// end the cluster runs another job and holds no resources. The test shrinks a failing plan, and
// prints it with a command that repeats it.
//
// It runs 300 seeds, or 10,000 with LONG_TESTS=1. TARRY_SEED=N runs one seed, TARRY_SEED=A-B a
// range. With one seed, TARRY_FAULTS=0,2 keeps only these faults of its plan.
func TestChaos(t *testing.T) {
	first, last := uint64(0), uint64(299)
	switch {
	case os.Getenv("TARRY_SEED") != "":
		from, to, some := strings.Cut(os.Getenv("TARRY_SEED"), "-")
		if !some {
			to = from
		}
		var err error
		first, err = strconv.ParseUint(from, 10, 64)
		require.NoError(t, err)
		last, err = strconv.ParseUint(to, 10, 64)
		require.NoError(t, err)
	case os.Getenv("LONG_TESTS") != "":
		last = 9_999
	case testing.Short() || raceEnabled:
		last = 29
	}
	const lanes = 4
	for lane := range uint64(lanes) {
		t.Run(fmt.Sprint(lane), func(t *testing.T) {
			t.Parallel()
			for seed := first + lane; seed <= last; seed += lanes {
				p := drawPlan(seed)
				if list := os.Getenv("TARRY_FAULTS"); list != "" {
					var err error
					p, err = p.only(list)
					require.NoError(t, err)
				}
				if err := chaos(t, p); err != nil {
					p = p.shrink(func(q chaosPlan) bool { return chaos(t, q) != nil })
					t.Fatalf("%v\n%v\n%s", err, p, p.replay())
				}
			}
		})
	}
}

// chaosEnd is the virtual time within which every job must end once faults stop.
const chaosEnd = time.Hour

// chaosJob is a job of a chaotic cluster with its expected output.
type chaosJob struct {
	handle *JobHandle
	want   string
	got    func() (string, error)
}

// chaos runs a plan on a new cluster. It returns the first violated rule as an error.
func chaos(t *testing.T, p chaosPlan) (err error) {
	m := newMischief(t, p)
	schedulers := []string{"hfs", "fifo", "fair", "delay", "hfsp", "srpt", ""}
	cfg := Config{
		Nodes: chaosNodes, Racks: 2, Replication: 3, Expiry: 20 * time.Second, MapSlots: 2, ReduceSlots: 1,
		BlockSize: 400, Seed: p.seed, Scheduler: schedulers[p.seed%uint64(len(schedulers))],
		deliver: m.deliver, spillFile: m.spillFile, TaskTimeout: 40 * time.Second,
	}
	if p.remembers() {
		saved, err := state.Open(t.TempDir(), scheduling.Parts{})
		if err != nil {
			return err
		}
		defer func() { _ = saved.Close() }()
		cfg.State = saved
	}
	if p.seed%3 == 0 || p.has(faultSpill, faultFull) {
		cfg.Memory = 1 // forces each map to spill its output
	}
	synctest.Test(t, func(t *testing.T) {
		m.start = time.Now()
		c, startErr := Start(cfg)
		if startErr != nil {
			err = startErr
			return
		}
		err = m.play(c)
		err = errors.Join(err, c.Close())
		pass(time.Minute) // late messages, and the actor library's throttle of dead letters
		if idle, used := c.env.buffers.Idle(), c.env.memory.Used(); idle != used {
			err = errors.Join(err, fmt.Errorf("%d bytes of memory are held, %d of them for reuse", used, idle))
		}
		if open := m.open.Load(); open > 0 {
			err = errors.Join(err, fmt.Errorf("%d spill files are open", open))
		}
		m.forget()
	})
	return err
}

// play submits the jobs, causes the plan's faults, and checks the outputs and one job more.
func (m *mischief) play(c *Cluster) error {
	jobs, err := m.submit(c)
	if err != nil {
		return err
	}
	var handles []*JobHandle
	for _, j := range jobs {
		handles = append(handles, j.handle)
	}
	for _, f := range m.plan.faults {
		time.Sleep(f.at - time.Since(m.start))
		if err := m.command(c, handles, f); err != nil {
			return fmt.Errorf("%v: %w", f, err)
		}
	}
	for i, j := range jobs {
		if err := m.wait(i, j); err != nil {
			return err
		}
	}
	time.Sleep(time.Minute) // the last faults end
	last, err := m.count(c, chaosJobs, prose(m.plan.seed, 20))
	if err != nil {
		return err
	}
	return m.wait(chaosJobs, last)
}

// wait waits for a job's end and compares its output, or checks whether the plan explains its
// error.
func (m *mischief) wait(i int, j chaosJob) error {
	if j.handle == nil {
		return nil // a fault of the plan made Submit fail
	}
	ctx, cancel := context.WithTimeout(context.Background(), chaosEnd)
	defer cancel()
	if _, err := j.handle.Wait(ctx); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("job %d does not end within %v", i, chaosEnd)
		}
		if !m.toBlame(i, err) {
			return fmt.Errorf("job %d fails for no fault of the plan: %w", i, err)
		}
		return nil
	}
	got, err := j.got()
	if err != nil {
		return fmt.Errorf("job %d succeeds, its output cannot be read: %w", i, err)
	}
	if got != j.want {
		return fmt.Errorf("job %d succeeds and writes %d bytes, not the oracle's %d", i, len(got), len(j.want))
	}
	return nil
}

// toBlame reports whether the plan has a fault that explains the error of a job.
func (m *mischief) toBlame(job int, err error) bool {
	ofJob := func(kinds ...faultKind) bool {
		for _, f := range m.plan.faults {
			for _, k := range kinds {
				if f.kind == k && f.job == job {
					return true
				}
			}
		}
		return false
	}
	switch {
	case job == chaosJobs:
		return false
	case errors.Is(err, ErrJobKilled):
		return ofJob(faultKillJob)
	case errors.Is(err, errScheduler):
		return m.plan.panics() >= 3 || m.plan.panics() > 0 && !m.plan.remembers() // three panics of one call fail all jobs
	case errors.Is(err, ErrTaskTimeout):
		return ofJob(faultStuck)
	case errors.Is(err, errChaos), errors.Is(err, cluster.ErrExited):
		return ofJob(faultError, faultPanic, faultExit)
	case errors.Is(err, dfs.ErrNoReplica):
		return m.plan.has(faultFlip, faultKill, faultStop, faultCut, faultNet)
	case errors.Is(err, cluster.ErrDamagedSpill):
		return m.plan.has(faultSpill)
	case errors.Is(err, syscall.ENOSPC):
		return m.plan.has(faultFull) || job == 2 && m.plan.has(faultOutput)
	case errors.Is(err, syscall.EIO):
		return m.plan.has(faultSpill) || job == 2 && m.plan.has(faultOutput)
	}
	return false
}

// submit submits three jobs: one combines, one sorts, one reads and writes the block store.
func (m *mischief) submit(c *Cluster) (jobs []chaosJob, err error) {
	text := prose(m.plan.seed, 60)
	for i, make := range []func(*Cluster, int, string) (chaosJob, error){m.count, m.sort, m.stored} {
		j, err := make(c, i, text)
		if err != nil && !m.toBlame(i, err) {
			return nil, err
		}
		jobs = append(jobs, j)
	}
	return jobs, nil
}

// slowly returns j with maps that begin after half a second and suffer the plan's faults for job.
func (m *mischief) slowly(job int, j countJob) countJob {
	plain := j.Map
	j.Map = nil
	j.MapTask = func(t *mapreduce.Task) (mapper, error) {
		time.Sleep(500 * time.Millisecond)
		return mapper{Map: plain}, m.strike(job, t)
	}
	return j
}

func (m *mischief) count(c *Cluster, i int, text string) (chaosJob, error) {
	return m.buffered(c, i, counting(2), text)
}

func (m *mischief) sort(c *Cluster, i int, text string) (chaosJob, error) {
	return m.buffered(c, i, sorting(2), text)
}

// buffered submits a job that writes to memory.
func (m *mischief) buffered(c *Cluster, i int, job countJob, text string) (chaosJob, error) {
	out := new(bytes.Buffer)
	p, err := m.slowly(i, job).Bind(mapreduce.Lines(mapreduce.Bytes("text", []byte(text))), mapreduce.Text[pair](mapreduce.Writer("out", out)))
	if err != nil {
		return chaosJob{}, err
	}
	h, err := c.Submit(context.Background(), p, SubmitOptions{User: fmt.Sprint("user", i%2)})
	return chaosJob{h, oracle(m.t, job, text), func() (string, error) { return out.String(), nil }}, err
}

// stored submits a job that reads the block store and writes to it.
func (m *mischief) stored(c *Cluster, i int, text string) (chaosJob, error) {
	if err := c.FS().WriteFile("in", []byte(text)); err != nil {
		return chaosJob{}, err
	}
	in, err := mapreduce.FS(c.FS(), "in")
	if err != nil {
		return chaosJob{}, err
	}
	scheme := fmt.Sprint("chaos", plans.Add(1))
	out := &badOutput{c.FS(), m}
	stores.Register(scheme, func(string) (stores.Store, error) { return out, nil })
	m.forget = func() { *out = badOutput{} } // package stores keeps it for ever
	to := mapreduce.Dir(scheme + "://cluster/out")
	p, err := m.slowly(i, counting(2)).Bind(mapreduce.Lines(in...), mapreduce.Text[pair](to))
	if err != nil {
		return chaosJob{}, err
	}
	h, err := c.Submit(context.Background(), p, SubmitOptions{})
	return chaosJob{h, oracle(m.t, counting(2), text), func() (string, error) {
		var all strings.Builder
		for part := range 2 {
			b, err := fs.ReadFile(c.FS(), fmt.Sprintf("out/part-r-%05d", part))
			if err != nil {
				return "", err
			}
			all.Write(b)
		}
		return all.String(), nil
	}}, err
}
