package access_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/access"
)

func TestParseList(t *testing.T) {
	for _, c := range []struct {
		text string
		want access.List
	}{
		{"", access.List{}},
		{" ", access.List{}},
		{"*", access.List{Everybody: true}},
		{" * ", access.List{Everybody: true}},
		{"ann", access.List{Users: []string{"ann"}}},
		{"ann ", access.List{Users: []string{"ann"}}},
		{"bob,ann", access.List{Users: []string{"ann", "bob"}}},
		{" ops", access.List{Groups: []string{"ops"}}},
		{"ann,bob ops,dev", access.List{Users: []string{"ann", "bob"}, Groups: []string{"dev", "ops"}}},
	} {
		got, err := access.ParseList(c.text)
		require.NoError(t, err, "%q", c.text)
		require.Equal(t, c.want, got, "%q", c.text)
		again, err := access.ParseList(got.String())
		require.NoError(t, err)
		require.Equal(t, got, again, "%q is written as %q", c.text, got.String())
	}
	for text, want := range map[string]string{
		"  ":          "more than one space",
		"ann  ops":    "more than one space",
		"ann ops dev": "more than one space",
		"ann, bob":    "a user name is empty",
		" ops, dev":   "more than one space",
		"\n":          "more than one space",
		"ann\tops":    "more than one space",
		"ann,,bob":    "a user name is empty",
		",":           "a user name is empty",
		"ann ops,":    "a group name is empty",
		"*,ann":       "* alone means everybody",
		"ann *":       "* alone means everybody",
		"ann,ann":     "user ann is listed twice",
		" ops,ops":    "group ops is listed twice",
	} {
		_, err := access.ParseList(text)
		require.ErrorContains(t, err, want, "%q", text)
	}
}

// closed returns access lists for three queues: for some users, for everybody, and a stopped one.
func closed() access.Control {
	return access.Control{
		Enabled: true,
		Admins:  access.List{Users: []string{"root"}, Groups: []string{"wheel"}},
		Queues: []access.Queue{
			{Name: "sch:prod", Submit: access.List{Users: []string{"ann", "bob"}, Groups: []string{"ops"}}, Administer: access.List{Groups: []string{"ops"}}},
			{Name: "sch:misc", Submit: access.List{Everybody: true}},
			{Name: "gta", Stopped: true},
		},
	}
}

func TestMaySubmitAndAdminister(t *testing.T) {
	ann, olga := access.Principal{User: "ann"}, access.Principal{User: "olga", Groups: []string{"staff", "ops"}}
	eve, root := access.Principal{User: "eve", Groups: []string{"guests"}}, access.Principal{User: "root"}
	member := access.Principal{User: "zoe", Groups: []string{"wheel"}}
	nobody := access.Principal{}
	a := closed()
	for _, c := range []struct {
		queue    string
		who      access.Principal
		mayUse   bool
		mayAdmin bool
	}{
		{"sch:prod", ann, true, false},
		{"sch:prod", olga, true, true},
		{"sch:prod", eve, false, false},
		{"sch:prod", root, true, true},
		{"sch:prod", member, true, true},
		{"sch:prod", nobody, false, false},
		{"sch:misc", eve, true, false},
		{"sch:misc", nobody, true, false}, // * is everybody
		{"gta", ann, false, false},
		{"gta", root, false, true}, // a stopped queue rejects administrators too
		{"nowhere", ann, false, false},
		{"nowhere", root, true, true},
		{"", eve, false, false},
		{"SCH:PROD", ann, false, false},
	} {
		if err := a.MaySubmit(c.queue, c.who); c.mayUse {
			require.NoError(t, err, "%v to %q", c.who, c.queue)
		} else {
			require.ErrorIs(t, err, access.ErrDenied, "%v to %q", c.who, c.queue)
		}
		if err := a.MayAdminister(c.queue, "somebody", c.who); c.mayAdmin {
			require.NoError(t, err, "%v in %q", c.who, c.queue)
		} else {
			require.ErrorIs(t, err, access.ErrDenied, "%v in %q", c.who, c.queue)
		}
	}
	require.NoError(t, a.MayAdminister("gta", "eve", eve), "the owner may")
	require.Error(t, a.MayAdminister("gta", "", nobody), "nobody owns nothing")
}

