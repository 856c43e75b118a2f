package allocation_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/allocation"
)

const capacityPrefix = "mapred.capacity-scheduler."

// The parser knows each property of the capacity-scheduler.xml that Hadoop 1.2.1 contains.
func TestHadoop1CapacityProperties(t *testing.T) {
	q, err := read(allocation.QueueFile, source("c.xml", conf(
		capacityPrefix+"maximum-system-jobs=3000",
		capacityPrefix+"queue.default.capacity=100",
		capacityPrefix+"queue.default.maximum-capacity=-1",
		capacityPrefix+"queue.default.supports-priority=false",
		capacityPrefix+"queue.default.minimum-user-limit-percent=100",
		capacityPrefix+"queue.default.user-limit-factor=1",
		capacityPrefix+"queue.default.maximum-initialized-active-tasks=200000",
		capacityPrefix+"queue.default.maximum-initialized-active-tasks-per-user=100000",
		capacityPrefix+"queue.default.init-accept-jobs-factor=10",
		capacityPrefix+"default-supports-priority=false",
		capacityPrefix+"default-minimum-user-limit-percent=100",
		capacityPrefix+"default-user-limit-factor=1",
		capacityPrefix+"default-maximum-active-tasks-per-queue=200000",
		capacityPrefix+"default-maximum-active-tasks-per-user=100000",
		capacityPrefix+"default-init-accept-jobs-factor=10",
		capacityPrefix+"init-poll-interval=5000",
		capacityPrefix+"init-worker-threads=5",
	)))
	require.NoError(t, err)
	require.Equal(t, 1.0, q.Queues[0].UserFactor)
	require.Equal(t, 3000, q.Queues[0].InitLimit)
	require.Equal(t, 30_000, q.Queues[0].JobLimit)
	require.Len(t, q.Warnings, 6)
}

// Each queue gets its fraction of maximum-system-jobs: its capacity times those of its parents.
func TestSystemJobsAreDivided(t *testing.T) {
	parse := func(settings ...string) map[string][2]int {
		settings = append(settings, capacityPrefix+"queue.a.capacity=30", capacityPrefix+"queue.b:c.capacity=50",
			capacityPrefix+"queue.b.capacity=70", capacityPrefix+"queue.b:d.supports-priority=true")
		q, err := read(allocation.QueueFile, source("c.xml", conf(settings...)))
		require.NoError(t, err)
		limits := map[string][2]int{}
		for _, c := range q.Queues {
			limits[c.Name] = [2]int{c.InitLimit, c.JobLimit}
		}
		return limits
	}
	require.Equal(t, map[string][2]int{"a": {}, "b": {}, "b:c": {}, "b:d": {}}, parse())
	require.Equal(t, map[string][2]int{"a": {6, 60}, "b": {}, "b:c": {7, 70}, "b:d": {7, 70}}, parse(capacityPrefix+"maximum-system-jobs=20"))
	require.Equal(t, map[string][2]int{"a": {900, 1800}, "b": {}, "b:c": {1050, 2100}, "b:d": {1050, 5250}},
		parse(capacityPrefix+"default-init-accept-jobs-factor=2", capacityPrefix+"queue.b:d.init-accept-jobs-factor=5"))
}

// With allow.undeclared.pools=false, a job whose pool is not in the file is rejected.
func TestUndeclaredPools(t *testing.T) {
	for value, refused := range map[string]bool{"true": false, "false": true} {
		p, err := read(allocation.ParameterFile, source("m.xml", conf("mapred.fairscheduler.allow.undeclared.pools="+value)))
		require.NoError(t, err)
		fair, err := read(allocation.PoolFile, source("f.xml", "<allocations><pool name='a'/></allocations>"))
		require.NoError(t, err)
		policy, err := scheduling.Preset("hfs")
		require.NoError(t, err)
		p.Apply(&policy)
		fair.Apply(&policy)
		core, err := scheduling.NewCore(scheduling.Config{}, policy)
		require.NoError(t, err)
		for _, pool := range []string{"a", "default", "b"} {
			_, err = core.Submit(0, scheduling.JobSpec{Pool: pool, Maps: 1})
			if refused && pool == "b" {
				require.ErrorIs(t, err, scheduling.ErrUnknownPool)
			} else {
				require.NoError(t, err)
			}
		}
	}
}
