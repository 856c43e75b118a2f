package access_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/access"
)

func TestAdmit(t *testing.T) {
	rules := access.Rules{Access: closed(), PoolProperty: access.PropertyQueue}
	eve := access.Principal{User: "eve"}
	spec := scheduling.JobSpec{Name: "j", User: "root", Queue: " sch:misc"}
	require.NoError(t, rules.Admit(&spec, eve, false))
	require.Equal(t, scheduling.JobSpec{Name: "j", User: "eve", Pool: "sch:misc"}, spec)

	spec = scheduling.JobSpec{User: "root", PoolProperty: "sch:misc", Pool: "sch:prod"}
	require.ErrorIs(t, rules.Admit(&spec, eve, false), access.ErrDenied)
	require.Equal(t, scheduling.JobSpec{User: "root", PoolProperty: "sch:misc", Pool: "sch:prod"}, spec, "as before")

	spec = scheduling.JobSpec{Queue: "sch:misc", Pool: "ignored"}
	require.NoError(t, rules.Admit(&spec, eve, true))
	require.Equal(t, "sch:misc", spec.Queue)
	require.ErrorIs(t, rules.Admit(&scheduling.JobSpec{Queue: "sch:prod"}, eve, true), access.ErrDenied)
	require.ErrorIs(t, rules.Admit(&scheduling.JobSpec{}, eve, true), access.ErrDenied, "there is no queue default")
}

// After Admit and Core.Submit, a job is in a pool or queue to which its user may submit.
func TestAdmittedJobsLandWhereTheirUserMaySubmit(t *testing.T) {
	places := []string{"a", "b", "default", "ann", "eve"}
	var queues []scheduling.QueueConfig
	for _, name := range places {
		queues = append(queues, scheduling.QueueConfig{Name: name})
	}
	name := rapid.SampledFrom(append([]string{"", " ", " a", "b\t", "c"}, places...))
	rapid.Check(t, func(t *rapid.T) {
		byQueue := rapid.Bool().Draw(t, "capacity")
		policy, err := scheduling.Preset(map[bool]string{true: "capacity", false: "hfs"}[byQueue])
		require.NoError(t, err)
		policy.Queues = queues
		policy.Pools.PoolPerUser = rapid.Bool().Draw(t, "a pool a user")
		core, err := scheduling.NewCore(scheduling.Config{}, policy)
		require.NoError(t, err)
		rules := access.Rules{Access: access.Control{Enabled: true}, PoolProperty: rapid.SampledFrom([]string{"", "pool", access.PropertyQueue, access.PropertyPool, access.PropertyUser}).Draw(t, "property")}
		for _, place := range places {
			rules.Access.Queues = append(rules.Access.Queues, access.Queue{Name: place, Submit: drawList(t, []string{"ann", "eve"}, []string{"g"})})
		}
		who := access.Principal{User: rapid.SampledFrom([]string{"ann", "eve"}).Draw(t, "who")}
		spec := scheduling.JobSpec{
			Name: "j", Maps: 1, User: rapid.SampledFrom([]string{"", "ann", "eve"}).Draw(t, "claimed"),
			Pool: name.Draw(t, "Pool"), PoolProperty: name.Draw(t, "PoolProperty"), Queue: name.Draw(t, "Queue"),
		}
		if rules.Admit(&spec, who, byQueue) != nil {
			return
		}
		id, err := core.Submit(0, spec)
		require.NoError(t, err)
		job, err := core.View().Job(id)
		require.NoError(t, err)
		require.Equal(t, who.User, job.User)
		i := slices.Index(places, job.Pool)
		require.GreaterOrEqual(t, i, 0, "%q", job.Pool)
		list := rules.Access.Queues[i].Submit
		require.True(t, list.Everybody || slices.Contains(list.Users, who.User), "%s got into %s", who.User, job.Pool)
	})
}
