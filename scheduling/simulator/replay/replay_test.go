package replay

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// recorded simulates w and returns the recording of its events.
func recorded(t *testing.T, cfg simulator.Config, w *workload.Workload) *Recording {
	t.Helper()
	var r Reader
	cfg.Core.Explain = true
	cfg.Core.Events = func(e event.Event) {
		line := e.AppendJSON(nil)
		back, err := Decode(line)
		require.NoError(t, err)
		require.NoError(t, r.Add(back), "%s", line)
	}
	_, err := simulator.Run(t.Context(), cfg, w)
	require.NoError(t, err)
	rec, err := r.End()
	require.NoError(t, err)
	return rec
}

func preset(t *testing.T, name string) scheduling.Policy {
	t.Helper()
	p, err := scheduling.Preset(name)
	require.NoError(t, err)
	return p
}

func mixed(jobs int) *workload.Workload {
	w := workload.FacebookMixed(rand.New(rand.NewPCG(1, 2)))
	w.Jobs = w.Jobs[:jobs]
	return &w
}

// The nodes of a replay have the numbers, names and racks of the recording, also if the racks
// alternate: ties go to the first node.
func TestNodesKeepTheirNumbers(t *testing.T) {
	cfg := simulator.Config{Policy: preset(t, "fair")}
	for i := range 5 {
		cfg.Cluster.Machines = append(cfg.Cluster.Machines, simulator.Machine{Rack: i % 2, MapSlots: 2, ReduceSlots: 1})
	}
	joined := func(list *[]event.Event) func(event.Event) {
		return func(e event.Event) {
			if e.Type == event.Joined {
				*list = append(*list, e)
			}
		}
	}
	var r Reader
	var was, again []event.Event
	first := joined(&was)
	cfg.Core.Events = func(e event.Event) {
		first(e)
		require.NoError(t, r.Add(e))
	}
	_, err := simulator.Run(t.Context(), cfg, mixed(3))
	require.NoError(t, err)
	rec, err := r.End()
	require.NoError(t, err)
	_, err = rec.Run(t.Context(), rec.Policy, nil, joined(&again))
	require.NoError(t, err)
	require.Len(t, was, 5)
	require.Equal(t, was, again)
}

// A live JobTracker takes some time to launch the first tasks of a job, a replay none. One that was
// suspended shortly before its end must not end before in a replay: it takes that time in addition.
func TestSuspendedTasksTakeTheLagOfTheirLaunch(t *testing.T) {
	var r Reader
	for _, line := range []string{
		`{"at":0,"type":"began","node":-1,"began":{"schema":2,"seed":1,"nodes":1,"racks":1},"policy":{"Order":"fifo"}}`,
		`{"at":0,"type":"joined","node":0,"node_name":"a","rack":"r","slots":[1,1]}`,
		`{"at":1000000,"type":"submitted","job":1,"node":-1,"tasks":[1,0],"places":{"each":1,"nodes":[0]}}`,
		`{"at":11000000,"type":"launched","job":1,"attempt":"job_0001_m_000000_0","node":0,"locality":"node-local"}`,
		`{"at":61000000,"type":"suspended","job":1,"attempt":"job_0001_m_000000_0","node":0,"locality":"node-local"}`,
		`{"at":81000000,"type":"resumed","job":1,"attempt":"job_0001_m_000000_0","node":0,"locality":"node-local","held":20000000}`,
		`{"at":131000000,"type":"succeeded","job":1,"attempt":"job_0001_m_000000_0","node":0,"locality":"node-local","held":20000000}`,
		`{"at":131000000,"type":"finished","job":1,"node":-1,"state":"succeeded"}`,
	} {
		e, err := Decode([]byte(line))
		require.NoError(t, err)
		require.NoError(t, r.Add(e))
	}
	rec, err := r.End()
	require.NoError(t, err)
	out, err := rec.Run(t.Context(), preset(t, "fifo"), nil, nil)
	require.NoError(t, err)
	require.InDelta(t, 0.130, out.Recorded.Sojourn.Mean, 1e-9)
	require.InDelta(t, 0.110, out.Again.Sojourn.Mean, 0.001)
}