func TestDenialSaysWhoWhatAndWhichList(t *testing.T) {
	eve := access.Principal{User: "eve"}
	a := closed()
	require.EqualError(t, a.MaySubmit("sch:prod", eve), `user eve may not submit to sch:prod: acl-submit-job of sch:prod admits "ann,bob ops"`)
	require.EqualError(t, a.MayAdminister("sch:misc", "ann", eve), "user eve may not administer jobs of sch:misc: acl-administer-jobs of sch:misc admits nobody")
	require.EqualError(t, a.MaySubmit("gta", eve), "user eve may not submit to gta: it is stopped")
	require.EqualError(t, a.MaySubmit("prd", eve), "user eve may not submit to prd: no such queue is configured, and access lists are on")
}

func TestListsAreOffByDefault(t *testing.T) {
	a := closed()
	a.Enabled = false
	eve := access.Principal{User: "eve"}
	require.NoError(t, a.MaySubmit("sch:prod", eve))
	require.NoError(t, a.MaySubmit("nowhere", eve))
	require.NoError(t, a.MayAdminister("sch:prod", "ann", eve))
	require.ErrorContains(t, a.MaySubmit("gta", eve), "it is stopped")
	require.NoError(t, access.Control{}.MaySubmit("x", eve))
}

// A job's pool follows from its properties as in Hadoop 0.21's TestFairScheduler
// .testPoolAssignment, where poolnameproperty is pool. Spaces around names are ignored.
func TestPoolOfAJob(t *testing.T) {
	ann := access.Principal{User: "ann"}
	for _, c := range []struct {
		name     string
		property string
		who      access.Principal
		spec     scheduling.JobSpec
		want     string
	}{
		{"J1, J2", "pool", ann, scheduling.JobSpec{}, "default"},
		{"J3", "pool", ann, scheduling.JobSpec{PoolProperty: "nonsense", Pool: "poolA"}, "poolA"},
		{"J4", "pool", ann, scheduling.JobSpec{PoolProperty: "poolA"}, "poolA"},
		{"trimmed", "pool", ann, scheduling.JobSpec{PoolProperty: " poolA "}, "poolA"},
		{"explicit trimmed", "pool", ann, scheduling.JobSpec{Pool: "\tpoolA\n"}, "poolA"},
		{"blank does not count", "pool", ann, scheduling.JobSpec{Pool: "  ", PoolProperty: "b"}, "b"},
		{"a pool a user", "", ann, scheduling.JobSpec{}, "ann"},
		{"nobody", "", access.Principal{}, scheduling.JobSpec{}, "default"},
		{"a forged user", "", ann, scheduling.JobSpec{PoolProperty: "root", User: "root"}, "ann"},
		{"a forged user, old name", "user.name", ann, scheduling.JobSpec{PoolProperty: "root"}, "ann"},
		{"by queue", "mapreduce.job.queuename", ann, scheduling.JobSpec{Queue: "q"}, "q"},
		{"by queue, as property", "mapreduce.job.queuename", ann, scheduling.JobSpec{PoolProperty: "q", Queue: "r"}, "q"},
	} {
		err := access.Rules{PoolProperty: c.property}.Admit(&c.spec, c.who, false)
		require.NoError(t, err, c.name)
		require.Equal(t, c.want, c.spec.Pool, c.name)
		require.Equal(t, c.who.User, c.spec.User, c.name)
	}
	for want, spec := range map[string]scheduling.JobSpec{
		`pool or queue name "a\x00b" (by property mapred.fairscheduler.pool) has control characters`: {Pool: "a\x00b"},
		`pool or queue name "a\x00b" (by property pool) has control characters`:                      {PoolProperty: "a\x00b"},
		`pool or queue name "a\x00b" (by property mapreduce.job.queuename) has control characters`:   {Queue: "a\x00b"},
	} {
		require.EqualError(t, access.Rules{PoolProperty: "pool"}.Admit(&spec, ann, false), want)
	}
}

