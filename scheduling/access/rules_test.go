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

// Whatever pool or queue a job names, after Admit and Core.Submit it is in one whose access list
// admits its user. The test reads the lists with code of its own. A refused job is not changed.
func TestNoPropertiesLeadIntoAClosedPool(t *testing.T) {
	places := []string{"a", "b", "c", "default", "eve", "ann"}
	users, groups := []string{"ann", "bob", "eve"}, []string{"g1", "g2"}
	names := []string{"", access.PropertyPool, access.PropertyQueue, access.PropertyQueueOld, access.PropertyUser, "user.name", "pool"}
	rapid.Check(t, func(t *rapid.T) {
		byQueue := rapid.Bool().Draw(t, "capacity")
		policy, err := scheduling.Preset(map[bool]string{true: "capacity", false: "hfs"}[byQueue])
		require.NoError(t, err)
		policy.Pools.PoolPerUser = rapid.Bool().Draw(t, "a pool a user")
		rules := access.Rules{Access: access.Control{Enabled: true}, PoolProperty: rapid.SampledFrom(names).Draw(t, "pool property")}
		for _, name := range places {
			policy.Queues = append(policy.Queues, scheduling.QueueConfig{Name: name})
			if rapid.Bool().Draw(t, "configured") {
				q := access.Queue{Name: name, Submit: drawList(t, users, groups), Administer: drawList(t, users, groups), Stopped: rapid.IntRange(0, 5).Draw(t, "stopped") == 0}
				rules.Access.Queues = append(rules.Access.Queues, q)
			}
		}
		core, err := scheduling.NewCore(scheduling.Config{}, policy)
		require.NoError(t, err)
		who := access.Principal{User: rapid.SampledFrom(users).Draw(t, "who"), Groups: rapid.SliceOfDistinct(rapid.SampledFrom(groups), rapid.ID).Draw(t, "groups")}
		value := rapid.SampledFrom(append([]string{"", "", "A", "a ", " b", "\tc\n", "nowhere", "\u00a0a"}, places...))
		spec := scheduling.JobSpec{Maps: 1, User: value.Draw(t, "user"), Pool: value.Draw(t, "pool"), PoolProperty: value.Draw(t, "property"), Queue: value.Draw(t, "queue")}
		job := spec
		if rules.Admit(&job, who, byQueue) != nil {
			require.Equal(t, spec, job)
			return
		}
		id, err := core.Submit(0, job)
		require.NoError(t, err)
		got, err := core.View().Job(id)
		require.NoError(t, err)
		require.Equal(t, who.User, got.User)
		i := slices.IndexFunc(rules.Access.Queues, func(q access.Queue) bool { return q.Name == got.Pool })
		require.GreaterOrEqual(t, i, 0, "%q is not configured", got.Pool)
		q := rules.Access.Queues[i]
		named := slices.Contains(q.Submit.Users, who.User) || slices.ContainsFunc(who.Groups, func(g string) bool { return slices.Contains(q.Submit.Groups, g) })
		require.True(t, q.Submit.Everybody || named, "%v got into %s", who, got.Pool)
		require.False(t, q.Stopped)
	})
}
