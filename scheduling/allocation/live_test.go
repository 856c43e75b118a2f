package allocation_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/allocation"
	"github.com/tarry-mr/tarry/scheduling/view"
)

// cluster returns a Core under hfs and the allocation file, with nodes of 4 map slots each.
func cluster(t require.TestingT, nodes int, file string) (*scheduling.Core, []scheduling.NodeID, scheduling.Policy) {
	fair, _, err := allocation.ParseFair("f.xml", text(file).Reader)
	require.NoError(t, err)
	policy, err := scheduling.Preset("hfs")
	require.NoError(t, err)
	policy.Spread = false
	(&allocation.Files{Pools: &fair}).Apply(&policy)
	core, err := scheduling.NewCore(scheduling.Config{}, policy)
	require.NoError(t, err)
	var ids []scheduling.NodeID
	for i := range nodes {
		id, err := core.Join(0, scheduling.Node{Name: string(rune('a' + i)), MapSlots: 4})
		require.NoError(t, err)
		ids = append(ids, id)
	}
	return core, ids, policy
}

// pool returns the view of the named pool, which must exist.
func pool(t require.TestingT, core *scheduling.Core, name string) view.Pool {
	for _, p := range core.View().Pools() {
		if p.Name == name {
			return p
		}
	}
	require.Fail(t, "no pool "+name)
	return view.Pool{}
}

// launch sends a heartbeat of every node and returns the launched attempts by job.
func launch(t require.TestingT, core *scheduling.Core, now time.Duration, nodes []scheduling.NodeID) map[scheduling.JobID][]scheduling.AttemptID {
	got := map[scheduling.JobID][]scheduling.AttemptID{}
	for _, n := range nodes {
		answer, err := core.Heartbeat(now, scheduling.Heartbeat{Node: n})
		require.NoError(t, err)
		for _, o := range answer.Actions {
			require.Equal(t, scheduling.Launch, o.Verb)
			got[o.Attempt.Task.Job] = append(got[o.Attempt.Task.Job], o.Attempt)
		}
	}
	return got
}

// If the file changes while jobs run, the new settings apply at once. Running tasks count under
// them, and settings that the new file does not have get their defaults.
func TestReloadWhileJobsRun(t *testing.T) {
	core, nodes, policy := cluster(t, 2, `<allocations><pool name="a"><maxMaps>3</maxMaps><schedulingMode>fifo</schedulingMode></pool>
		<pool name="b"><maxRunningJobs>1</maxRunningJobs></pool></allocations>`)
	submit := func(p string) scheduling.JobID {
		id, err := core.Submit(time.Second, scheduling.JobSpec{Name: p, Pool: p, Maps: 20})
		require.NoError(t, err)
		return id
	}
	a, b1, b2 := submit("a"), submit("b"), submit("b")
	first := launch(t, core, 2*time.Second, nodes)
	require.Len(t, first[a], 3, "its maximum")
	require.Len(t, first[b1], 5, "the rest")
	require.Empty(t, first[b2], "one job at a time")
	require.Equal(t, scheduling.FIFOMode, pool(t, core, "a").Config.Mode)

	changed, _, err := allocation.ParseFair("f.xml", text(`<allocations><pool name="b"><weight>3</weight><minMaps>2</minMaps></pool></allocations>`).Reader)
	require.NoError(t, err)
	(&allocation.Files{Pools: &changed}).Apply(&policy)
	require.NoError(t, core.Reconfigure(3*time.Second, policy))
	require.NoError(t, core.Update(4*time.Second))
	pa, pb := pool(t, core, "a"), pool(t, core, "b")
	require.Equal(t, 3, pa.Kinds[scheduling.Map].Running)
	require.Equal(t, 5, pb.Kinds[scheduling.Map].Running)
	require.Equal(t, scheduling.FairMode, pa.Config.Mode, "back to the default")
	require.GreaterOrEqual(t, pa.Config.Max[scheduling.Map], scheduling.NoLimit)
	require.InDelta(t, 2, pa.Kinds[scheduling.Map].Share, 0.01, "weights 1 and 3")
	require.InDelta(t, 6, pb.Kinds[scheduling.Map].Share, 0.01)
	for _, id := range []scheduling.JobID{a, b1, b2} {
		view, err := core.View().Job(id)
		require.NoError(t, err)
		require.True(t, view.Runnable, "the limit on jobs is gone")
	}
	// Two tasks of a end: a has 1 slot left and b has 5. After two more launches they have 2 and 6.
	// In b the job without a running task goes first.
	_, err = core.Heartbeat(5*time.Second, scheduling.Heartbeat{Node: nodes[0], NoWork: true, Statuses: []scheduling.Status{
		{Attempt: first[a][0], State: scheduling.StateSucceeded}, {Attempt: first[a][1], State: scheduling.StateSucceeded},
	}})
	require.NoError(t, err)
	next := launch(t, core, 6*time.Second, nodes)
	require.Len(t, next[a], 1)
	require.Len(t, next[b2], 1)
}