// A job may not run in a pool closed to its user, even if its queue is open. Hadoop permits it.
func TestTheExplicitPoolDoesNotSlipPastTheLists(t *testing.T) {
	rules := access.Rules{Access: closed(), PoolProperty: access.PropertyQueue}
	eve := access.Principal{User: "eve"}
	err := rules.Admit(&scheduling.JobSpec{Queue: "sch:misc", Pool: " sch:prod "}, eve, false)
	require.EqualError(t, err, `user eve may not submit to sch:prod: acl-submit-job of sch:prod admits "ann,bob ops"`)

	// The queue must admit the user too, even if the pool is open.
	err = rules.Admit(&scheduling.JobSpec{Queue: "sch:prod", Pool: "sch:misc"}, eve, false)
	require.ErrorIs(t, err, access.ErrDenied)

	// Neither the job's owner nor another user may move it there later.
	require.ErrorIs(t, rules.Move(eve, "eve", "sch:misc", "sch:prod"), access.ErrDenied)
	require.ErrorIs(t, rules.Move(access.Principal{User: "bob"}, "eve", "sch:misc", "sch:prod"), access.ErrDenied, "bob does not administer sch:misc")
	require.NoError(t, rules.Move(access.Principal{User: "ann"}, "ann", "sch:misc", "sch:prod"))
	require.ErrorContains(t, rules.Move(eve, "eve", "sch:misc", " "), "is empty")
}

func TestQueueOfAJob(t *testing.T) {
	old := access.Rules{Access: closed(), PoolProperty: access.PropertyQueueOld}
	eve := access.Principal{User: "eve"}
	for _, c := range []struct {
		spec   scheduling.JobSpec
		denied bool
	}{
		{scheduling.JobSpec{Queue: " sch:misc"}, false},
		{scheduling.JobSpec{PoolProperty: "sch:misc"}, false},
		{scheduling.JobSpec{PoolProperty: "sch:misc", Queue: "sch:prod"}, true},
		{scheduling.JobSpec{Queue: "gta"}, true},
		{scheduling.JobSpec{Pool: "sch:misc"}, true}, // without a queue the job goes to "default", which does not exist
	} {
		err := old.Admit(&c.spec, eve, true)
		require.Equal(t, c.denied, err != nil, "%v: %v", c.spec, err)
		if !c.denied {
			require.Equal(t, "sch:misc", c.spec.Queue)
		}
	}
}

// drawList draws a list that often admits nobody and sometimes everybody.
func drawList(t *rapid.T, users, groups []string) access.List {
	return access.List{
		Everybody: rapid.IntRange(0, 4).Draw(t, "everybody") == 0,
		Users:     rapid.SliceOfNDistinct(rapid.SampledFrom(users), 0, 2, rapid.ID).Draw(t, "users"),
		Groups:    rapid.SliceOfNDistinct(rapid.SampledFrom(groups), 0, 1, rapid.ID).Draw(t, "groups"),
	}
}

func FuzzParseList(f *testing.F) {
	for _, s := range []string{"", " ", "*", "ann,bob ops", " ops", "a b c", "a,,b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		list, err := access.ParseList(s)
		if err != nil {
			require.Empty(t, list)
			return
		}
		again, err := access.ParseList(list.String())
		require.NoError(t, err, "%q written as %q", s, list.String())
		require.Equal(t, list, again)
		if !list.Everybody {
			require.False(t, list.Admits(access.Principal{}), "%q admits nobody in particular", s)
		}
	})
}