// A replay under the recorded policy gives the recorded times. They are exact if a slot is offered
// at once, and approximate if ends are reported with the next heartbeat or flows share links.
func TestSamePolicyComesBack(t *testing.T) {
	t.Parallel()
	type change func(*simulator.Config)
	kinds := []struct {
		name    string
		by      float64 // allowed difference, as a fraction of the mean sojourn
		points  float64 // allowed difference of locality, as a fraction
		presets []string
		change  change
	}{
		{"factors", 1e-6, 1e-6, []string{"fifo", "fair", "delay", "hfs", "capacity", "srpt", "quincy"}, func(*simulator.Config) {}},
		{"training", 0.02, 0.001, []string{"hfsp"}, func(*simulator.Config) {}}, // its progress is rarely in events
		{"cogrs", 1e-4, 1e-6, []string{"hfs", "srpt"}, func(c *simulator.Config) { c.Policy.Reduce.Rule = scheduling.CoGRS }},
		{"flows", 0.02, 0.005, []string{"fifo", "fair", "hfs"}, func(c *simulator.Config) {
			c.Network = simulator.Network{Flows: true, Oversubscription: 5}
		}},
		{"heartbeats", 0.001, 0.001, []string{"fifo", "hfs", "srpt"}, func(c *simulator.Config) { c.Drive = simulator.HeartbeatDrive }},
		{"out of band", 0.001, 0.001, []string{"fair", "hfs"}, func(c *simulator.Config) { c.Drive = simulator.OutOfBandDrive }},
		{"stragglers", 0.001, 0.001, []string{"fifo", "hfs"}, func(c *simulator.Config) {
			c.Cluster.Stragglers, c.Policy.Speculation.Rule = 0.05, scheduling.LATE
		}},
		{"failing tasks", 0.005, 0.001, []string{"fair", "hfs"}, func(c *simulator.Config) { c.Failures.TaskFails = 0.02 }},
		{"failing nodes", 0.02, 0.005, []string{"fair", "hfs"}, func(c *simulator.Config) { c.Failures.MTBF = time.Hour }},
	}
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			for _, name := range kind.presets {
				cfg := simulator.Config{Cluster: simulator.Cluster{Nodes: 12, Racks: 3}, Policy: preset(t, name), Seed: 3}
				kind.change(&cfg)
				rec := recorded(t, cfg, mixed(12))
				got, err := rec.Run(t.Context(), rec.Policy, nil, nil)
				require.NoError(t, err)
				was, is := got.Recorded.Sojourn.Mean, got.Again.Sojourn.Mean
				wasLocal, isLocal := got.Recorded.Maps.Share(scheduling.NodeLocal), got.Again.Maps.Share(scheduling.NodeLocal)
				t.Logf("%s: mean sojourn %.3f s, again %+.4f %%; node-local %.2f %%, again %+.2f points", name, was, 100*(is/was-1), 100*wasLocal, 100*(isLocal-wasLocal))
				assert.InEpsilon(t, was, is, kind.by, name)
				assert.InDelta(t, wasLocal, isLocal, kind.points, name)
			}
		})
	}
}

// A replay under another policy predicts the sign and the size of the change in mean sojourn time.
func TestOtherPolicyChangesTheSame(t *testing.T) {
	t.Parallel()
	agreed, all := 0, 0
	for _, flows := range []bool{false, true} {
		for _, from := range []string{"fifo", "hfs"} {
			cfg := simulator.Config{Cluster: simulator.Cluster{Nodes: 12, Racks: 3}, Network: simulator.Network{Flows: flows}, Seed: 3}
			if flows {
				cfg.Network.Oversubscription = 5
			}
			cfg.Policy = preset(t, from)
			rec := recorded(t, cfg, mixed(12))
			for _, to := range []string{"fifo", "fair", "capacity", "hfsp", "srpt", "hfs"} {
				cfg.Policy = preset(t, to)
				really, err := simulator.Run(t.Context(), cfg, mixed(12))
				require.NoError(t, err)
				said, err := rec.Run(t.Context(), cfg.Policy, nil, nil)
				require.NoError(t, err)
				was := said.Recorded.Sojourn.Mean
				change, guess := really.Report.Sojourn.Mean/was-1, said.Again.Sojourn.Mean/was-1
				t.Logf("flows %v, %s → %s: mean sojourn really %+.1f %%, said %+.1f %%", flows, from, to, 100*change, 100*guess)
				assert.InDelta(t, change, guess, 0.03)
				if math.Abs(change) < 0.03 {
					continue
				}
				all++
				if (change > 0) == (guess > 0) {
					agreed++
				}
			}
		}
	}
	t.Logf("%d of %d signs agree", agreed, all)
	require.Greater(t, all, 10)
	require.Equal(t, all, agreed)
}