// Whatever files are loaded, running tasks and jobs continue. No slot is used twice afterwards, and
// the shares add up to the slots.
func TestReloadsKeepWhatRuns(t *testing.T) {
	number := rapid.SampledFrom([]string{"0", "1", "2", "5", "100"})
	drawFile := func(t *rapid.T) string {
		file := "<allocations>"
		for _, name := range []string{"a", "b", "default"} {
			if rapid.Bool().Draw(t, "listed") {
				file += "<pool name='" + name + "'>"
				for _, e := range []string{"minMaps", "maxMaps", "maxRunningJobs"} {
					if rapid.Bool().Draw(t, e) {
						file += "<" + e + ">" + number.Draw(t, "n") + "</" + e + ">"
					}
				}
				file += "<weight>" + rapid.SampledFrom([]string{"0.5", "1", "7"}).Draw(t, "weight") + "</weight><schedulingMode>" +
					rapid.SampledFrom([]string{"fair", "fifo"}).Draw(t, "mode") + "</schedulingMode></pool>"
			}
		}
		if rapid.Bool().Draw(t, "limits") {
			file += "<userMaxJobsDefault>" + number.Draw(t, "n") + "</userMaxJobsDefault>"
		}
		return file + "</allocations>"
	}
	rapid.Check(t, func(t *rapid.T) {
		core, nodes, policy := cluster(t, 3, drawFile(t))
		running, now := 0, time.Duration(0)
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			now += time.Second
			if rapid.Bool().Draw(t, "submit") {
				_, err := core.Submit(now, scheduling.JobSpec{
					Name: "j", User: rapid.SampledFrom([]string{"u", "v"}).Draw(t, "user"),
					Pool: rapid.SampledFrom([]string{"a", "b", ""}).Draw(t, "pool"), Maps: rapid.IntRange(1, 9).Draw(t, "maps"),
				})
				require.NoError(t, err)
			}
			for _, list := range launch(t, core, now, nodes) {
				running += len(list)
			}
			fair, _, err := allocation.ParseFair("f.xml", text(drawFile(t)).Reader)
			require.NoError(t, err)
			(&allocation.Files{Pools: &fair}).Apply(&policy)
			require.NoError(t, core.Reconfigure(now, policy))
			require.NoError(t, core.Update(now+time.Millisecond))
			fresh, err := scheduling.NewCore(scheduling.Config{}, policy)
			require.NoError(t, err)
			for _, p := range fresh.View().Pools() {
				require.Equal(t, p.Config, pool(t, core, p.Name).Config)
			}
			counted, demand, share := 0, 0, 0.0
			for _, p := range core.View().Pools() {
				maps := p.Kinds[scheduling.Map]
				require.LessOrEqual(t, maps.Share, float64(maps.Demand)+1e-6)
				require.LessOrEqual(t, maps.Demand, p.Config.Max[scheduling.Map])
				counted, demand, share = counted+maps.Running, demand+maps.Demand, share+maps.Share
			}
			require.Equal(t, running, counted, "the running tasks are counted as before")
			require.LessOrEqual(t, running, 12)
			require.InDelta(t, min(12, demand), share, 1e-6)
		}
	})
}
