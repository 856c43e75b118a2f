package allocation_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/access"
	"github.com/tarry-mr/tarry/scheduling/allocation"
)

// site parses a mapred-site.xml with one property per line, from line 2 on.
func site(properties ...string) (allocation.Files, error) {
	return read(allocation.ParameterFile, source("s.xml", conf(properties...)))
}

func TestParameterDefaults(t *testing.T) {
	p, err := site("mapred.tasktracker.map.tasks.maximum=4", "mapreduce.job.reduces=nobody reads this")
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(allocation.Parameters{
		Policy: scheduling.Policy{
			SlowStart: -1, Preemption: scheduling.PreemptionPolicy{Interval: 15 * time.Second},
			Pools:    scheduling.Allocations{PoolPerUser: true},
			Locality: scheduling.LocalityPolicy{Rule: scheduling.TimedWait, Waits: []time.Duration{0, 0}, Auto: true},
		},
	}, p.Parameters))
	require.Equal(t, access.Rules{PoolProperty: "mapreduce.job.user.name"}, *p.Rules)
}

func TestEveryParameter(t *testing.T) {
	p, err := site(
		"mapred.jobtracker.taskScheduler=org.apache.hadoop.mapred.FairScheduler",
		"mapred.fairscheduler.allocation.file=/etc/hadoop/fair-scheduler.xml",
		"mapred.fairscheduler.poolnameproperty=mapreduce.job.queuename",
		"mapred.fairscheduler.preemption=TRUE",
		"mapred.fairscheduler.preemption.interval=5000",
		"mapred.fairscheduler.sizebasedweight=true",
		"mapred.fairscheduler.weightadjuster=org.apache.hadoop.mapred.NewJobWeightBooster",
		"mapred.newjobweightbooster.factor=2.5",
		"mapred.newjobweightbooster.duration=60000",
		"mapred.fairscheduler.loadmanager=org.apache.hadoop.mapred.CapBasedLoadManager",
		"mapred.fairscheduler.taskselector=org.apache.hadoop.mapred.DefaultTaskSelector",
		"mapred.fairscheduler.locality.delay.node=5000",
		"mapred.fairscheduler.locality.delay.rack=0",
		"mapred.fairscheduler.assignmultiple=false",
		"mapred.fairscheduler.assignmultiple.maps=-1",
		"mapred.fairscheduler.load.max.diff=0.2",
		"mapred.reduce.slowstart.completed.maps=0.8",
		"mapreduce.task.timeout=120000",
	)
	require.NoError(t, err)
	want := allocation.Parameters{
		Scheduler: "hfs", AllocationFile: "/etc/hadoop/fair-scheduler.xml",
		TaskTimeout: 2 * time.Minute,
		Policy: scheduling.Policy{
			Preemption: scheduling.PreemptionPolicy{Mode: scheduling.PreemptOn, Interval: 5 * time.Second},
			Pools:      scheduling.Allocations{SizeBasedWeight: true, BoostFactor: 2.5, BoostTime: time.Minute},
			Locality:   scheduling.LocalityPolicy{Rule: scheduling.TimedWait, Waits: []time.Duration{5 * time.Second, 0}},
			OneTask:    true, LoadMaxDiff: 0.2, SlowStart: 0.8,
		},
	}
	require.Empty(t, cmp.Diff(want, p.Parameters))
	require.Equal(t, "mapreduce.job.queuename", p.Rules.PoolProperty)

	policy, err := scheduling.Preset(p.Scheduler)
	require.NoError(t, err)
	p.Apply(&policy)
	require.Equal(t, want.Policy.Preemption, policy.Preemption)
	require.Equal(t, want.Policy.Locality, policy.Locality)
	require.Equal(t, 0.8, policy.SlowStart)
	require.True(t, policy.OneTask && policy.Pools.SizeBasedWeight)
	require.False(t, policy.Pools.PoolPerUser, "pools are named by the queue")
	require.Equal(t, 2.5, policy.Pools.BoostFactor)
	_, err = scheduling.NewCore(scheduling.Config{}, policy)
	require.NoError(t, err)
}