// events returns the events of a small simulation.
func events(t *testing.T) (list []event.Event) {
	t.Helper()
	cfg := simulator.Config{Cluster: simulator.Cluster{Nodes: 4, Racks: 2}, Policy: preset(t, "hfs"), Seed: 3}
	cfg.Core.Explain = true
	cfg.Core.Events = func(e event.Event) { list = append(list, e) }
	_, err := simulator.Run(t.Context(), cfg, mixed(4))
	require.NoError(t, err)
	return list
}

// read returns the error of a Reader that gets the events of list, or nil.
func read(list []event.Event) error {
	var r Reader
	for _, e := range list {
		if err := r.Add(e); err != nil {
			return err
		}
	}
	_, err := r.End()
	return err
}

// An incomplete recording is rejected, with the reason.
func TestRefused(t *testing.T) {
	t.Parallel()
	list := events(t)
	require.NoError(t, read(list))
	without := func(drop func(event.Event) bool) []event.Event {
		return slices.DeleteFunc(slices.Clone(list), drop)
	}
	old := slices.Clone(list)
	began := *list[0].Began
	began.Schema = 1
	old[0].Began = &began
	for want, got := range map[string][]event.Event{
		"it has no event": nil,
		"the first event is \"joined\", not the header":  list[1:],
		"events of version 1, want version 2":            old,
		"another run begins here":                        append(slices.Clone(list), list...),
		"no job was submitted":                           list[:3],
		"the run has not ended, or the recording is cut": list[:len(list)-1],
		"and 3 more have not finished":                   without(func(e event.Event) bool { return e.Type == event.Finished }),
		"events are missing": without(func(e event.Event) bool {
			return e.Type == event.Succeeded && e.Attempt.Task.Index == 1
		}),
		"was not launched":  without(func(e event.Event) bool { return e.Type == event.Launched }),
		"has not joined":    without(func(e event.Event) bool { return e.Type == event.Joined }),
		"was not submitted": without(func(e event.Event) bool { return e.Type == event.Submitted }),
		"job 2 was to come": without(func(e event.Event) bool { return e.JobID == 2 || e.Attempt.Task.Job == 2 }),
	} {
		err := read(got)
		require.ErrorIs(t, err, ErrRecording, want)
		require.ErrorContains(t, err, want)
	}
}

// A Reader accepts or rejects any text without a panic.
func FuzzReader(f *testing.F) {
	f.Add([]byte(`{"at":0,"type":"began","node":-1,"began":{"schema":2,"seed":1,"nodes":1,"racks":1},"policy":{"Order":"fifo"}}
{"at":0,"type":"joined","node":0,"node_name":"a","rack":"r","slots":[1,1]}
{"at":1,"type":"submitted","job":1,"node":-1,"tasks":[1,0],"places":{"each":1,"nodes":[0]}}
{"at":2,"type":"launched","job":1,"attempt":"job_0001_m_000000_0","node":0,"locality":"node-local"}
{"at":3,"type":"succeeded","job":1,"attempt":"job_0001_m_000000_0","node":0,"locality":"node-local"}
{"at":3,"type":"finished","job":1,"node":-1,"state":"succeeded"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var r Reader
		for line := range bytes.Lines(text) {
			e, err := Decode(line)
			if err != nil || e.Node > 100 || e.Tasks[0] > 100 || e.Tasks[1] > 100 || e.Slots[0] > 100 || e.Slots[1] > 100 {
				return
			}
			if r.Add(e) != nil {
				return
			}
		}
		if rec, err := r.End(); err == nil {
			rec.config(rec.Policy)
			require.NotEmpty(t, rec.workload(&rec.Policy).Jobs)
		}
	})
}