// If only the wait for a node or only that for a rack is given, both get it, with a warning. Hadoop
// ignores a single one and computes both.
func TestLocalityDelays(t *testing.T) {
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	const delay = "mapred.fairscheduler.locality.delay"
	for _, c := range []struct {
		properties []string
		waits      [2]time.Duration
		auto       bool
		warnings   int
	}{
		{nil, [2]time.Duration{}, true, 0},
		{[]string{delay + "=-1"}, [2]time.Duration{}, true, 0},
		{[]string{delay + "=700"}, [2]time.Duration{ms(700), ms(700)}, false, 0},
		{[]string{delay + "=0"}, [2]time.Duration{}, false, 0},
		{[]string{delay + "=700", delay + ".rack=300"}, [2]time.Duration{ms(700), ms(300)}, false, 0},
		{[]string{delay + ".node=700"}, [2]time.Duration{ms(700), ms(700)}, false, 1},
		{[]string{delay + ".rack=300"}, [2]time.Duration{ms(300), ms(300)}, false, 1},
		{[]string{delay + ".node=-1", delay + ".rack=-1"}, [2]time.Duration{}, true, 0},
	} {
		p, err := site(c.properties...)
		require.NoError(t, err, c.properties)
		require.Equal(t, scheduling.LocalityPolicy{Rule: scheduling.TimedWait, Waits: c.waits[:], Auto: c.auto}, p.Policy.Locality, c.properties)
		require.Len(t, p.Warnings, c.warnings, c.properties)
	}
	_, err := site(delay+".node=-1", delay+".rack=300")
	require.ErrorContains(t, err, "one wait is -1, computed, and the other is not")
}

func TestParameterDependencies(t *testing.T) {
	p, err := site("mapred.fairscheduler.preemption=true", "mapred.fairscheduler.preemption.only.log=true")
	require.NoError(t, err)
	require.Equal(t, scheduling.PreemptLog, p.Policy.Preemption.Mode)
	p, err = site("mapred.fairscheduler.weightadjuster=NewJobWeightBooster")
	require.NoError(t, err)
	require.Equal(t, 3.0, p.Policy.Pools.BoostFactor)
	require.Equal(t, 5*time.Minute, p.Policy.Pools.BoostTime)
	p, err = site("mapred.fairscheduler.preemption.only.log=true", "mapred.newjobweightbooster.factor=2", "mapred.fairscheduler.pool=x", "mapred.fairscheduler.eventlog.enabled=true", "mapred.fairscheduler.update.interval=1000")
	require.NoError(t, err)
	require.Equal(t, scheduling.PreemptOff, p.Policy.Preemption.Mode)
	require.Zero(t, p.Policy.Pools.BoostFactor)
	require.Len(t, p.Warnings, 5)
}

func TestParameterErrors(t *testing.T) {
	for property, want := range map[string]string{
		"mapred.fairscheduler.preemtion=true":              "s.xml:2: unknown property mapred.fairscheduler.preemtion",
		"mapred.fairscheduler.preemption=1":                "s.xml:2: mapred.fairscheduler.preemption: \"1\" is neither true nor false",
		"mapred.fairscheduler.preemption=":                 "s.xml:2: mapred.fairscheduler.preemption is empty",
		"mapred.fairscheduler.preemption.interval=0":       "must be 1 or more, not 0",
		"mapred.fairscheduler.update.interval=-5":          "-5 is negative",
		"mapred.fairscheduler.allocation.file=pools.xml":   "\"pools.xml\" is not an absolute path",
		"mapred.fairscheduler.locality.delay=-2":           "-2 is negative",
		"mapred.fairscheduler.load.max.diff=2":             "\"2\" is not a number from 0 to 1",
		"mapred.fairscheduler.load.max.diff=NaN":           "\"NaN\" is not a number from 0 to 1",
		"mapred.fairscheduler.weightadjuster=com.x.Mine":   "unknown class com.x.Mine, want NewJobWeightBooster",
		"mapred.fairscheduler.loadmanager=Mine":            "want CapBasedLoadManager",
		"mapred.fairscheduler.taskselector=Mine":           "want DefaultTaskSelector",
		"mapred.fairscheduler.assignmultiple.reduces=2":    "only -1",
		"mapred.newjobweightbooster.factor=0":              "weights are above 0",
		"mapred.newjobweightbooster.size=1":                "unknown property mapred.newjobweightbooster.size",
		"mapred.jobtracker.taskScheduler=x.y.Lottery":      "unknown class x.y.Lottery",
		"mapred.reduce.slowstart.completed.maps=5 percent": "is not a number from 0 to 1",
	} {
		p, err := site(property)
		require.ErrorContains(t, err, want)
		require.Equal(t, allocation.Parameters{}, p.Parameters)
	}
	_, err := read(allocation.ParameterFile, source("s.xml", "<allocations/>"))
	require.EqualError(t, err, "s.xml:1: the root element is <allocations>, want <configuration>; this looks like the file of another scheduler")
	_, err = read(allocation.ParameterFile, source("s.xml", "<"))
	require.ErrorContains(t, err, "not well-formed")
}
